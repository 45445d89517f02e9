import { useWords } from '../words/words.tsx';
import { useRunWords } from './report-words.ts';

/** Returns a function that says how many people are found so far while an audience is being frozen. */
export function useFreezing(): (found: number) => string {
  const { words, format } = useWords();
  const run = useRunWords();
  return (found) =>
    found === 0 ? run.freezing : run.freezingSoFar(words.campaigns.people(format.count(found), found === 1));
}
