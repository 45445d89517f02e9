import { type AbTestType, testedWords } from '../campaigns/ab-test.ts';
import {
  Closed,
  Count,
  Instant,
  Int32,
  inOrder,
  Nullable,
  OneOf,
  type Static,
  Type,
} from '../platform/http/schema.ts';
import type { FrozenJob, FrozenSent } from './frozen-job.ts';

/** Milliseconds between the first attempt of the last recipient of the variants and the choice of the winner. */
export const winnerAfterMs = 4 * 3_600_000;
/** Messages that each variant must have delivered before the variants are compared. */
const leastDelivered = 50;

const choiceReasons = ['best', 'tie', 'tooFew'] as const;

/** The result of one variant: delivered messages and human openers, or human clickers in a test of contents. */
export interface VariantResult {
  readonly idSent: number;
  readonly readers: number;
  readonly delivered: number;
}

/** The variant whose message the remainder gets, and the reason. */
export interface Choice {
  readonly idSent: number;
  readonly reason: (typeof choiceReasons)[number];
}

/**
 * Chooses among the variants, which are in order of position: the one with most readers per delivered message. If
 * several have the most, or any variant has delivered too few, the test has found nothing, and the first variant is
 * chosen.
 */
export function chooseWinner(results: readonly VariantResult[]): Choice {
  const [first] = results;
  if (!first) throw new Error('An A/B test without variants');
  if (results.some(({ delivered }) => delivered < leastDelivered))
    return { idSent: first.idSent, reason: 'tooFew' };
  // Cross-multiplied in whole numbers, so that rounding cannot separate equal rates.
  const beats = (a: VariantResult, b: VariantResult) => a.readers * b.delivered > b.readers * a.delivered;
  const best = results.filter((one) => !results.some((other) => beats(other, one)));
  return best.length === 1
    ? { idSent: best[0]!.idSent, reason: 'best' }
    : { idSent: first.idSent, reason: 'tie' };
}

/** The remainder with the tested part of the winner's message; everything else stays its own. */
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

/** The job with the remainder among its sendings, dated by the choice: its messages are first sent then. */
export function withRemainder(frozen: FrozenJob, type: AbTestType, idWinner: number, at: Date): FrozenJob {
  const { remainder, ...rest } = frozen;
  const winner = frozen.sents.find(({ conf }) => conf.idSent === idWinner);
  if (!remainder || !winner)
    throw new Error(`The frozen job has no remainder, or no sending with idSent ${idWinner}`);
  const taken = takeFromWinner(type, remainder, winner);
  const sent = { ...taken, conf: { ...taken.conf, date: at.toISOString() } };
  return { ...rest, sents: [...frozen.sents, sent] };
}

/** The progress of a job's A/B test, for one of its sendings. */
export interface AbTestRecord {
  readonly type: AbTestType;
  readonly idRemainder: number;
  /** ISO 8601. Null until every recipient of the variants was attempted. */
  readonly dueAt: string | null;
  /** Null until the winner is chosen. */
  readonly results: readonly VariantResult[] | null;
  /** Position of the winner's segment; null until it is chosen. */
  readonly winnerPosition: number | null;
  /** Whether the job has ended. */
  readonly isOver: boolean;
}

/** The test's progress in words, for a caller that lists the sendings. */
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

const Variant = Closed('AbTestVariant', {
  idSent: Int32('Its sending'),
  name: Type.String({ description: 'The name that its segment had then' }),
  tested: Type.String({ description: 'Its subject or sender name; empty in a test of contents' }),
  readers: Nullable(
    Count('Human openers when the winner was chosen, in a test of contents human clickers; null before'),
  ),
  delivered: Nullable(Count('Delivered messages when the winner was chosen; null before')),
});

/** The A/B test of a job, as the API returns it. */
export const AbTest = Closed('AbTest', {
  idJob: Int32('The job that sends it'),
  type: OneOf(['Subject', 'Sender', 'Content'], 'What the variants differ in'),
  idRemainder: Int32("The sending that gets the winner's message"),
  dueAt: Nullable(
    Instant('When the winner is chosen; null until every recipient of the variants was attempted'),
  ),
  decidedAt: Nullable(Instant('When the winner was chosen; null before')),
  idWinner: Nullable(Int32('The sending of the winner; null before')),
  reason: Nullable(
    OneOf(
      choiceReasons,
      'best: it has the most readers of its delivered messages; tie: several have the most; tooFew: a variant has ' +
        `fewer than ${leastDelivered} delivered. In a tie and with too few, the first variant is chosen. null before`,
    ),
  ),
  variants: Type.Array(Variant, { description: 'In order of position' }),
});
export type AbTest = Static<typeof AbTest>;

/** The A/B test of a job with its variants, from the database. */
export interface StoredAbTest extends Omit<AbTest, 'reason' | 'variants'> {
  readonly results: readonly VariantResult[] | null;
  readonly variants: readonly Pick<AbTest['variants'][number], 'idSent' | 'name' | 'tested'>[];
}

export function showAbTest({ results, variants, ...test }: StoredAbTest): AbTest {
  return inOrder(AbTest, {
    ...test,
    reason: results && chooseWinner(results).reason,
    variants: variants.map(({ idSent, name, tested }) => {
      const { readers = null, delivered = null } = results?.find((one) => one.idSent === idSent) ?? {};
      return { idSent, name, tested, readers, delivered };
    }),
  });
}
