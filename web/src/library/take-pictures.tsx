import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { ChooseFile } from '../parts/choose-file.tsx';
import { acceptedTypes } from './upload.ts';
import { useLibraryWords } from './words.ts';

type Take = (files: readonly File[]) => void;

/** Chooses picture files of the user's computer. */
export function UploadButton({ take }: { readonly take: Take }) {
  const texts = useLibraryWords().pictures;
  return (
    <ChooseFile
      isMultiple
      accept={acceptedTypes}
      take={take}
      variant="filled"
      leftSection={<IconUpload size={16} aria-hidden />}
    >
      {texts.upload}
    </ChooseFile>
  );
}

/** Takes files that are dropped anywhere on the pictures. */
export function DropZone({ isOpen, take, children }: DropZoneProps) {
  const texts = useLibraryWords().pictures;
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent, value: boolean) => {
    if (!isOpen || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(value);
  };
  return (
    <section
      className="stack tight drop-zone"
      aria-label={texts.title}
      data-over={isOver || undefined}
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false);
        if (isOpen) take([...event.dataTransfer.files]);
      }}
    >
      {isOpen && <p className="small text-3 wide-only">{texts.dropHere}</p>}
      {children}
    </section>
  );
}
interface DropZoneProps {
  readonly isOpen: boolean;
  readonly take: Take;
  readonly children: ReactNode;
}
