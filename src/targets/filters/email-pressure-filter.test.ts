import { expect, test } from 'vitest';
import { describeAll, readOrRefuse, siteWithRecords } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { emailPressureFilter } from './email-pressure-filter.ts';

const site = siteWithRecords();
type Given = Parameters<typeof emailPressureFilter.parse>[0];
const read = (given: Given) => readOrRefuse(emailPressureFilter, given, site);
const few = { operatorRequest: 'LOWER', nbRequest: 4 } as const;

test.each<[Given, Given]>([
  [{ ...few, type: 'Today' }, { today: true }],
  [{ ...few, type: 'Today', today: true, timeType: 0 }, { today: true }],
  [
    { ...few, type: 'Since', fromTime: 30, timeType: 2, thisWeek: false },
    { fromTime: 30, timeType: 2 },
  ],
  [
    {
      ...few,
      type: 'Between',
      betweenStartDate: '2026-10-01T00:00:00+02:00',
      betweenEndDate: '2026-11-01T00:00:00+01:00',
    },
    { betweenStartDate: '2026-09-30T22:00:00.000Z', betweenEndDate: '2026-10-31T23:00:00.000Z' },
  ],
  [
    { ...few, type: 'ByWeek', lastWeek: true, fourWeeksAgo: true },
    {
      today: false,
      thisWeek: false,
      lastWeek: true,
      twoWeeksAgo: false,
      threeWeeksAgo: false,
      fourWeeksAgo: true,
    },
  ],
  [
    { ...few, type: 'Today', campaignType: ' Newsletter;Rent;Newsletter' },
    { today: true, campaignType: 'Newsletter;Rent' },
  ],
])('%j is kept as %j, and what is read can be set again', (given, kept) => {
  const whole = { ...emailPressureFilter.absent, ...few, type: given.type, ...kept };
  expect(read(given)).toEqual(whole);
  expect(read(whole)).toEqual(whole);
});

test.each<Given>([{}, emailPressureFilter.absent, { nbRequest: 0, today: false, campaignType: '' }])(
  '%j holds no condition',
  (given) => expect(read(given)).toBeUndefined(),
);

const week = { ...few, type: 'ByWeek' } as const;
const since = { ...few, type: 'Since' } as const;
const between = { ...few, type: 'Between', betweenStartDate: '2026-01-01T00:00:00+01:00' } as const;

test.each<[Given, string]>([
  [few, '400 type: must be one of Today, Since, Between, ByWeek, since operatorRequest is given'],
  [{ type: 'Today', nbRequest: 1 }, '400 operatorRequest: must be one of GREATER, GREATER_EQUAL, EQUAL'],
  [
    { type: 'Today', operatorRequest: 'EQUAL' },
    '400 nbRequest: must be a number of messages from 0 to 1000000',
  ],
  [{ ...few, type: 'Today', nbRequest: 1_000_001 }, '400 nbRequest: must be a number of messages'],
  [{ ...few, type: 'Today', nbRequest: 0 }, '400 nbRequest: no one received fewer than 0 messages'],
  [
    { ...few, type: 'Today', campaignType: 'Newsletter;newsletter' },
    "400 campaignType: must be types of campaigns separated by ';' (Unknown, Newsletter, Dedicated, Other",
  ],
  [{ ...few, type: 'Today', campaignType: 'Newsletter;' }, "and '' is not one"],
  [{ ...few, type: 'Today', thisWeek: true }, '400 thisWeek: must be omitted or empty, since type is Today'],
  [{ ...few, type: 'Today', fromTime: 3 }, '400 fromTime: must be omitted or empty, since type is Today'],
  [
    { ...since, fromTime: 3, timeType: 2, today: true },
    '400 today: must be omitted or empty, since type is Since',
  ],
  [{ ...since, fromTime: 3 }, '400 timeType: must be 1 (hours) or 2 (days), since type is Since'],
  [{ ...since, fromTime: 3, timeType: 0 }, '400 timeType: must be 1 (hours) or 2 (days)'],
  [{ ...since, timeType: 1 }, '400 fromTime: must be a number of hours from 1 to 4320'],
  [{ ...since, timeType: 1, fromTime: 0 }, '400 fromTime: must be a number of hours from 1 to 4320'],
  [{ ...since, timeType: 1, fromTime: 4_321 }, '400 fromTime: must be a number of hours from 1 to 4320'],
  [{ ...since, timeType: 2, fromTime: 181 }, '400 fromTime: must be a number of days from 0 to 180'],
  [between, '400 betweenEndDate: is required, since type is Between'],
  [{ ...few, type: 'Between', betweenEndDate: '2026-01-01T00:00:00Z' }, '400 betweenStartDate: is required'],
  [
    { ...between, betweenEndDate: '2026-01-01T00:00:00+01:00' },
    '400 betweenEndDate: must be after betweenStartDate',
  ],
  // 180 days from the first of January are 23 hours and 179 days: the clocks change in between.
  [
    { ...between, betweenEndDate: '2026-06-30T00:00:00.001+02:00' },
    '400 betweenEndDate: must be at most 180 days after betweenStartDate',
  ],
  [
    week,
    '400 thisWeek: one of today, thisWeek, lastWeek, twoWeeksAgo, threeWeeksAgo, fourWeeksAgo must be true',
  ],
  [
    { ...week, thisWeek: true, betweenEndDate: '2026-01-01T00:00:00Z' },
    '400 betweenEndDate: must be omitted or empty',
  ],
])('%j is refused', (given, expected) => {
  expect(read(given)).toEqual(expect.stringContaining(expected));
});

test('the dates may be 180 days apart, whatever daylight saving does', () => {
  expect(read({ ...between, betweenEndDate: '2026-06-30T00:00:00+02:00' })).toMatchObject({
    type: 'Between',
  });
});

/** The instants that the compiled condition compares with. */
function boundsOf(given: Given, now: string): string[] {
  const { values } = emailPressureFilter.compile(
    emailPressureFilter.parse(given, site)!,
    siteWithRecords({ now: new Date(now) }),
  );
  return values.flatMap((value) => (value instanceof Date ? value.toISOString() : []));
}

test.each<[Given, string, string[]]>([
  // A Friday; the clocks went back on 25 October.
  [
    { ...week, thisWeek: true },
    '2026-11-20T10:00:00Z',
    ['2026-11-15T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
  ],
  [
    { ...week, fourWeeksAgo: true },
    '2026-11-20T10:00:00Z',
    ['2026-10-18T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ],
  // Weeks that follow each other, and a day within them, are one stretch.
  [
    { ...week, today: true, thisWeek: true, lastWeek: true, threeWeeksAgo: true },
    '2026-11-20T10:00:00Z',
    [
      '2026-10-25T23:00:00.000Z',
      '2026-11-01T23:00:00.000Z',
      '2026-11-08T23:00:00.000Z',
      '2026-11-22T23:00:00.000Z',
    ],
  ],
  // Sunday and Monday, either side of midnight in Paris.
  [
    { ...week, thisWeek: true },
    '2026-11-22T22:59:59Z',
    ['2026-11-15T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
  ],
  [
    { ...week, thisWeek: true },
    '2026-11-22T23:00:00Z',
    ['2026-11-22T23:00:00.000Z', '2026-11-29T23:00:00.000Z'],
  ],
  [
    { ...few, type: 'Today' },
    '2026-11-20T23:30:00Z',
    ['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
  ],
  [
    { ...since, fromTime: 2, timeType: 2 },
    '2026-11-20T10:00:00Z',
    ['2026-11-17T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
  ],
  [
    { ...since, fromTime: 36, timeType: 1 },
    '2026-11-20T10:00:00Z',
    // The midnight between: the hour before it is looked up, the rest are whole days.
    ['2026-11-18T22:00:00.000Z', '2026-11-18T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
  ],
])('%j at %s looks at %j', (given, now, expected) => {
  expect(new Set(boundsOf(given, now))).toEqual(new Set(expected));
});

test('the French and English of every case', async () => {
  const cases = describeAll(
    emailPressureFilter,
    [
      { ...few, type: 'Today' },
      { type: 'Today', operatorRequest: 'GREATER', nbRequest: 1 },
      { type: 'Today', operatorRequest: 'GREATER_EQUAL', nbRequest: 2, campaignType: 'Newsletter;Transac' },
      { type: 'Today', operatorRequest: 'EQUAL', nbRequest: 0 },
      { type: 'Today', operatorRequest: 'GREATER', nbRequest: 0 },
      { type: 'Today', operatorRequest: 'GREATER_EQUAL', nbRequest: 1 },
      { type: 'Today', operatorRequest: 'LOWER', nbRequest: 1, campaignType: 'Dedicated' },
      { type: 'Today', operatorRequest: 'LOWER_EQUAL', nbRequest: 3 },
      { ...since, fromTime: 1, timeType: 1 },
      { ...since, fromTime: 48, timeType: 1 },
      { ...since, fromTime: 30, timeType: 2 },
      { ...between, betweenEndDate: '2026-06-15T12:30:00Z' },
      { ...week, today: true, thisWeek: true },
      { ...week, lastWeek: true, twoWeeksAgo: true, threeWeeksAgo: true, fourWeeksAgo: true },
    ],
    site,
  );
  await expectGolden('email-pressure-filter.golden.txt', cases);
});
