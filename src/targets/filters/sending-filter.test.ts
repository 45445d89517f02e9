import { expect, test } from 'vitest';
import { describeAll, readOrRefuse, siteWithRecords } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { sendingFilter } from './sending-filter.ts';

const site = siteWithRecords();
type Given = Parameters<typeof sendingFilter.parse>[0];
const read = (given: Given) => readOrRefuse(sendingFilter, given, site);

test.each<[Given, object]>([
  [
    { hasReceived: true, idSentList: '12;11' },
    {
      hasReceived: true,
      combinaisonMode: 'Union',
      idSentList: '12;11',
      idsCampaigns: null,
      recipientStates: null,
    },
  ],
  [
    { hasReceived: false, combinaisonMode: 'Intersection', idSentList: '', idsCampaigns: '21; 22' },
    {
      hasReceived: false,
      combinaisonMode: 'Intersection',
      idSentList: null,
      idsCampaigns: '21;22',
      recipientStates: null,
    },
  ],
  [
    { hasReceived: false, idSentList: '12', recipientStates: 'Uncertain; Refused;Uncertain' },
    {
      hasReceived: false,
      combinaisonMode: 'Union',
      idSentList: '12',
      idsCampaigns: null,
      recipientStates: 'Uncertain;Refused',
    },
  ],
])('%j is kept with its defaults, and what is read can be set again', (given, kept) => {
  expect(read(given)).toEqual(kept);
  expect(read({ ...sendingFilter.absent, ...kept, ...sendingFilter.computed?.(kept, site) })).toEqual(kept);
});

test.each<Given>([sendingFilter.absent, { hasReceived: false, combinaisonMode: 'Union', idSentList: ' ' }])(
  '%j holds no condition',
  (given) => expect(read(given)).toBeUndefined(),
);

test.each<[Given, string]>([
  [{ hasReceived: true }, '400 idSentList: this or idsCampaigns must contain at least one id'],
  [
    { hasReceived: true, idSentList: '11', idsCampaigns: '21' },
    '400 idsCampaigns: must be omitted or empty, since idSentList names sendings',
  ],
  [
    { hasReceived: true, idSentList: '11|12' },
    "400 idSentList: '11|12' is not an id; write ids separated by ';'",
  ],
  [
    { hasReceived: true, idSentList: '11', recipientStates: 'Refused' },
    '400 recipientStates: says why a message was not received; set hasReceived to false',
  ],
  [
    { hasReceived: false, idSentList: '11', recipientStates: 'Refused;lost' },
    "400 recipientStates: must be Refused, Expired, Uncertain, separated by ';', and not 'lost'",
  ],
  [
    { hasReceived: false, recipientStates: 'Refused' },
    '400 idSentList: this or idsCampaigns must contain at least one id',
  ],
  [{ hasReceived: true, idSentList: '999' }, '404 idSentList: Sent 999 not found'],
  [{ hasReceived: true, idSentList: '13' }, '400 idSentList: sending 13 is a test mailing'],
  [{ hasReceived: true, idsCampaigns: '21;99' }, '404 idsCampaigns: Campaign 99 not found'],
  [{ hasReceived: true, idsCampaigns: '-21' }, "400 idsCampaigns: '-21' is not an id"],
  [
    { hasReceived: true, idsCampaigns: '22;23' },
    '400 idsCampaigns: campaign 23 must have been sent in the last 60 days; it was last sent on 2026-09-20T2',
  ],
  [
    { hasReceived: true, idsCampaigns: '24' },
    '400 idsCampaigns: campaign 24 must have been sent in the last 60 days; it never was',
  ],
])('%j is refused', (given, expected) => {
  expect(read(given)).toEqual(expect.stringContaining(expected));
});

test('a campaign that has grown old since continues to count; one that no longer exists is a conflict', () => {
  const kept = sendingFilter.parse({ hasReceived: true, idsCampaigns: '22' }, site)!;
  expect(() =>
    sendingFilter.compile(kept, siteWithRecords({ now: new Date('2027-11-20T10:00:00Z') })),
  ).not.toThrow();
  const expected = {
    status: 409,
    message: 'The sending filter uses campaign 22, which no longer exists; remove it from the filter',
  };
  expect(() => sendingFilter.compile(kept, siteWithRecords({ campaigns: new Map() }))).toThrow(
    expect.objectContaining(expected),
  );
});

test('the French and English of every case, with what users wrote escaped', async () => {
  const places = [
    { idSentList: '12' },
    { idSentList: '11;12' },
    { idsCampaigns: '22' },
    { idsCampaigns: '21;22' },
  ];
  const given = places.flatMap((place) =>
    (['Union', 'Intersection'] as const).flatMap((combinaisonMode) =>
      [true, false].map((hasReceived) => ({ hasReceived, combinaisonMode, ...place })),
    ),
  );
  const states = ['Refused', 'Refused;Expired', 'Refused;Expired;Uncertain'].map((recipientStates) => ({
    hasReceived: false,
    idsCampaigns: '22',
    recipientStates,
  }));
  await expectGolden('sending-filter.golden.txt', describeAll(sendingFilter, [...given, ...states], site));
});
