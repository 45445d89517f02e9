import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { BlockFields } from './block-fields.tsx';
import { selectedBlock } from './blocks-acts.ts';
import { type BlocksCanvas, openCanvas } from './blocks-canvas.ts';
import { BlocksBar, BlocksList } from './blocks-list.tsx';
import { useBlocksWords } from './blocks-words.ts';
import type { Layout } from './duplicate.ts';
import type { KnownTag } from './known-tags.ts';
import { readMjml, writeMjml } from './mjml-text.ts';
import { TagCompletion } from './tag-completion.tsx';
import type { UnknownTags } from './unknown-tags.ts';
import './blocks.css';

export interface BlocksEditorProps {
  /** MJML that `readMjml` reads. */
  readonly mjml: string;
  readonly tags: readonly KnownTag[];
  readonly unknownTags: UnknownTags;
  readonly onChange: (layout: Layout) => void;
}

/** How long after a change the message is made from the blocks. */
const quietMs = 150;

/** The message as blocks: a canvas that shows and selects them, and beside it all that changes them. */
export function BlocksEditor(props: BlocksEditorProps) {
  const texts = useBlocksWords();
  const { mjml } = props;
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const title = useRef(texts.canvas);
  const [canvas, setCanvas] = useState<BlocksCanvas>();
  const [, setCount] = useState(0);
  const touch = () => setCount((count) => count + 1);
  /** The MJML that the parent knows, and how the canvas writes it. */
  const known = useRef({ mjml: '', written: '' });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const emit = (from: BlocksCanvas) => {
    clearTimeout(timer.current);
    const written = writeMjml(from.read());
    if (written === known.current.written) return;
    known.current = { mjml: written, written };
    latest.current.onChange({ mjml: written, htmlContent: from.html(written) });
  };
  const emitter = useRef(emit);
  emitter.current = emit;

  useEffect(() => {
    const made = openCanvas(parent.current!, title.current);
    const { editor } = made;
    const onUpdate = () => {
      setCount((count) => count + 1);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => emitter.current(made), quietMs);
    };
    editor.on('load', () => setCanvas(made));
    editor.on('update', onUpdate);
    editor.on('component:selected component:deselected', () => setCount((count) => count + 1));
    editor.on('canvas:frame:load', ({ el }: { el: HTMLIFrameElement }) =>
      el.contentDocument?.addEventListener('keydown', passOn),
    );
    return () => {
      emitter.current(made);
      clearTimeout(timer.current);
      made.destroy();
    };
  }, []);
  // What another person saved, or what was discarded.
  useLayoutEffect(() => {
    if (!canvas || known.current.mjml === mjml) return;
    const text = readMjml(mjml);
    if (!text) return;
    canvas.load(text);
    known.current = { mjml, written: writeMjml(canvas.read()) };
    setCount((count) => count + 1);
  }, [canvas, mjml]);

  const selected = canvas && selectedBlock(canvas.editor);
  return (
    <div className="blocks">
      {canvas && <BlocksBar editor={canvas.editor} changed={touch} />}
      <div ref={parent} className="blocks-canvas" />
      {canvas && (
        <div className="blocks-panel">
          <BlocksList editor={canvas.editor} unknownTags={props.unknownTags} changed={touch} />
          {selected ? (
            <TagCompletion key={selected.getId()} tags={props.tags}>
              <BlockFields block={selected} unknownTags={props.unknownTags} changed={touch} />
            </TagCompletion>
          ) : (
            <p className="small text-2">{texts.choose}</p>
          )}
        </div>
      )}
    </div>
  );
}

/** Gives a key that was pressed in the canvas to the console's shortcuts. */
function passOn(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (!ctrlKey && !metaKey && !altKey) return;
  const init = { key, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true };
  if (!document.body.dispatchEvent(new KeyboardEvent('keydown', init))) event.preventDefault();
}
