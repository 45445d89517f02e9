import { useState } from 'react';
import { useWords } from '../words/words.tsx';
import type { PeopleFigure, PeopleSource } from './people-figure.ts';
import type { OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';

/** Returns a function that says how many people a figure has, and what they did. */
export function useFigureTitle(): (source: PeopleSource, count: number, reply?: string) => string {
  const { words, format } = useWords();
  const report = useReportWords();
  return (source, count, reply = '') => {
    const people = words.campaigns.people(format.count(count), format.isOne(count));
    return source === 'nbWithReply'
      ? report.repliedTo(people, reply === 'none' ? report.noCode : reply)
      : report.people[source](people);
  };
}

/**
 * The figure whose people are shown, and what shows those of another.
 * @param ids the sendings that figures are counted in, unless one has others
 */
export function usePeopleFigure(ids: readonly number[]) {
  const [figure, setFigure] = useState<PeopleFigure>();
  const titleOf = useFigureTitle();
  const open: OpenPeople = (source, count, { part, ...more } = {}) => {
    const titled = titleOf(source, count, more.reply);
    setFigure({ ids, ...more, source, count, title: part ? `${titled} · ${part}` : titled });
  };
  return { figure, open, close: () => setFigure(undefined) };
}
