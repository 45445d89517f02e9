import { Button } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import './uploading.css';

/** An upload that is under way. */
export interface Upload {
  readonly name: string;
  /** Bytes that have been sent, of how many. */
  readonly sent: number;
  readonly size: number;
  readonly cancel: () => void;
}

const megabyte = 2 ** 20;

/** The file that is being uploaded: its name, how much of it has been sent, and a way to cancel. */
export function Uploading({ upload: { name, sent, size, cancel } }: { readonly upload: Upload }) {
  const { words, language } = useWords();
  const texts = words.imports;
  const percent = Math.floor((sent / Math.max(1, size)) * 100);
  const isLarge = size >= megabyte;
  const inUnit = (bytes: number) =>
    (bytes / (isLarge ? megabyte : 1024)).toLocaleString(language, {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    });
  return (
    <div className="uploading">
      <p className="small" role="status">
        <bdi>{texts.uploading(name)}</bdi>
      </p>
      <div
        className="meter thin"
        role="progressbar"
        aria-label={texts.uploading(name)}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${percent}%`, background: 'var(--f-ink-fill)' }} />
      </div>
      <div className="row">
        <span className="label text-2 grow">{texts.sent(inUnit(sent), inUnit(size), isLarge)}</span>
        <Button size="xs" onClick={cancel}>
          {texts.cancelUpload}
        </Button>
      </div>
    </div>
  );
}
