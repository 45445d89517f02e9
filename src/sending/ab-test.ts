import { type AbTestType, testedWords } from '../campaigns/ab-test.ts';
import type { FrozenJob, FrozenSent } from './frozen-job.ts';

/** The winner is chosen so long after everybody in the variants was attempted once, in milliseconds. */
export const winnerAfterMs = 4 * 3_600_000;
/** Messages that each variant must have delivered for its figure to say anything. */
const leastDelivered = 50;

/** What came of one variant: human openers (human clickers in a test of contents) and delivered messages. */
export interface VariantResult {
  readonly idSent: number;
  readonly readers: number;
  readonly delivered: number;
}

/** The variant that the remainder follows, and why it is that one. */
export interface Choice {
  readonly idSent: number;
  readonly reason: 'best' | 'tie' | 'tooFew';
}

/**
 * Chooses among the variants, which are in the order of their positions: most readers per delivered message. When
 * several have the most, or any has delivered too few to be compared, nothing was found out, and the first one is it.
 */
export function chooseWinner(results: readonly VariantResult[]): Choice {
  const [first] = results;
  if (!first) throw new Error('An A/B test without variants');
  if (results.some(({ delivered }) => delivered < leastDelivered))
    return { idSent: first.idSent, reason: 'tooFew' };
  // Compared crosswise, in whole numbers: rates that are equal must not differ by a rounding.
  const beats = (a: VariantResult, b: VariantResult) => a.readers * b.delivered > b.readers * a.delivered;
  const best = results.filter((one) => !results.some((other) => beats(other, one)));
  return best.length === 1
    ? { idSent: best[0]!.idSent, reason: 'best' }
    : { idSent: first.idSent, reason: 'tie' };
}

/** What the remainder takes from the winner; all else stays its own. */
export function takeFromWinner(type: AbTestType, remainder: FrozenSent, winner: FrozenSent): FrozenSent {
  switch (type) {
    case 'Subject':
      return { ...remainder, subject: winner.subject };
    case 'Sender':
      return { ...remainder, senderAlias: winner.senderAlias };
    case 'Content': {
      const { content: _own, ...rest } = remainder;
      return { ...rest, ...(winner.content && { content: winner.content }) };
    }
  }
}

/** The job with messages for its remainder: dated by the choice, for that is when they are first sent. */
export function withRemainder(frozen: FrozenJob, type: AbTestType, idWinner: number, at: Date): FrozenJob {
  const { remainder, ...rest } = frozen;
  const winner = frozen.sents.find(({ conf }) => conf.idSent === idWinner);
  if (!remainder || !winner)
    throw new Error(`The frozen job has no remainder, or no sending with idSent ${idWinner}`);
  const taken = takeFromWinner(type, remainder, winner);
  const sent = { ...taken, conf: { ...taken.conf, date: at.toISOString() } };
  return { ...rest, sents: [...frozen.sents, sent] };
}

/** A job's A/B test as it stands, for one of its sendings. */
export interface AbTestRecord {
  readonly type: AbTestType;
  readonly idRemainder: number;
  /** ISO 8601: when the winner is chosen; null until everybody in the variants was attempted. */
  readonly dueAt: string | null;
  /** Null until it is chosen. */
  readonly results: readonly VariantResult[] | null;
  /** Position of the winner's segment; null until it is chosen. */
  readonly winnerPosition: number | null;
  /** Nothing can happen to the job any more. */
  readonly isOver: boolean;
}

/** What a reader of the sendings is told of a test, in words. */
export function abTestText(test: AbTestRecord, idSent: number): string {
  const { results, type } = test;
  if (results) {
    const choice = chooseWinner(results);
    if (idSent === test.idRemainder)
      return `A/B test: got the ${testedWords[type]} of segment ${test.winnerPosition}${reasons[choice.reason]}`;
    const { readers, delivered } = results.find((one) => one.idSent === idSent)!;
    const figure = `${readers} human ${type === 'Content' ? 'clickers' : 'openers'} of ${delivered} delivered`;
    return `A/B test: ${figure} when it was decided${choice.idSent === idSent ? '; the winner' : ''}`;
  }
  if (idSent !== test.idRemainder) return 'A/B test: a variant';
  if (test.isOver) return 'A/B test: no winner was chosen';
  const when =
    (test.dueAt && `chosen at ${new Date(test.dueAt).toISOString()}`) ??
    `chosen ${winnerAfterMs / 3_600_000} hours after everybody was tried`;
  return `A/B test: waits for the winner (${when})`;
}

const reasons: Readonly<Record<Choice['reason'], string>> = {
  best: ', which won',
  tie: ': several variants have the most',
  tooFew: `: a variant has fewer than ${leastDelivered} delivered`,
};
