import { useWords } from '../words/words.tsx';

/** Returns a function that says a number of people; a dash stands for one that is not known yet. */
export function usePeopleText(): (count: number | undefined) => string {
  const { words, format } = useWords();
  return (count) =>
    words.campaigns.people(count === undefined ? '–' : format.count(count), format.isOne(count));
}
