import { type ComponentType, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useWords } from '../words/words.tsx';
import type { SourceEditorProps } from './source-editor.tsx';
import { changedPart, likeSource, replaceParts, shownText } from './source-text.ts';

type SourceFieldProps = Omit<SourceEditorProps, 'start'>;

/** The plain field stays where the editor cannot be loaded. */
const keepsField = () => undefined;

/** The HTML as text: a plain field until the editor has loaded, which goes on where the user was. */
export function SourceField(props: SourceFieldProps) {
  const { words } = useWords();
  const { text, isReadOnly, onChange } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let isCurrent = true;
    void import('./source-editor.tsx').then(({ SourceEditor }) => {
      if (!isCurrent) return;
      const area = field.current;
      const hasFocus = area !== null && document.activeElement === area;
      // At once: the selection is that of now.
      flushSync(() =>
        setLoaded({ SourceEditor, ...(hasFocus && { start: [area.selectionStart, area.selectionEnd] }) }),
      );
    }, keepsField);
    return () => {
      isCurrent = false;
    };
  }, []);
  if (loaded) return <loaded.SourceEditor {...props} start={loaded.start} />;
  return (
    <>
      <label className="hidden" htmlFor={id}>
        {words.composer.html}
      </label>
      <textarea
        ref={field}
        id={id}
        className="mono"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        readOnly={isReadOnly}
        value={shownText(text)}
        onPaste={(event) => {
          const { selectionStart: from, selectionEnd: to } = event.currentTarget;
          event.preventDefault();
          onChange(replaceParts(text, [{ from, to, insert: event.clipboardData.getData('text/plain') }]));
        }}
        onChange={(event) => {
          const part = changedPart(shownText(text), event.currentTarget.value);
          onChange(replaceParts(text, [{ ...part, insert: likeSource(part.insert, text) }]));
        }}
      />
    </>
  );
}

interface Loaded {
  readonly SourceEditor: ComponentType<SourceEditorProps>;
  readonly start?: readonly [number, number];
}
