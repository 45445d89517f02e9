import { useReaderText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { ApiError, namedIn } from './api-error.ts';

/** Rules that are said in the reader's language, by how the service writes them; a number is what the rule names. */
const rules = [
  ['required', /^(?:is required|must have at least 1 (?:character|item))/],
  ['tooLong', /^must have at most (\d+) characters?/],
  ['tooShort', /^must have at least (\d+) characters?/],
  ['tooSmall', /^must be at least (-?\d+)$/],
  ['tooLarge', /^must be at most (-?\d+)$/],
  ['integer', /^must be an integer/],
  ['email', /^(?:must be|is not) an email address/],
  ['exists', /\balready (?:exists|has|in use|used)\b/],
] as const;

/**
 * Says an error of a call by the property that the service names in it; undefined if it names none.
 * `unique` is the property that no two records have alike, for errors that name the other record instead.
 */
export function useFieldFault(): (
  error: unknown,
  unique?: string,
) => Readonly<Record<string, string>> | undefined {
  const { words, format } = useWords();
  const { rules: say, quoted } = words.errors;
  const translate = useReaderText();
  return (error, unique) => {
    const named = namedIn(error);
    if (!named) {
      const isTaken = error instanceof ApiError && error.status === 409 && /\balready\b/.test(error.message);
      return unique !== undefined && isTaken ? { [unique]: say.exists('') } : undefined;
    }
    for (const [rule, pattern] of rules) {
      const match = pattern.exec(named.rule);
      if (match) return { [named.property]: say[rule](match[1] ? format.count(Number(match[1])) : '') };
    }
    const own = translate(named.rule);
    const said = own === undefined ? `${say.unknown} ${quoted(named.rule)}` : say.invalid(own);
    return { [named.property]: said };
  };
}
