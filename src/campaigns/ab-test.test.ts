import { describe, expect, it } from 'vitest';
import { plainCampaign } from '../testing/plain-campaign.ts';
import { abTestOf, abTestProblems } from './ab-test.ts';
import type { CampaignParameters } from './campaign.ts';
import { textOf } from './finding.ts';
import { type Segment, type SegmentParameters, segmentParameters } from './segment.ts';

const aTest: Partial<CampaignParameters> = { mode: 'TestAb', isAbTest: true, nbTests: 2 };

const segmentsOf = (...given: Partial<SegmentParameters>[]): Segment[] =>
  given.map((one, index) => ({
    id: index + 1,
    idCampaign: 7,
    position: index + 1,
    parameters: {
      ...segmentParameters({ name: `S${index + 1}`, idTarget: 1, percent: 10, fixedValues: 0 }),
      ...one,
    },
    lastCount: null,
  }));

const configuration = { senderAlias: 'News' };
/** Segments 1 and 3 have the same advertisement, segment 2 another one. */
const placements = [
  { idSegment: 1, position: 2, html: '<p>One</p>' },
  { idSegment: 2, position: 2, html: '<p>Two</p>' },
  { idSegment: 3, position: 2, html: '<p>One</p>' },
];
const problemsOf = (parameters: Partial<CampaignParameters>, ...given: Partial<SegmentParameters>[]) =>
  abTestProblems(plainCampaign({ ...aTest, ...parameters }), segmentsOf(...given), configuration, placements);

const a = { mailObject: 'A' };
const b = { mailObject: 'B' };
const out = { isExcluded: true };
const all = { percent: 100 };

describe('the parts of an A/B test', () => {
  it('are the first segments that are not excluded, and the one behind them', () => {
    const campaign = plainCampaign({ ...aTest, abTestType: 'Subject' });
    const parts = abTestOf(campaign, segmentsOf(a, out, b, {}, out));
    expect(parts?.type).toBe('Subject');
    expect(parts?.variants.map(({ position }) => position)).toEqual([1, 3]);
    expect([parts?.remainder?.position, parts?.beyond]).toEqual([4, []]);
  });

  it('do not exist in another mode', () => {
    expect(
      abTestOf(plainCampaign({ abTestType: 'Subject', nbTests: 2 }), segmentsOf(a, b, {})),
    ).toBeUndefined();
    expect(problemsOf({ mode: 'Simple', abTestType: 'Subject' }, {})).toEqual([]);
  });
});

describe('what keeps an A/B test from being sent', () => {
  const needed =
    'the A/B test needs 3 segments that are not excluded (2 variants and the remainder), and has';
  const same = (positions: string, what: string) => [
    `segments ${positions} have the same ${what}: their A/B test could not tell anything`,
  ];
  const takesAll = (position: number, behind: string) => [
    `segment ${position} takes 100 percent of a target that is needed behind it (segments ${behind}): ` +
      'give it a smaller percent, or fixedValues',
  ];
  it.each<[string, Partial<CampaignParameters>, Partial<SegmentParameters>[], string[]]>([
    ['two subjects and a remainder', { abTestType: 'Subject' }, [a, b, {}], []],
    ['excluded ones, wherever they stand', { abTestType: 'Subject' }, [out, a, out, b, {}, out], []],
    ["the campaign's subject and another", { abTestType: 'Subject' }, [{}, b, {}], []],
    ['no segment', { abTestType: 'Subject' }, [], [`${needed} 0`]],
    ['no remainder', { abTestType: 'Subject' }, [a, b], [`${needed} 2`]],
    ['a remainder that is excluded', { abTestType: 'Subject' }, [a, b, out], [`${needed} 2`]],
    [
      'a segment behind the remainder',
      { abTestType: 'Subject' },
      [a, b, {}, out, {}],
      ['segment 5 stands behind the remainder of the A/B test (segment 3)'],
    ],
    ['one subject twice', { abTestType: 'Subject' }, [a, { mailObject: 'A' }, {}], same('1, 2', 'subject')],
    [
      "the campaign's subject twice, once by name",
      { abTestType: 'Subject', nbTests: 3 },
      [a, {}, { mailObject: 'It is here' }, {}],
      same('2, 3', 'subject'),
    ],
    ['one sender, other subjects', { abTestType: 'Sender' }, [a, b, {}], same('1, 2', 'sender')],
    ['two senders', { abTestType: 'Sender' }, [{ senderAlias: 'Ada' }, { senderAlias: 'Bea' }, {}], []],
    [
      "the configuration's sender and another",
      { abTestType: 'Sender' },
      [{}, { senderAlias: 'Bea' }, {}],
      [],
    ],
    [
      "the campaign's sender, once by name",
      { abTestType: 'Sender', senderAlias: 'Ada' },
      [{}, { senderAlias: 'Ada' }, {}],
      same('1, 2', 'sender'),
    ],
    ['a remainder of all that is left', { abTestType: 'Subject' }, [a, b, all], []],
    ['a remainder first', { abTestType: 'Subject' }, [all, a, b], takesAll(1, '2, 3')],
    ['a last variant that takes all', { abTestType: 'Subject' }, [a, { ...b, ...all }, {}], takesAll(2, '3')],
    [
      'a variant of all, but not more than so many',
      { abTestType: 'Subject' },
      [{ ...all, fixedValues: 50 }, b, {}],
      [],
    ],
    ['an excluded one of all, first', { abTestType: 'Subject' }, [{ ...out, ...all }, a, b, all], []],
    [
      'variants that are all of targets of their own',
      { abTestType: 'Subject' },
      [{ ...a, ...all, idTarget: 2 }, { ...b, ...all, idTarget: 3 }, all],
      [],
    ],
    ['two advertisements', { abTestType: 'Content' }, [{}, {}, {}], []],
    [
      'one advertisement twice',
      { abTestType: 'Content', nbTests: 3 },
      [{}, {}, {}, {}],
      same('1, 3', 'advertisements'),
    ],
    [
      'no advertisements',
      { abTestType: 'Content' },
      [out, out, out, {}, {}, {}],
      same('4, 5', 'advertisements'),
    ],
  ])('%s', (_what, parameters, given, problems) => {
    expect(problemsOf(parameters, ...given).map(textOf)).toEqual(problems);
  });

  it('has a code, and names the segments that it is about', () => {
    const about = (...given: Partial<SegmentParameters>[]) =>
      problemsOf({ abTestType: 'Subject' }, ...given).map((one) => [one.code, one.about]);
    expect(about(a, b)).toEqual([['ab_test_segments', '3']]);
    expect(about(a, a, {}, out, {})).toEqual([
      ['ab_test_beyond', '5'],
      ['ab_test_alike', '1, 2'],
    ]);
    expect(about(a, { ...b, ...all }, {})).toEqual([['ab_test_share', '2']]);
  });
});
