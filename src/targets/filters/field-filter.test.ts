import { expect, test } from 'vitest';
import type { FieldOperatorName } from '../../fields/field-operator.ts';
import type { Language } from '../../fields/period.ts';
import { customFields } from '../../testing/custom-fields.ts';
import { filterSite } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { fieldFilter } from './field-filter.ts';

const site = filterSite();
const [text, integer, date, boolean, list] = [101, 102, 103, 104, 105];

type Case = readonly [idField: number, operator: FieldOperatorName, value: string | null];

const parse = (...cases: readonly Case[]) =>
  fieldFilter.parse(
    { filters: cases.map(([idField, operator, value]) => ({ idField, operator, value })) },
    site,
  );

test.each<[Case, string]>([
  [[999, 'HasValue', null], 'filters[0].idField: there is no field 999'],
  [
    [date, 'Contains', '2'],
    'filters[0].operator: Contains is not for field 103, of type Date; it takes HasValue,',
  ],
  [[text, 'LastDays', '2'], 'filters[0].operator: LastDays is not for field 101, of type Text'],
  [[list, 'Greater', '1'], 'filters[0].operator: Greater is not for field 105, of type List'],
  [[boolean, 'Less', 'true'], 'filters[0].operator: Less is not for field 104, of type Boolean'],
  [[date, 'Equal', '0001-01-01'], 'must be a date'],
  [[text, 'HasValue', 'x'], 'filters[0].value: must be empty, since HasValue compares with nothing'],
  [[date, 'Anniversary', '3'], 'filters[0].value: must be empty, since Anniversary compares with nothing'],
  [[text, 'Equal', null], 'filters[0].value: Equal needs a value; HasNoValue finds empty fields'],
  [[text, 'Equal', ''], 'filters[0].value: Equal needs a value'],
  [[text, 'Equal', 'a\ud800'], 'filters[0].value: must be well-formed Unicode'],
  [[integer, 'Equal', '1.5'], "filters[0].value: '1.5' does not fit field 102: it must be a whole number"],
  [[integer, 'Equal', '9223372036854775808'], 'must be a whole number of 64 bits'],
  [[integer, 'Equal', '0x10'], 'must be a whole number'],
  [[integer, 'Equal', '1; drop table'], 'must be a whole number'],
  [
    [date, 'Greater', '20/11/2026'],
    "filters[0].value: '20/11/2026' does not fit field 103: it must be a date",
  ],
  [[date, 'Greater', '2026-02-30'], 'must be a date'],
  [[boolean, 'Equal', 'oui'], 'must be true, false, 1 or 0'],
  [
    [list, 'Equal', '9'],
    "filters[0].value: '9' does not fit field 105: it must be one of the list's keys: 1, 2, -3",
  ],
  [[list, 'In', '1;Lyon'], "'Lyon' does not fit field 105"],
  [[integer, 'Between', '5'], "filters[0].value: Between takes two values separated by one ';'"],
  [[integer, 'Between', '1;2;3'], 'Between takes two values'],
  [[integer, 'Between', '1;'], 'none of them empty'],
  [[integer, 'Between', '5;1'], 'the first value of Between must not be greater than the second'],
  [[date, 'Between', '2026-02-01;2026-01-01'], 'must not be greater'],
  [[integer, 'In', '1;;2'], "filters[0].value: In takes values separated by ';', none of them empty"],
  [[text, 'In', `${'a;'.repeat(10_000)}b`], 'In takes at most 10000 values'],
  [[date, 'LastDays', '-1'], 'filters[0].value: must be a whole number of days from 0 to 36500'],
  [[date, 'NextDays', '36501'], 'from 0 to 36500'],
  [[date, 'BeforeDaysAgo', 'x'], 'from 0 to 36500'],
  [
    [text, 'Contains', '\u0301'],
    'filters[0].value: holds nothing but accents, without which Contains compares',
  ],
  [[text, 'NotContains', '\u0300\u0301'], 'holds nothing but accents'],
  [[text, 'StartsWith', '\u20dd'], 'holds nothing but accents'],
  [[text, 'EndsWith', '\u0301'], 'holds nothing but accents'],
])('%j is refused', (entry, message) => {
  expect(() => parse(entry)).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining(message) }),
  );
});

const dates = Array.from({ length: 200 }, (_, n) => `${1900 + n}-01-01`);

test('a filter compares with so few dates in total that reading them blocks no one', () => {
  const entry = (count: number): Case => [
    date,
    'In',
    Array(count / 200)
      .fill(dates)
      .flat()
      .join(';'),
  ];
  expect(parse(entry(4_000), entry(6_000))).toBeDefined();
  expect(() => parse(entry(4_000), entry(6_200))).toThrow(
    expect.objectContaining({
      status: 400,
      message: 'filters: fields of type Date are compared with at most 10000 values in total',
    }),
  );
});

test('a stored filter whose fields have become dates is refused before they are read', () => {
  const filters = Array.from({ length: 100 }, () => ({
    idField: text,
    operator: 'In' as const,
    value: Array(50).fill(dates).flat().join(';'),
  }));
  expect(() => fieldFilter.compile({ filters }, site)).not.toThrow();
  const fields = new Map([[text, { ...site.fields.get(date)!, id: text }]]);
  expect(() => fieldFilter.compile({ filters }, filterSite({ fields }))).toThrow(
    expect.objectContaining({
      status: 409,
      message: expect.stringContaining('correct the filter and set it again'),
    }),
  );
});

test('the message names the entry', () => {
  expect(() => parse([7, 'Equal', '0'], [102, 'Equal', 'x'])).toThrow('filters[1].value');
});

test.each<[Case, string | null]>([
  [[7, 'Equal', ' 00 '], '0'],
  [[integer, 'In', '+1; 02 ;-0'], '1;2;0'],
  [
    [integer, 'In', '0;00;-7;-07;999999999999999;+0999999999999999;1000000000000000'],
    '0;-7;999999999999999;1000000000000000',
  ],
  [[integer, 'Between', '1;1'], '1;1'],
  [[integer, 'In', '1;2;01'], '1;2'],
  [[boolean, 'In', '1;true;false'], 'true;false'],
  [[boolean, 'Equal', 'TRUE'], 'true'],
  [[boolean, 'NotEqual', '0'], 'false'],
  [[date, 'Equal', ' 2026-11-20 '], '2026-11-20'],
  [[text, 'Contains', ' a '], ' a '],
  [[text, 'In', ' a ; b'], 'a;b'],
  [[text, 'Equal', 'E\u0301lodie'], 'Élodie'],
  [[text, 'HasValue', ''], null],
  [[date, 'LastDays', '007'], '7'],
])('%j is kept as %j', (entry, kept) => {
  expect(parse(entry)?.filters?.[0]?.value).toBe(kept);
});

test('no entries are no filter', () => {
  expect(fieldFilter.parse({ filters: [] }, site)).toBeUndefined();
  expect(fieldFilter.parse({ filters: null }, site)).toBeUndefined();
  expect(fieldFilter.parse({}, site)).toBeUndefined();
});

test('a field that was deleted or changed its type since is a conflict, never another meaning', () => {
  const definition = parse([integer, 'Greater', '5'])!;
  const without = new Map(site.fields);
  without.delete(integer);
  const changed = new Map(site.fields).set(integer, { ...customFields[3]!, id: integer });
  const expected = expect.objectContaining({ status: 409, message: expect.stringContaining('field 102') });
  expect(() => fieldFilter.compile(definition, { ...site, fields: without })).toThrow(expected);
  expect(() => fieldFilter.compile(definition, { ...site, fields: changed })).toThrow(expected);
  expect(fieldFilter.describe(definition, { ...site, fields: without }, 'fr')).toContain('n’existe plus');
});

test('the French and English of every operator, with what users wrote escaped', async () => {
  const name = '<script>alert("1")</script> & Cie';
  const hostile = { ...customFields[0]!, name };
  const cities = [
    { key: 1, value: '<i>Paris</i>' },
    { key: 2, value: '$& %' },
  ];
  const fields = new Map(site.fields).set(text, hostile).set(list, { ...customFields[4]!, list: cities });
  const cases: Case[] = [
    [text, 'HasValue', null],
    [text, 'HasNoValue', null],
    [text, 'Equal', '<b>gras</b> "%" & $&'],
    [text, 'NotEqual', "l'été"],
    [text, 'Contains', 'a'],
    [text, 'NotContains', 'a'],
    [text, 'StartsWith', 'a'],
    [text, 'EndsWith', 'a'],
    [text, 'In', Array.from({ length: 25 }, (_, i) => `v${i}`).join(';')],
    [integer, 'Greater', '5'],
    [integer, 'GreaterOrEqual', '5'],
    [integer, 'Less', '5'],
    [integer, 'LessOrEqual', '5'],
    [integer, 'Between', '1;5'],
    [integer, 'NotIn', '1;5'],
    [date, 'Greater', '2026-03-29'],
    [date, 'GreaterOrEqual', '2026-03-29T10:30'],
    [date, 'Less', '2026-03-29'],
    [date, 'LessOrEqual', '2026-03-29'],
    [date, 'Between', '2026-01-01;2026-03-29'],
    [date, 'LastDays', '7'],
    [date, 'NextDays', '7'],
    [date, 'BeforeDaysAgo', '30'],
    [date, 'Anniversary', null],
    [boolean, 'Equal', '1'],
    [boolean, 'NotEqual', 'false'],
    [list, 'In', '1;2'],
  ];
  const described = cases.map((one) => {
    const [idField, operator, value] = one;
    const definition = fieldFilter.parse({ filters: [{ idField, operator, value }] }, { ...site, fields })!;
    return [
      `${operator} of ${fields.get(idField)!.fieldType}`,
      (language: Language) => fieldFilter.describe(definition, { ...site, fields }, language),
    ] as const;
  });
  await expectGolden('field-filter.golden.txt', Object.fromEntries(described));
});

test.each<[Case, string, string]>([
  [[date, 'LastDays', '0'], 'est <b>aujourd’hui</b>', 'is <b>today</b>'],
  [[date, 'LastDays', '1'], 'est <b>hier ou aujourd’hui</b>', 'is <b>yesterday or today</b>'],
  [[date, 'NextDays', '0'], 'est <b>aujourd’hui</b>', 'is <b>today</b>'],
  [[date, 'NextDays', '1'], 'est <b>aujourd’hui ou demain</b>', 'is <b>today or tomorrow</b>'],
  [[date, 'BeforeDaysAgo', '0'], 'date d’avant <b>aujourd’hui</b>', 'is before <b>today</b>'],
  [[date, 'BeforeDaysAgo', '1'], 'date d’avant <b>hier</b>', 'is before <b>yesterday</b>'],
  [[date, 'BeforeDaysAgo', '2'], 'date de plus de <b>2</b> jours', 'is more than <b>2</b> days ago'],
  [[7, 'Equal', '0'], '<b>Statut</b> est égal à <b>inscrit</b>', 'is <b>subscribed</b>'],
  [
    [7, 'In', '0;1;2'],
    'est l’une des valeurs <b>inscrit</b>, <b>désinscrit</b>, <b>2</b>',
    'is one of <b>subscribed</b>, <b>unsubscribed</b>, <b>2</b>',
  ],
  [[integer, 'Equal', '0'], 'est égal à <b>0</b>', 'is <b>0</b>'],
])('%j in French and English', (entry, french, english) => {
  expect(fieldFilter.describe(parse(entry)!, site, 'fr')).toContain(`${french}</li>`);
  expect(fieldFilter.describe(parse(entry)!, site, 'en')).toContain(`${english}</li>`);
});
