import { People } from './people.tsx';
import type { CountedFigure } from './people-figure.ts';
import { useFigureTitle } from './use-people-figure.ts';

interface PeopleOfFigureProps {
  readonly figure: CountedFigure | undefined;
  readonly close: () => void;
}

/** The people behind a figure, under its number. */
export function PeopleOfFigure({ figure, close }: PeopleOfFigureProps) {
  const titleOf = useFigureTitle();
  const titled = figure && { ...figure, title: titleOf(figure.source, figure.count) };
  return <People figure={titled} close={close} />;
}
