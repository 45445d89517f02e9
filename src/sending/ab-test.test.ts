import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AbTestRecord, abTestText, chooseWinner, takeFromWinner, withRemainder } from './ab-test.ts';
import type { FrozenJob, FrozenSent } from './frozen-job.ts';

const resultsOf = (...figures: (readonly [number, number])[]) =>
  figures.map(([readers, delivered], index) => ({ idSent: index + 1, readers, delivered }));

describe('the winner', () => {
  it.each<[string, (readonly [number, number])[], number, string]>([
    [
      'most readers of as many',
      [
        [10, 100],
        [20, 100],
      ],
      2,
      'best',
    ],
    [
      'the first, when it is the best',
      [
        [20, 100],
        [10, 100],
        [0, 100],
      ],
      1,
      'best',
    ],
    [
      'the last of many',
      [
        [1, 100],
        [2, 100],
        [3, 100],
        [4, 100],
      ],
      4,
      'best',
    ],
    [
      'the rate, not the number of readers',
      [
        [60, 1_000],
        [10, 100],
      ],
      2,
      'best',
    ],
    [
      'the rate, the other way round',
      [
        [200, 1_000],
        [10, 100],
      ],
      1,
      'best',
    ],
    [
      'a difference of one in a million',
      [
        [499_999, 1_000_000],
        [500_000, 1_000_000],
      ],
      2,
      'best',
    ],
    [
      'a tie of two',
      [
        [10, 100],
        [10, 100],
      ],
      1,
      'tie',
    ],
    [
      'a tie of rates, not of numbers',
      [
        [10, 100],
        [5, 50],
      ],
      1,
      'tie',
    ],
    [
      'equal thirds, which no division gives exactly',
      [
        [100, 300],
        [23, 69],
      ],
      1,
      'tie',
    ],
    [
      'nobody read anything',
      [
        [0, 100],
        [0, 100],
        [0, 100],
      ],
      1,
      'tie',
    ],
    [
      'a tie that the first has no part in',
      [
        [1, 100],
        [10, 100],
        [10, 100],
      ],
      1,
      'tie',
    ],
    [
      'a tie behind the best',
      [
        [5, 100],
        [20, 100],
        [5, 100],
      ],
      2,
      'best',
    ],
    [
      '50 delivered',
      [
        [0, 50],
        [1, 50],
      ],
      2,
      'best',
    ],
    [
      '49 delivered of the better one',
      [
        [0, 50],
        [49, 49],
      ],
      1,
      'tooFew',
    ],
    [
      '49 delivered of the worse one',
      [
        [0, 49],
        [50, 50],
      ],
      1,
      'tooFew',
    ],
    [
      'nothing delivered',
      [
        [0, 0],
        [0, 0],
      ],
      1,
      'tooFew',
    ],
    [
      'nothing delivered to one',
      [
        [0, 0],
        [90, 100],
      ],
      1,
      'tooFew',
    ],
    [
      'more bounces than messages',
      [
        [3, -1],
        [9, 100],
      ],
      1,
      'tooFew',
    ],
  ])('%s', (_what, figures, idSent, reason) => {
    expect(chooseWinner(resultsOf(...figures))).toEqual({ idSent, reason });
  });

  it('is never one that another beats', () => {
    const figure = fc.tuple(fc.nat(200), fc.integer({ min: 50, max: 200 }));
    fc.assert(
      fc.property(fc.array(figure, { minLength: 2, maxLength: 10 }), (figures) => {
        const results = resultsOf(...figures);
        const choice = chooseWinner(results);
        const rates = results.map(({ readers, delivered }) => readers / delivered);
        const best = Math.max(...rates);
        const isNear = rates.filter((rate) => best - rate < 1e-12).length > 1;
        if (isNear) expect(choice).toEqual({ idSent: 1, reason: 'tie' });
        else expect(choice).toEqual({ idSent: rates.indexOf(best) + 1, reason: 'best' });
      }),
    );
  });
});

const conf = (idSent: number) => ({
  idSite: 'demo',
  idCampaign: 7,
  campaignName: 'Spring',
  idJob: 3,
  idSegment: idSent,
  segmentName: `S${idSent}`,
  idSent,
  date: '2026-11-20T10:00:00.000Z',
});
const sentOf = (idSent: number): FrozenSent => ({
  subject: `Subject ${idSent}`,
  senderAlias: `Sender ${idSent}`,
  conf: conf(idSent),
});

describe('what the remainder takes from the winner', () => {
  it('is the subject, or the sender, and nothing else', () => {
    const [own, won] = [sentOf(3), sentOf(2)];
    expect(takeFromWinner('Subject', own, won)).toEqual({ ...own, subject: 'Subject 2' });
    expect(takeFromWinner('Sender', own, won)).toEqual({ ...own, senderAlias: 'Sender 2' });
  });

  it('makes messages of it, dated by the choice', () => {
    const source = { html: '<p>Hello</p>' } as FrozenJob['source'];
    const rest = { source, sendingSpeed: 0, bounceDomain: 'mail.test', publicUrl: 'http://mail.test' };
    const sents = [sentOf(1), sentOf(2)];
    const at = new Date('2026-11-20T14:00:00Z');
    const frozen = withRemainder({ ...rest, sents, remainder: sentOf(3) }, 'Subject', 2, at);
    const made = { ...sentOf(3), subject: 'Subject 2', conf: { ...conf(3), date: at.toISOString() } };
    expect(frozen).toEqual({ ...rest, sents: [...sents, made] });
    // Once only: a job has no second remainder.
    expect(() => withRemainder(frozen, 'Subject', 1, at)).toThrow('no remainder');
  });
});

describe('the text about a test', () => {
  const waiting: AbTestRecord = {
    type: 'Subject',
    idRemainder: 3,
    dueAt: null,
    results: null,
    winnerPosition: null,
    isOver: false,
  };
  const decided = { ...waiting, results: resultsOf([10, 100], [20, 100]), winnerPosition: 4 };
  const few = { ...waiting, results: resultsOf([1, 2], [0, 3]), winnerPosition: 1 };
  it.each<[string, AbTestRecord, number, string]>([
    ['a variant', waiting, 1, 'A/B test: a variant'],
    [
      'while it is sent',
      waiting,
      3,
      'A/B test: waits for the winner (chosen 4 hours after everybody was tried)',
    ],
    [
      'while it waits',
      { ...waiting, dueAt: '2026-11-20T14:00:00+00:00' },
      3,
      'A/B test: waits for the winner (chosen at 2026-11-20T14:00:00.000Z)',
    ],
    ['stopped', { ...waiting, isOver: true }, 3, 'A/B test: no winner was chosen'],
    ['one that lost', decided, 1, 'A/B test: 10 human openers of 100 delivered when it was decided'],
    [
      'one that won',
      decided,
      2,
      'A/B test: 20 human openers of 100 delivered when it was decided; the winner',
    ],
    ['the remainder', decided, 3, 'A/B test: got the subject of segment 4, which won'],
    ['too few', few, 3, 'A/B test: got the subject of segment 1: a variant has fewer than 50 delivered'],
    [
      'a tie of clickers',
      { ...few, type: 'Content', results: resultsOf([1, 60], [1, 60]) },
      3,
      'A/B test: got the advertisements of segment 1: several variants have the most',
    ],
  ])('%s', (_what, test, idSent, text) => {
    expect(abTestText(test, idSent)).toBe(text);
  });
});
