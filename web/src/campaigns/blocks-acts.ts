import type { Component, Editor } from 'grapesjs';
import { bodyOf, kindOf, shownElement } from './blocks-canvas.ts';
import { newSection } from './blocks-kinds.ts';
import type { MjmlElement } from './mjml-text.ts';

const childrenOf = (component: Component): Component[] => component.components().models;
const isSection = (component: Component) => kindOf(component) === 'mj-section';

/** The sections of the message, each before its blocks. */
export function listBlocks(editor: Editor): Component[] {
  const body = bodyOf(editor);
  const sections = body ? childrenOf(body) : [];
  return sections.flatMap((section) => [section, ...childrenOf(section).flatMap(childrenOf)]);
}

/** The section or block that the user has selected: a column counts as its section. */
export function selectedBlock(editor: Editor): Component | undefined {
  const selected = editor.getSelected();
  if (!selected || ['mj-body', 'mjml'].includes(kindOf(selected))) return undefined;
  return kindOf(selected) === 'mj-column' ? selected.parent() : selected;
}

/** The columns of the message, in its order. */
const columnsOf = (editor: Editor): Component[] => bodyOf(editor)?.findType('mj-column') ?? [];

/** Where a move would put a block. */
function destination(
  editor: Editor,
  block: Component,
  by: 1 | -1,
): { readonly parent: Component; readonly at: number } | undefined {
  const parent = block.parent();
  if (!parent) return undefined;
  const index = block.index() + by;
  // An element that moves down is counted until it is inserted.
  if (index >= 0 && index < childrenOf(parent).length) return { parent, at: by > 0 ? index + 1 : index };
  if (isSection(block)) return undefined;
  const columns = columnsOf(editor);
  const next = columns[columns.indexOf(parent) + by];
  return next && { parent: next, at: by > 0 ? 0 : childrenOf(next).length };
}

export const canMove = (editor: Editor, block: Component, by: 1 | -1): boolean =>
  destination(editor, block, by) !== undefined;

/** Moves a section among the sections, or a block within its column and on to the next one. */
export function moveBlock(editor: Editor, block: Component, by: 1 | -1): void {
  const to = destination(editor, block, by);
  if (to) block.move(to.parent, { at: to.at });
  editor.select(block);
}

/** Adds a block behind the selected one, in an empty column of the selected section, or in a new section. */
export function addBlock(editor: Editor, element: MjmlElement): void {
  const body = bodyOf(editor);
  if (!body) return;
  const selected = selectedBlock(editor);
  const insert = (parent: Component, one: MjmlElement, at: number) =>
    parent.append(shownElement(one) as never, { at })[0];
  const free =
    selected && isSection(selected) && childrenOf(selected).find((one) => childrenOf(one).length === 0);
  if (free) {
    editor.select(insert(free, element, 0));
  } else if (selected && !isSection(selected)) {
    editor.select(insert(selected.parent()!, element, selected.index() + 1));
  } else {
    const section = insert(
      body,
      newSection(element),
      selected ? selected.index() + 1 : childrenOf(body).length,
    );
    editor.select(section && childrenOf(childrenOf(section)[0]!)[0]);
  }
}

/** Removes a block, and its section if that would be empty; selects the one before. */
export function removeBlock(editor: Editor, block: Component): void {
  const all = listBlocks(editor);
  const before = all[all.indexOf(block) - 1];
  const section = isSection(block) ? block : block.parent()?.parent();
  const isLast = section !== undefined && childrenOf(section).flatMap(childrenOf).length === 1;
  const removed = isLast && section ? section : block;
  removed.remove();
  editor.select(before === removed ? undefined : before);
}

export const nbColumns = (section: Component): number => childrenOf(section).length;

/** Gives a section a number of columns. What those that are removed hold comes behind the rest. */
export function setColumns(section: Component, count: number): void {
  while (nbColumns(section) < count)
    section.append(shownElement({ tagName: 'mj-column', attributes: {}, components: [] }) as never);
  while (nbColumns(section) > count) {
    const [last, before] = childrenOf(section).slice(-2).reverse() as [Component, Component];
    for (const block of [...childrenOf(last)]) block.move(before, { at: childrenOf(before).length });
    last.remove();
  }
}
