import { useWords } from '../words/words.tsx';
import { ApiError, ConsoleUpdated, NoConnection } from './api-error.ts';

/** Says an error of a call in the reader's language; in English with the service's own words. */
export function useRefusal(): (error: unknown) => string {
  const { words, language } = useWords();
  return (error) => {
    if (error instanceof NoConnection || error instanceof ConsoleUpdated)
      return words.errors.byCode[error.code]!;
    if (!(error instanceof ApiError)) return words.errors.unknown;
    const general = words.errors.byCode[error.code] ?? words.errors.unknown;
    if (error.message === '' || error.code === 'internal') return general;
    return language === 'en' ? error.message : `${general} (${error.message})`;
  };
}
