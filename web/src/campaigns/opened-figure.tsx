import { type ReactNode, useState } from 'react';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { useWords } from '../words/words.tsx';
import type { PeopleFigure } from './people-figure.ts';

const People = lazyPart(async () => (await import('./people.tsx')).People);

interface OpenedFigureProps {
  readonly figure: PeopleFigure;
  /** What is shown instead of the number. */
  readonly children?: ReactNode;
}

/** A number that opens its people in a drawer; nobody is behind 0. */
export function OpenedFigure({ figure, children }: OpenedFigureProps) {
  const { format } = useWords();
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const shown = children ?? format.count(figure.count);
  if (figure.count === 0) return <>{shown}</>;
  const open = () => {
    setWasOpen(true);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="fig" aria-label={figure.title} title={figure.title} onClick={open}>
        {shown}
      </button>
      {wasOpen && (
        <Opened close={close} isOpen={isOpen}>
          <People figure={isOpen ? figure : undefined} close={close} />
        </Opened>
      )}
    </>
  );
}
