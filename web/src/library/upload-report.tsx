import { Button } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import type { Uploads } from './use-uploads.ts';
import { useLibraryWords } from './words.ts';

/** The progress of uploads, and the files that were refused with their reasons. */
export function UploadReport({ uploads: { total, done, refused, forget } }: { readonly uploads: Uploads }) {
  const { words, format } = useWords();
  const texts = useLibraryWords().pictures;
  const isOver = done === total;
  return (
    <div role="status">
      {total > 0 && (
        <div className={refused.length > 0 ? 'note red' : 'note'}>
          <div className="grow">
            <p>
              {isOver
                ? texts.uploaded(format.count(done - refused.length))
                : texts.uploading(format.count(done + 1), format.count(total))}
            </p>
            {!isOver && (
              <div className="meter thin" style={{ marginTop: 8 }} aria-hidden>
                <i style={{ width: `${(done / total) * 100}%`, background: 'var(--f-ink-fill)' }} />
              </div>
            )}
            {refused.map(({ name, why }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
              <p key={index} className="anywhere">
                <bdi className="strong">{name}</bdi>: {why}
              </p>
            ))}
          </div>
          {isOver && (
            <Button size="xs" onClick={forget}>
              {words.shell.close}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
