import { sentence, useReaderText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { ApiError, ConsoleUpdated, NoConnection, namedIn } from './api-error.ts';

/** Codes whose own words say more to a reader than the message. */
const saidByCode: ReadonlySet<string> = new Set(['internal', 'duplicate_email', 'duplicate_client']);

/** Says an error of a call in the reader's language; words that are not known in it are quoted. */
export function useRefusal(): (error: unknown) => string {
  const { words, language } = useWords();
  const translate = useReaderText();
  return (error) => {
    if (error instanceof NoConnection || error instanceof ConsoleUpdated)
      return words.errors.byCode[error.code]!;
    if (!(error instanceof ApiError)) return words.errors.unknown;
    const general = words.errors.byCode[error.code] ?? words.errors.unknown;
    if (error.code === 'internal' && error.requestId !== '')
      return `${general} ${words.errors.request(error.requestId)}`;
    if (error.message === '' || saidByCode.has(error.code)) return general;
    const own = translate(error.message);
    if (own === undefined) return `${general} ${words.errors.quoted(error.message)}`;
    if (language === 'en') return own;
    const named = namedIn(error);
    return named ? `${general} (${named.property}\u00a0: ${own})` : sentence(own);
  };
}

/** Says the rule of a refusal that names a property, where the screen marks that property. */
export function useRuleText(): (rule: string) => string {
  const { words, language } = useWords();
  const translate = useReaderText();
  return (rule) => {
    const own = translate(rule);
    if (own === undefined) return words.errors.quoted(rule);
    return language === 'en' ? own : sentence(own);
  };
}
