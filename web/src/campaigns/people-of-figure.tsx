import { useWords } from '../words/words.tsx';
import type { JobFigure } from './campaign-figures.tsx';
import { People } from './people.tsx';
import { useReportWords } from './report-words.ts';

interface PeopleOfFigureProps {
  readonly figure: JobFigure | undefined;
  readonly close: () => void;
}

/** The people behind a figure of the list of campaigns. */
export function PeopleOfFigure({ figure, close }: PeopleOfFigureProps) {
  const { words, format } = useWords();
  const report = useReportWords();
  const titled = figure && {
    ...{ source: figure.source, ids: figure.ids },
    title: report.people[figure.source](
      words.campaigns.people(format.count(figure.count), figure.count === 1),
    ),
  };
  return <People figure={titled} close={close} />;
}
