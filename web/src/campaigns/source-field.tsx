import { type ClipboardEvent, useId, useState } from 'react';
import { useWords } from '../words/words.tsx';

interface SourceFieldProps {
  readonly html: string;
  readonly isReadOnly: boolean;
  readonly onChange: (html: string) => void;
}

/**
 * The HTML as text. A field of the browser knows line feeds only; the line ends of the source, or of what was pasted
 * over all of it, are put back, so that the message is kept to the byte.
 */
export function SourceField({ html, isReadOnly, onChange }: SourceFieldProps) {
  const { words } = useWords();
  const id = useId();
  const [lineEnd, setLineEnd] = useState(() => (html.includes('\r\n') ? '\r\n' : '\n'));
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    if (selectionEnd - selectionStart < value.length) return;
    const text = event.clipboardData.getData('text/plain');
    event.preventDefault();
    setLineEnd(text.includes('\r\n') ? '\r\n' : '\n');
    onChange(text);
  };
  return (
    <div className="source">
      <div className="source-head">
        <label className="h3" htmlFor={id}>
          {words.composer.html}
        </label>
        <span className="label text-3">{words.composer.byteExact}</span>
      </div>
      <textarea
        id={id}
        className="mono"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        readOnly={isReadOnly}
        value={html}
        onPaste={onPaste}
        onChange={(event) => onChange(event.currentTarget.value.replaceAll('\n', lineEnd))}
      />
    </div>
  );
}
