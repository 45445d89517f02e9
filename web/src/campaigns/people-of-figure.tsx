import { useWords } from '../words/words.tsx';
import { People } from './people.tsx';
import type { CountedFigure } from './people-figure.ts';
import { useReportWords } from './report-words.ts';

interface PeopleOfFigureProps {
  readonly figure: CountedFigure | undefined;
  readonly close: () => void;
}

/** The people behind a figure, under its number. */
export function PeopleOfFigure({ figure, close }: PeopleOfFigureProps) {
  const { words, format } = useWords();
  const report = useReportWords();
  const titled = figure && {
    ...figure,
    title: report.people[figure.source](
      words.campaigns.people(format.count(figure.count), figure.count === 1),
    ),
  };
  return <People figure={titled} close={close} />;
}
