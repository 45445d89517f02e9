import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconAlertCircle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconChevronDown,
  IconChevronUp,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import type { Component, Editor } from 'grapesjs';
import { useWords } from '../words/words.tsx';
import { addBlock, canMove, listBlocks, moveBlock, removeBlock, selectedBlock } from './blocks-acts.ts';
import { attributesOf, kindOf } from './blocks-canvas.ts';
import { type AddedKind, addedKinds, newBlock } from './blocks-kinds.ts';
import { useBlocksWords } from './blocks-words.ts';
import { saidOf, type UnknownTags } from './unknown-tags.ts';

interface BlocksListProps {
  readonly editor: Editor;
  /** Called after each change. */
  readonly changed: () => void;
}

/** Undo, redo, and the blocks that can be added. */
export function BlocksBar({ editor, changed }: BlocksListProps) {
  const texts = useBlocksWords();
  const undo = editor.UndoManager;
  const add = (kind: AddedKind) => {
    addBlock(editor, newBlock(kind, texts.starter));
    changed();
  };
  return (
    <div className="row blocks-bar">
      <Menu position="bottom-start">
        <Menu.Target>
          <Button leftSection={<IconPlus size={16} aria-hidden />}>{texts.add}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {addedKinds.map((kind) => (
            <Menu.Item key={kind} onClick={() => add(kind)}>
              {texts.kinds[kind]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ActionIcon
        aria-label={texts.undo}
        title={texts.undo}
        disabled={!undo.hasUndo()}
        onClick={() => {
          undo.undo();
          changed();
        }}
      >
        <IconArrowBackUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        aria-label={texts.redo}
        title={texts.redo}
        disabled={!undo.hasRedo()}
        onClick={() => {
          undo.redo();
          changed();
        }}
      >
        <IconArrowForwardUp size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

interface MarkedListProps extends BlocksListProps {
  readonly unknownTags: UnknownTags;
}

/** The blocks in the order of the message: each can be selected, moved and removed. */
export function BlocksList({ editor, unknownTags, changed }: MarkedListProps) {
  const texts = useBlocksWords();
  const selected = selectedBlock(editor);
  return (
    <ul className="blocks-list" aria-label={texts.list}>
      {listBlocks(editor).map((block) => (
        <BlockRow
          key={block.getId()}
          editor={editor}
          block={block}
          isSelected={block === selected}
          fault={saidOf(unknownTags, writtenIn(block))}
          changed={changed}
        />
      ))}
    </ul>
  );
}

interface BlockRowProps extends BlocksListProps {
  readonly block: Component;
  readonly isSelected: boolean;
  /** What is wrong in the block; its field says so too. */
  readonly fault: string | undefined;
}

function BlockRow({ editor, block, isSelected, fault, changed }: BlockRowProps) {
  const texts = useBlocksWords();
  const kind = kindOf(block);
  const detail = detailOf(block);
  const { words } = useWords();
  const name = detail ? words.shell.labelled(texts.kinds[kind], detail) : texts.kinds[kind];
  const move = (by: 1 | -1) => {
    moveBlock(editor, block, by);
    changed();
  };
  const moves = [
    { by: -1, label: texts.up(name), Icon: IconChevronUp },
    { by: 1, label: texts.down(name), Icon: IconChevronDown },
  ] as const;
  return (
    <li data-kind={kind} data-selected={isSelected || undefined}>
      <button
        type="button"
        className="block-name cut"
        aria-pressed={isSelected}
        onClick={() => {
          editor.select(block, { scroll: true });
          changed();
        }}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? -1 : 1;
          if (!event.altKey || !/^Arrow(Up|Down)$/.test(event.key) || !canMove(editor, block, by)) return;
          event.preventDefault();
          move(by);
        }}
      >
        {name}
      </button>
      {fault && (
        <span className="red" role="img" aria-label={fault} title={fault}>
          <IconAlertCircle size={16} aria-hidden />
        </span>
      )}
      {moves.map(({ by, label, Icon }) => (
        <ActionIcon
          key={by}
          size="sm"
          aria-label={label}
          title={label}
          disabled={!canMove(editor, block, by)}
          onClick={() => move(by)}
        >
          <Icon size={16} aria-hidden />
        </ActionIcon>
      ))}
      <ActionIcon
        size="sm"
        aria-label={texts.remove(name)}
        title={texts.remove(name)}
        onClick={() => {
          removeBlock(editor, block);
          changed();
        }}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}

/** The texts of a block: its words, and the values of its attributes. */
const writtenIn = (block: Component): string =>
  [String(block.get('content') ?? ''), ...Object.values(attributesOf(block))].join('\n');

/** What tells a block from others of its kind: its words. */
function detailOf(block: Component): string {
  const html = String(block.get('content') ?? '');
  const words = new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
  return (words.trim() || attributesOf(block).alt || '').slice(0, 40);
}
