import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type Import, type ImportParameters, inFull } from '../import.ts';
import { importsOperations } from '../operations.ts';

const columnMapping = [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }];
const parameters: ImportParameters = { filename: 'people.csv', columnMapping };
const daily = { frequencyUnits: 'Day', time: '02:30:00' };

describe('createScheduledImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());

  const create = (schedulingInfos: object | undefined, given: object = {}, as?: 'reader') =>
    t.call('POST', '/imports/scheduled', {
      body: { parameters: { ...parameters, ...given }, schedulingInfos },
      ...(as && { as }),
    });
  const recurring = (infos: object, given: object = {}) =>
    create({ isRecurring: true, recurringInfos: { ...daily, ...infos } }, given);
  const jobs = (id: number) =>
    t.db.rows(sql`
      select run_at as "runAt", payload from graphile_worker._private_jobs
      where (payload ->> 'idImport')::int = ${id}`);

  it.each([
    [
      { dbFieldName: 'fld4', idMappingMode: 1, fileColumnName: 'left', format: 'dd/MM/jjjj' },
      /the format dd\/MM\/jjjj must/,
    ],
    [
      { dbFieldName: 'fld45', idMappingMode: 1, fileColumnName: 'at', format: 'HH:mm' },
      /the format HH:mm must/,
    ],
  ])(
    '400 for a format that no date has, when it is created and not in its first night',
    async (mapping, message) => {
      const { status, error } = await recurring({}, { columnMapping: [...columnMapping, mapping] });
      expect(status).toBe(400);
      expect(error).toMatch(/^parameters.columnMapping: Field /);
      expect(error).toMatch(message);
      expect(await t.db.rows(sql`select from ${t.db.t.import}`)).toEqual([]);
    },
  );

  it('400 for an unknown code page', async () => {
    const { status, error } = await recurring({}, { codepage: 99_999 });
    expect({ status, error }).toEqual({
      status: 400,
      error: expect.stringContaining('parameters.codepage: '),
    });
  });

  it('200 schedules one for an exact date, with its job', async () => {
    const { status, typeName, data } = await create({ scheduledDate: '2026-12-24T18:00:00+01:00' });
    const made: Import = data;
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'Import' });
    expect(made).toEqual({
      id: made.id,
      parameters: inFull(parameters),
      creationDate: '2026-11-20T10:00:00.000Z',
      importState: 'Scheduled',
      isDeleted: false,
      deletionDate: null,
      schedulingInfos: {
        isRecurring: false,
        scheduledDate: '2026-12-24T17:00:00.000Z',
        recurringInfos: null,
      },
      lastImportLog: null,
    });
    expect(await jobs(made.id)).toEqual([
      {
        runAt: new Date('2026-12-24T17:00:00Z'),
        payload: { idSite: t.db.site.id, idImport: made.id, run: 1 },
      },
    ]);
    expect((await t.call('GET', `/imports/${made.id}`)).data).toEqual(made);
  });

  it('200 takes a date that is a minute past for now', async () => {
    expect(await create({ scheduledDate: '2026-11-20T09:59:00Z' })).toMatchObject({
      status: 200,
      data: { schedulingInfos: { scheduledDate: '2026-11-20T09:59:00.000Z' } },
    });
  });

  it('200 schedules a recurring one for its first run, and shows every member', async () => {
    const { data } = await recurring(
      { filenameTemplate: 'in/{yyyy}{MM}{dd}.csv', endDate: '2026-12-31T23:59:59' },
      { filename: '' },
    );
    const made: Import = data;
    expect(made.schedulingInfos).toEqual({
      isRecurring: true,
      scheduledDate: '2026-11-21T01:30:00.000Z',
      recurringInfos: {
        filenameTemplate: 'in/{yyyy}{MM}{dd}.csv',
        frequencyUnits: 'Day',
        frequency: 1,
        monthDay: null,
        monthDay2: null,
        weekDays: null,
        time: '02:30:00',
        startDate: '2026-11-20T10:00:00.000Z',
        endDate: '2026-12-31T22:59:59.000Z',
      },
    });
    expect(await jobs(made.id)).toMatchObject([{ runAt: new Date('2026-11-21T01:30:00Z') }]);
    // As text: the members are in the document's order.
    expect(JSON.stringify((await t.call('GET', `/imports/${made.id}`)).data)).toBe(JSON.stringify(made));
    expect(Object.keys((made.schedulingInfos as { recurringInfos: object }).recurringInfos)).toEqual([
      'filenameTemplate',
      'frequencyUnits',
      'frequency',
      'monthDay',
      'monthDay2',
      'weekDays',
      'time',
      'startDate',
      'endDate',
    ]);
    const list = await t.call('GET', '/imports', {
      query: { 'filter.sortBy': 'ID', 'filter.order': 'DESC' },
    });
    expect((list.data as { items: object[] }).items[0]).toMatchObject({ filename: 'in/20261121.csv' });
  });

  it('200 takes back a recurring one that was read, even after its run', async () => {
    for (const [read, next] of [
      ['2026-11-20T10:00:00Z', '2026-11-21T01:30:00.000Z'],
      ['2026-11-25T10:00:00Z', '2026-11-26T01:30:00.000Z'],
    ] as const) {
      const made = (await recurring({})).data as Import;
      const shown = (await t.call('GET', `/imports/${made.id}`)).data as Import;
      t.clock.set(read);
      const again = await t.call('POST', '/imports/scheduled', { body: shown });
      expect([again.error, (again.data as Import).schedulingInfos]).toEqual([
        null,
        { ...shown.schedulingInfos, scheduledDate: next },
      ]);
    }
    t.clock.set('2026-11-20T10:00:00Z');
  });

  it.each<[string, object, string]>([
    ['a wall time of Paris', { scheduledDate: '2026-12-24T18:00:00' }, '2026-12-24T17:00:00.000Z'],
    ['one that spring skips', { scheduledDate: '2027-03-28T02:30:00' }, '2027-03-28T01:00:00.000Z'],
    ['one that autumn has twice', { scheduledDate: '2027-10-31T02:30:00' }, '2027-10-31T00:30:00.000Z'],
    ['an instant', { scheduledDate: '2027-10-31T02:30:00+01:00' }, '2027-10-31T01:30:00.000Z'],
    [
      'now, told a moment ago',
      { isRecurring: false, scheduledDate: '2026-11-20T09:59:30Z' },
      '2026-11-20T09:59:30.000Z',
    ],
  ])('200 takes %s', async (_what, infos, scheduledDate) => {
    const { status, data } = await create(infos);
    expect({ status, infos: (data as Import).schedulingInfos }).toMatchObject({
      status: 200,
      infos: { scheduledDate },
    });
  });

  it.each<[string, object, string]>([
    ['hours', { frequencyUnits: 'Hour', frequency: 6, time: null }, '2026-11-20T11:00:00.000Z'],
    ['weekdays', { frequencyUnits: 'Week', weekDays: 'Monday; thursday' }, '2026-11-23T01:30:00.000Z'],
    ['a day of the month', { frequencyUnits: 'Month', monthDay: 31 }, '2026-11-30T01:30:00.000Z'],
    [
      'a weekday of the month',
      { frequencyUnits: 'Month', monthDay2: 'Last Sunday' },
      '2026-11-29T01:30:00.000Z',
    ],
    ['members that say nothing', { monthDay: 0, monthDay2: '', weekDays: '' }, '2026-11-21T01:30:00.000Z'],
    ['a start to come', { startDate: '2027-03-28T00:00:00' }, '2027-03-28T01:00:00.000Z'],
  ])('200 recurs by %s', async (_what, infos, scheduledDate) => {
    const { error, data } = await recurring(infos);
    expect(error).toBeNull();
    expect((data as Import).schedulingInfos).toMatchObject({ scheduledDate });
  });

  const of = 'schedulingInfos.recurringInfos';
  it.each<[string, object | undefined, object?]>([
    ['schedulingInfos: is required', undefined],
    ['schedulingInfos.scheduledDate: is required', {}],
    ['schedulingInfos.scheduledDate: must be an ISO 8601 date-time', { scheduledDate: 'tomorrow' }],
    [
      'schedulingInfos.scheduledDate: must be an ISO 8601 date-time',
      { scheduledDate: '2027-02-30T02:30:00' },
    ],
    [
      'schedulingInfos.scheduledDate: 2026-11-20T09:58:00.000Z is past',
      { scheduledDate: '2026-11-20T09:58:00Z' },
    ],
    ['2026-11-20T09:58:59.999Z is past', { scheduledDate: '2026-11-20T09:58:59.999Z' }],
    ['schedulingInfos.scheduledDate: must be in the years', { scheduledDate: '9999-11-20T10:00:00Z' }],
    ['schedulingInfos.colour: unknown member', { scheduledDate: '2026-12-24T18:00:00Z', colour: 'red' }],
    [`${of}: is required when isRecurring is true`, { isRecurring: true }],
    [`${of}: allowed only if`, { scheduledDate: '2026-12-24T18:00:00Z', recurringInfos: daily }],
    [
      'schedulingInfos.scheduledDate: follows from recurringInfos',
      { isRecurring: true, scheduledDate: '2026-12-24T18:00:00Z', recurringInfos: daily },
    ],
    [
      'schedulingInfos.scheduledDate: follows from recurringInfos',
      // The second run, of which an import that was made now cannot show the date.
      { isRecurring: true, scheduledDate: '2026-11-22T01:30:00Z', recurringInfos: daily },
    ],
    [
      'schedulingInfos.scheduledDate: must be an ISO 8601 date-time',
      { isRecurring: true, scheduledDate: 'soon', recurringInfos: daily },
    ],
    ['parameters.filename', { scheduledDate: '2026-12-24T18:00:00Z' }, { filename: '../people.csv' }],
    ['parameters.filename', { scheduledDate: '2026-12-24T18:00:00Z' }, { filename: '' }],
    ['parameters.startLine: must be', { scheduledDate: '2026-12-24T18:00:00Z' }, { startLine: 0 }],
    ['parameters.columnDelimiter', { scheduledDate: '2026-12-24T18:00:00Z' }, { columnDelimiter: '' }],
    [
      'mapped twice',
      { scheduledDate: '2026-12-24T18:00:00Z' },
      { columnMapping: [...columnMapping, ...columnMapping] },
    ],
  ])('400 %s', async (named, infos, given) => {
    const { status, error, data } = await create(infos, given);
    expect({ status, data }).toEqual({ status: 400, data: null });
    expect(error).toContain(named);
  });

  it.each<[string, object]>([
    [`${of}.frequencyUnits: must be one of Hour, Day, Week, Month`, { frequencyUnits: 'Year' }],
    [`${of}.frequency`, { frequency: 0 }],
    [`${of}.frequency`, { frequency: 1.5 }],
    [`${of}.monthDay`, { frequencyUnits: 'Month', monthDay: 32 }],
    [`${of}.monthDay: is for the frequencyUnits Month only`, { monthDay: 3 }],
    [`${of}.monthDay2: is for the frequencyUnits Month only`, { monthDay2: 'First Monday' }],
    [
      `${of}.monthDay2: not allowed beside monthDay`,
      { frequencyUnits: 'Month', monthDay: 1, monthDay2: 'First Monday' },
    ],
    [`${of}.monthDay2: must be First`, { frequencyUnits: 'Month', monthDay2: 'Fifth Monday' }],
    [`${of}.monthDay2: must be First`, { frequencyUnits: 'Month', monthDay2: 'First constructor' }],
    [`${of}.monthDay: one of monthDay and monthDay2`, { frequencyUnits: 'Month' }],
    [`${of}.weekDays: is for the frequencyUnits Week only`, { weekDays: 'Monday' }],
    [`${of}.weekDays: is required`, { frequencyUnits: 'Week' }],
    [`${of}.weekDays: Lundi is not a weekday`, { frequencyUnits: 'Week', weekDays: 'Monday;Lundi' }],
    [`${of}.weekDays: an empty word is not a weekday`, { frequencyUnits: 'Week', weekDays: 'Monday;' }],
    [`${of}.time: is required`, { time: null }],
    [`${of}.time: must be HH:mm:ss`, { time: '2:30' }],
    [`${of}.time: must be HH:mm:ss`, { time: '24:00:00' }],
    [`${of}.time: must be HH:mm:ss`, { time: '25:00:00' }],
    [`${of}.time: is required`, { time: '' }],
    [`${of}.frequency: must be`, { frequency: -1 }],
    [`${of}.frequency: must be`, { frequency: 1000 }],
    [`${of}.monthDay: must be`, { frequencyUnits: 'Month', monthDay: -1 }],
    [`${of}.weekDays: monday is listed twice`, { frequencyUnits: 'Week', weekDays: 'Monday; monday' }],
    [`${of}.startDate: must be an ISO 8601`, { startDate: '2027-02-29T00:00:00' }],
    [`${of}.startDate: must be an ISO 8601`, { startDate: '2026-12-24' }],
    [
      `${of}.endDate: must not be before startDate`,
      { startDate: '2026-12-24T00:00:00Z', endDate: '2026-12-23T00:00:00Z' },
    ],
    [`${of}.endDate: no run is left`, { endDate: '2026-11-19T00:00:00Z' }],
    [`${of}.endDate: no run is left`, { endDate: '2026-11-21T01:29:59Z' }],
    [`${of}.filenameTemplate: {YYYY} is none of`, { filenameTemplate: '{YYYY}.csv' }],
    [`${of}.filenameTemplate: a brace`, { filenameTemplate: '{yyyy.csv' }],
    [`${of}.filenameTemplate: leaves the repository`, { filenameTemplate: '../{yyyy}.csv' }],
    [`${of}.filenameTemplate: starts at the root`, { filenameTemplate: '/etc/{yyyy}' }],
    [`${of}.filenameTemplate: holds a back-slash`, { filenameTemplate: '..\\{yyyy}.csv' }],
    [`${of}.filenameTemplate: holds characters`, { filenameTemplate: '{yyyy}\r\nBcc: eve@example.com' }],
    [
      `${of}.filenameTemplate: holds a name longer`,
      { filenameTemplate: `${'x'.repeat(250)}{yyyy}{yyyy}.csv` },
    ],
    [`${of}.filenameTemplate: .xls files`, { filenameTemplate: '{yyyy}.xls' }],
    [`${of}.colour: unknown member`, { colour: 'red' }],
  ])('400 %s', async (named, infos) => {
    const { status, error, data } = await recurring(infos);
    expect({ status, data }).toEqual({ status: 400, data: null });
    expect(error).toContain(named);
  });

  it('400 refuses keys of prototypes', async () => {
    const infos = '"schedulingInfos": {"scheduledDate": "2026-12-24T18:00:00Z"';
    const body = `{"parameters": ${JSON.stringify(parameters)}, ${infos}`;
    for (const rest of ['}, "constructor": 1}', ', "__proto__": {}}}', ', "constructor": 1}}']) {
      const reply = await t.server.inject({
        method: 'POST',
        url: '/v1/demo/imports/scheduled',
        headers: { authorization: t.token('sender'), 'content-type': 'application/json' },
        payload: body + rest,
      });
      expect([rest, reply.statusCode]).toEqual([rest, 400]);
    }
  });

  it('400 leaves nothing behind', async () => {
    const count = async () => [
      await t.db.one(sql`select count(*) as nb from ${t.db.t.import}`),
      await t.db.one(sql`select count(*) as nb from graphile_worker.jobs`),
    ];
    const before = await count();
    await recurring({ time: 'noon' });
    await create({ scheduledDate: '2026-12-24T18:00:00Z' }, { filename: '../x' });
    expect(await count()).toEqual(before);
  });

  it('403 without the right to write', async () => {
    expect((await create({ scheduledDate: '2026-12-24T18:00:00Z' }, {}, 'reader')).status).toBe(403);
  });
});
