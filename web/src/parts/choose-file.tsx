import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useRef } from 'react';

interface ChooseFileProps extends ButtonProps {
  /** Types that the browser offers, as of `accept`. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  readonly take: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** A button that lets the user choose files; the same file can be chosen again. */
export function ChooseFile({ accept, isMultiple = false, take, children, ...button }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={isMultiple}
        accept={accept}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // A browser reports no change when the same file is chosen again.
          currentTarget.value = '';
          if (files.length > 0) take(files);
        }}
      />
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}
