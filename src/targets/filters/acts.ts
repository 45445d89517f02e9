import { Bool, Maybe, OneOf } from '../../platform/http/schema.ts';
import { frenchTimes, type GivenTimes, timesOf } from './times.ts';

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

/** French words for where something was done: after “a ouvert au moins 3 fois”, and after “n’a” if it never was. */
export interface FrenchPlace {
  readonly often: string;
  readonly never: string;
}

/** `a ouvert au moins 3 fois` and where, or `n’a` and where it did not. */
export function frenchActs(acts: ActsInWords, { often, never }: FrenchPlace): string {
  const sentence = frenchSentence(acts, { often, never });
  if (!acts.filterMpp || acts.action !== 'Open') return sentence;
  return `${sentence}, sans compter les ouvertures automatiques de la protection de la confidentialité`;
}

function frenchSentence(acts: ActsInWords, { often, never }: FrenchPlace): string {
  const { min, max } = timesOf(acts);
  const [isAtAll, isNever] = [min === 1 && max === null, max === 0];
  const did = acts.didAnAction !== false;
  if (did ? isNever : isAtAll) return `n’a ${never}`;
  const verb = acts.action === 'Click' ? 'cliqué' : 'ouvert';
  if (did || isNever) return `a ${verb} <b>${did ? frenchTimes(acts) : 'au moins une fois'}</b> ${often}`;
  return `n’a pas ${verb} <b>${frenchTimes(acts)}</b> ${often}`;
}
