import { useRunWords } from './report-words.ts';
import { usePeopleText } from './use-people-text.ts';

/** Returns a function that says how many people are found so far while an audience is being frozen. */
export function useFreezing(): (found: number) => string {
  const run = useRunWords();
  const people = usePeopleText();
  return (found) => (found === 0 ? run.freezing : run.freezingSoFar(people(found)));
}
