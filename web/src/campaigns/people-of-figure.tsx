import type { JobFigure } from './campaign-figures.tsx';
import { People } from './people.tsx';
import { useFigureTitle } from './use-people-figure.ts';

interface PeopleOfFigureProps {
  readonly figure: JobFigure | undefined;
  readonly close: () => void;
}

/** The people behind a figure of the list of campaigns. */
export function PeopleOfFigure({ figure, close }: PeopleOfFigureProps) {
  const titleOf = useFigureTitle();
  const titled = figure && { ...figure, title: titleOf(figure.source, figure.count) };
  return <People figure={titled} close={close} />;
}
