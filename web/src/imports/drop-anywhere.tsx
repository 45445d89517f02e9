import { useState } from 'react';
import { Confirm } from '../parts/dialogs.tsx';
import { useWords } from '../words/words.tsx';
import { useDrop, useTakeFile } from './take-file.tsx';
import { Uploading } from './uploading.tsx';
import './imports.css';

interface DropAnywhereProps {
  /** The file that is being prepared. */
  readonly prepared?: string;
  /** Whether something was chosen for it. */
  readonly hasChoices?: () => boolean;
}

/** Takes a file that is dropped anywhere on the screen; asks first where choices were made for another. */
export function DropAnywhere({ prepared = '', hasChoices }: DropAnywhereProps) {
  const { words } = useWords();
  const texts = words.imports;
  const { take, uploading, error } = useTakeFile();
  const [asked, setAsked] = useState<File>();
  const isOver = useDrop(async (file) => {
    if (file && hasChoices?.()) setAsked(file);
    else await take(file);
  });
  return (
    <>
      {uploading && (
        <div className="drop-anywhere">
          <Uploading upload={uploading} />
        </div>
      )}
      {isOver && !uploading && (
        <p className="drop-anywhere" role="status">
          <bdi>{texts.drop}</bdi>
        </p>
      )}
      {error !== '' && (
        <p className="note red" role="alert">
          {error}
        </p>
      )}
      {asked && (
        <Confirm
          title={texts.replaceTitle(asked.name)}
          text={texts.replaceText(prepared)}
          action={texts.replace}
          close={() => setAsked(undefined)}
          // The upload is shown, and can be cancelled, once the question is closed.
          confirm={async () => void take(asked)}
        />
      )}
    </>
  );
}
