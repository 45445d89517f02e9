import type { Language } from '../../fields/period.ts';
import { Bool, Maybe, OneOf } from '../../platform/http/schema.ts';
import { type GivenTimes, timesInWords, timesOf } from './times.ts';

export type Action = 'Click' | 'Open';
export type Combination = 'Union' | 'Intersection';

/** Properties that two kinds of filter share. */
export const actMembers = {
  didAnAction: Maybe(Bool('false selects exactly the subscribers that true does not. Default: true')),
  action: Maybe(
    OneOf(
      ['Click', 'Open'] as const,
      'A reader who clicks and fetches no pixel has opened once, at the first click',
    ),
  ),
  filterMpp: Maybe(Bool('Excludes opens by mail privacy protection; all clicks count')),
};

export const combination = (description: string) =>
  Maybe(OneOf(['Union', 'Intersection'] as const, `${description}; Default: Union`));

/** The sets over each of which a condition must hold: everything together, or each thing alone. */
export function groupsOf<T>(
  things: readonly (readonly T[])[],
  mode: Combination | null | undefined,
): (readonly T[])[] {
  return mode === 'Intersection' ? [...things] : [things.flat()];
}

interface ActsInWords extends GivenTimes {
  readonly didAnAction?: boolean | null;
  readonly action?: Action | null;
  readonly filterMpp?: boolean | null;
}

/** Where something was done, in words. */
export interface PlaceInWords {
  /** After “opened” or “clicked”, with how often. */
  often(times: string): string;
  /** The whole sentence if it was never done there. */
  readonly never: string;
}

const actWords = {
  fr: {
    did: { Open: 'a ouvert', Click: 'a cliqué' },
    didNot: { Open: 'n’a pas ouvert', Click: 'n’a pas cliqué' },
    withoutMpp: ', sans compter les ouvertures automatiques de la protection de la confidentialité',
  },
  en: {
    did: { Open: 'opened', Click: 'clicked' },
    didNot: { Open: 'did not open', Click: 'did not click' },
    withoutMpp: ', not counting automatic opens by mail privacy protection',
  },
} as const;

/** `opened at least 3 times` and where, or that it was never done there. */
export function actsInWords(acts: ActsInWords, place: PlaceInWords, language: Language): string {
  const sentence = sentenceOf(acts, place, language);
  return acts.filterMpp && acts.action === 'Open' ? sentence + actWords[language].withoutMpp : sentence;
}

function sentenceOf(acts: ActsInWords, { often, never }: PlaceInWords, language: Language): string {
  const { min, max } = timesOf(acts);
  const [isAtAll, isNever] = [min === 1 && max === null, max === 0];
  const isDone = acts.didAnAction !== false;
  if (isDone ? isNever : isAtAll) return never;
  const words = actWords[language];
  const action = acts.action ?? 'Open';
  // Not “never” is at least once.
  const times = timesInWords(isDone || !isNever ? acts : {}, language);
  return `${words[isDone || isNever ? 'did' : 'didNot'][action]} ${often(`<b>${times}</b>`)}`;
}
