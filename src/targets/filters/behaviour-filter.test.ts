import { expect, test } from 'vitest';
import { describeAll, readOrRefuse, sentList, siteWithRecords } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { behaviourFilter } from './behaviour-filter.ts';

const site = siteWithRecords();
type Given = Parameters<typeof behaviourFilter.parse>[0];
const read = (given: Given) => readOrRefuse(behaviourFilter, given, site);

const nowhere = { nbDaysAgo: null, idSentList: null, combinaisonMode: null, idCampaign: null };
const once = { nbTime: '1', nbTimeAndDayOperator: 'AtLeast' } as const;

test.each<[Given, object]>([
  [
    { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 0 },
    {
      didAnAction: true,
      action: 'Open',
      ...nowhere,
      behaviourType: 'NbDays',
      nbDaysAgo: 0,
      ...once,
      filterMpp: false,
    },
  ],
  [
    {
      action: 'Click',
      behaviourType: 'Sent',
      idSentList: ' 12; 11 ;12',
      didAnAction: false,
      filterMpp: true,
    },
    {
      didAnAction: false,
      action: 'Click',
      ...nowhere,
      behaviourType: 'Sent',
      idSentList: '12;11',
      combinaisonMode: 'Union',
      ...once,
      filterMpp: true,
    },
  ],
  [
    { action: 'Open', behaviourType: 'Campaign', idCampaign: '24', combinaisonMode: 'Intersection' },
    {
      didAnAction: true,
      action: 'Open',
      ...nowhere,
      behaviourType: 'Campaign',
      idCampaign: '24',
      combinaisonMode: 'Intersection',
      ...once,
      filterMpp: false,
    },
  ],
])('%j is kept with its defaults, and what is read can be set again', (given, kept) => {
  expect(read(given)).toEqual(kept);
  const shown = { ...behaviourFilter.absent, ...kept, ...behaviourFilter.computed?.(kept, site) };
  expect(read(shown)).toEqual(kept);
});

test('what programs send of members that they do not use says nothing', () => {
  const unused = { idSentList: '', idCampaign: '', idSentNames: 'x', combinaisonMode: 'Union' } as const;
  expect(read({ action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 3, ...unused })).toMatchObject({
    nbDaysAgo: 3,
    combinaisonMode: null,
  });
  expect(read({ action: 'Open', behaviourType: 'Sent', idSentList: '11', nbDaysAgo: 0 })).toMatchObject({
    nbDaysAgo: null,
  });
});

test.each<Given>([{}, behaviourFilter.absent, { didAnAction: false, nbDaysAgo: 0, idSentList: '' }])(
  '%j holds no condition',
  (given) => expect(read(given)).toBeUndefined(),
);

test.each<[Given, string]>([
  [{ action: 'Open' }, '400 behaviourType: must be one of NbDays, Sent, Campaign, since action is given'],
  [{ nbDaysAgo: 5 }, '400 behaviourType: must be one of NbDays, Sent, Campaign, since nbDaysAgo is given'],
  [{ behaviourType: 'NbDays', nbDaysAgo: 5 }, '400 action: must be one of Click, Open'],
  [{ action: 'Open', behaviourType: 'NbDays' }, '400 nbDaysAgo: is required, since behaviourType is NbDays'],
  [
    { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 5, idSentList: '11' },
    '400 idSentList: must be omitted or empty, since behaviourType is NbDays',
  ],
  [
    { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 5, idCampaign: '21' },
    '400 idCampaign: must be omitted or empty, since behaviourType is NbDays',
  ],
  [
    { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 5, combinaisonMode: 'Intersection' },
    '400 combinaisonMode: must be omitted, since behaviourType is NbDays',
  ],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: '11', nbDaysAgo: 5 },
    '400 nbDaysAgo: must be omitted or empty, since behaviourType is Sent',
  ],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: '11', idCampaign: '21' },
    '400 idCampaign: must be omitted or empty, since behaviourType is Sent',
  ],
  [
    { action: 'Open', behaviourType: 'Campaign', idSentList: '11', idCampaign: '21' },
    '400 idSentList: must be omitted or empty, since behaviourType is Campaign',
  ],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: ' ' },
    '400 idSentList: must contain at least one id, since behaviourType is Sent',
  ],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: '11;x' },
    "400 idSentList: 'x' is not an id; write ids separated by ';'",
  ],
  [{ action: 'Open', behaviourType: 'Sent', idSentList: '11;' }, "'' is not an id"],
  [{ action: 'Open', behaviourType: 'Sent', idSentList: '11;2147483648' }, "'2147483648' is not an id"],
  [{ action: 'Open', behaviourType: 'Sent', idSentList: '11;999' }, '404 idSentList: Sent 999 not found'],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: '13' },
    '400 idSentList: sending 13 is a test mailing',
  ],
  [
    { action: 'Open', behaviourType: 'Sent', idSentList: sentList(101) },
    '400 idSentList: accepts at most 100 ids',
  ],
  [{ action: 'Open', behaviourType: 'Campaign', idCampaign: '99' }, '404 idCampaign: Campaign 99 not found'],
  [
    { action: 'Open', behaviourType: 'Campaign', idCampaign: '21,22' },
    "400 idCampaign: '21,22' is not an id",
  ],
  [
    { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 5, nbTime: 'x', nbTimeAndDayOperator: 'AtLeast' },
    '400 nbTime:',
  ],
])('%j is refused', (given, expected) => {
  expect(read(given)).toEqual(expect.stringContaining(expected));
});

test('409 for a sending that no longer exists; the filter never changes its meaning', () => {
  const kept = behaviourFilter.parse({ action: 'Open', behaviourType: 'Sent', idSentList: '11' }, site)!;
  const expected = {
    status: 409,
    message: 'The behaviour filter uses sending 11, which no longer exists; remove it from the filter',
  };
  expect(() => behaviourFilter.compile(kept, siteWithRecords({ sents: new Map() }))).toThrow(
    expect.objectContaining(expected),
  );
});

test('idSentNames are the names of idSentList, cut to 2000 characters', () => {
  const names = (list: string) => behaviourFilter.computed?.({ idSentList: list }, site).idSentNames;
  expect(names('11;12')).toBe('Rentrée – Tous; <i>Soldes</i> & Cie – "VIP"');
  expect(names('')).toBeNull();
  const sents = new Map([[11, { idSent: 11, name: '📣'.repeat(3_000), isTest: false }]]);
  const long = behaviourFilter.computed?.({ idSentList: '11' }, { ...site, sents }).idSentNames ?? '';
  expect([[...long].length <= 2_000, long.endsWith('📣…')]).toEqual([true, true]);
});

test('the French and English of every case, with what users wrote escaped', async () => {
  const days = { action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 30 } as const;
  const sents = { action: 'Open', behaviourType: 'Sent' } as const;
  const campaigns = { action: 'Click', behaviourType: 'Campaign' } as const;
  const cases = describeAll(
    behaviourFilter,
    [
      days,
      { ...days, nbTime: '3', nbTimeAndDayOperator: 'AtLeast', filterMpp: true },
      { ...days, didAnAction: false },
      { ...days, action: 'Click', didAnAction: false },
      { ...days, didAnAction: false, nbTime: '3', nbTimeAndDayOperator: 'AtLeast' },
      { ...days, action: 'Click', nbTime: '0', nbTimeAndDayOperator: 'Exactly', filterMpp: true },
      { ...days, didAnAction: false, nbTime: '0', nbTimeAndDayOperator: 'AtMost' },
      { ...days, nbDaysAgo: 0, nbTime: '2', nbTimeAndDayOperator: 'AtMost' },
      { ...days, nbDaysAgo: 1, nbTime: '2;5', nbTimeAndDayOperator: 'Between' },
      { ...sents, idSentList: '11' },
      { ...sents, idSentList: '11;12' },
      { ...sents, idSentList: '11;12', didAnAction: false },
      { ...sents, idSentList: '11;12', combinaisonMode: 'Intersection', didAnAction: false },
      { ...sents, action: 'Click', idSentList: '11', didAnAction: false },
      { ...sents, action: 'Click', idSentList: sentList(25) },
      { ...campaigns, idCampaign: '22' },
      { ...campaigns, idCampaign: '21;22', nbTime: '4', nbTimeAndDayOperator: 'AtMost' },
      { ...campaigns, idCampaign: '21;22', combinaisonMode: 'Intersection' },
      { ...campaigns, action: 'Open', idCampaign: '21;22', combinaisonMode: 'Intersection', filterMpp: true },
    ],
    site,
  );
  await expectGolden('behaviour-filter.golden.txt', cases);
});
