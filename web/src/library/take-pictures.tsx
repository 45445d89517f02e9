import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { acceptedTypes } from './upload.ts';
import { useLibraryWords } from './words.ts';

type Take = (files: readonly File[]) => void;

/** Chooses picture files of the user's computer. */
export function UploadButton({ take }: { readonly take: Take }) {
  const texts = useLibraryWords().pictures;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={acceptedTypes}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])]);
          // So that the same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
      <Button
        variant="filled"
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {texts.upload}
      </Button>
    </>
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
