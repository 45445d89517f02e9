import { type ReactNode, useState } from 'react';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { useWords } from '../words/words.tsx';
import type { PeopleFigure } from './people-figure.ts';

const People = lazyPart(async () => (await import('./people.tsx')).People);

interface OpenedFigureProps {
  /** Undefined while it is not known. */
  readonly figure: PeopleFigure | undefined;
  /** What is shown instead of the number. */
  readonly children?: ReactNode;
}

/** A number that opens its people in a drawer; nobody is behind 0, and an en dash stands for one that is not known. */
export function OpenedFigure({ figure, children }: OpenedFigureProps) {
  const { format } = useWords();
  const [isOpen, setOpen] = useState(false);
  /** The figure as it was opened: its number may change below the drawer, also to none. */
  const [opened, setOpened] = useState<PeopleFigure>();
  const shown = figure ? (children ?? format.count(figure.count)) : '–';
  const open = () => {
    setOpened(figure);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <>
      {figure && figure.count !== 0 ? (
        <button type="button" className="fig" aria-label={figure.title} title={figure.title} onClick={open}>
          {shown}
        </button>
      ) : (
        shown
      )}
      {opened && (
        <Opened close={close} isOpen={isOpen}>
          <People figure={isOpen ? opened : undefined} close={close} />
        </Opened>
      )}
    </>
  );
}
