import type { components } from '../api/schema.d.ts';
import { type Field, fieldName } from '../subscribers/fields.ts';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';

export type Finding = components['schemas']['Finding'];

export interface WordedFinding {
  readonly title: string;
  /** Advice on what to do, with the line. */
  readonly detail: string;
  /** Advice without the line, which the editor shows below that line. */
  readonly message: string;
  /** The language, if it is not the reader's. */
  readonly lang: 'en' | undefined;
}

/** A target that a sending would refuse. */
export interface BrokenTarget {
  readonly idTarget: number;
  /** Why, in words; undefined if the target was deleted. */
  readonly reason: string | undefined;
}

/** The target that a finding is about, if it no longer works. */
export function brokenTargetOf({ code, about, text }: Finding): BrokenTarget | undefined {
  if (code !== 'broken_target' || about === null) return undefined;
  // Only a target that exists has a name.
  const reason = /^\d+$/.test(about) ? undefined : text.slice(`the target ${about}: `.length);
  return { idTarget: Number.parseInt(about, 10), reason };
}

/** The code of a finding; a condition that is not written as one is no unknown tag to its author. */
function codeOf({ code, about, text }: Finding): string {
  const isCondition = /^\[\[\s*IF\b/i.test(about ?? '');
  const isWritten = code === 'damaged_content' && !/ at most | more than /.test(text);
  return isCondition && (code === 'unknown_tag' || isWritten) ? 'wrong_condition' : code;
}

/** Puts findings of the service in the reader's words; one that is unknown here is translated by its text, or quoted. */
export function useFindingWords(fields: readonly Field[]): (finding: Finding) => WordedFinding {
  const { words, format } = useWords();
  const texts = words.campaignParts;
  const say = useServiceText();
  const adviceWith = (advice: string, broken: BrokenTarget | undefined) =>
    broken ? texts.audience.broken(advice, broken.reason && say(broken.reason).text) : advice;
  return (finding) => {
    const { text, about, part, line } = finding;
    const code = codeOf(finding);
    const worded = texts.findings[code]?.(about ?? '');
    if (!worded) {
      const own = say(text);
      return { title: own.text, detail: '', message: own.text, lang: own.lang };
    }
    const [title, advice] = worded;
    const plain = adviceWith(advice, brokenTargetOf(finding));
    const near = code === 'unknown_field' ? nearestField(about ?? '', fields) : undefined;
    const hint = near && texts.didYouMean(`FLD.${near.id} (${fieldName(words, near)})`);
    const message = hint ? `${plain} ${hint}` : plain;
    if (part === null || line === null) return { title, detail: message, message, lang: undefined };
    const placed = texts.line(format.count(line), message);
    const source = texts.sources[part] ?? (part === 'htmlContent' ? undefined : texts.configurationSource);
    return { title, detail: source ? `${source}. ${placed}` : placed, message, lang: undefined };
  };
}

/** The field whose number differs in one digit only, and by the least. */
function nearestField(tag: string, fields: readonly Field[]): Field | undefined {
  const written = /FLD\.(\d+)/i.exec(tag)?.[1];
  if (written === undefined) return undefined;
  const near = fields.filter(({ id }) => isOneDigitOff(written, String(id)));
  return near.toSorted((a, b) => Math.abs(a.id - Number(written)) - Math.abs(b.id - Number(written)))[0];
}

function isOneDigitOff(one: string, other: string): boolean {
  if (one.length === other.length) return [...one].filter((digit, at) => digit !== other[at]).length === 1;
  const [longer, shorter] = one.length > other.length ? [one, other] : [other, one];
  if (longer.length !== shorter.length + 1) return false;
  return [...longer].some((_, at) => longer.slice(0, at) + longer.slice(at + 1) === shorter);
}
