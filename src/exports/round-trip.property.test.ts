import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteFolderPath } from '../files/sftp-server.ts';
import { findImport } from '../imports/import-store.ts';
import { runImport } from '../imports/tasks/run-import.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeTarget } from '../testing/campaign-makers.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import type { ExportRequest } from './export.ts';
import { findExport, lastExport } from './export-store.ts';
import { runExport } from './tasks/run-export.ts';

/**
 * Export everybody, import the file into an empty site, export there: the same file. All fields take part but 2, which
 * the service sets to the time of the import. What is generated is what an import keeps as it is: texts in NFC without
 * spaces around them, none of them empty, and no U+FFFD, by which an import knows a wrong code page.
 */
let t: TestApp;
let targets: Record<'demo' | 'other', number>;
beforeAll(async () => {
  t = await testApp();
  for (const db of [t.db, t.otherDb]) await addCustomFields(db);
  targets = {
    demo: await makeTarget(t.db, { isSafe: false }),
    other: await makeTarget(t.otherDb, { isSafe: false }),
  };
});
afterAll(() => t.close());

/** Filled by the service: in the file, not imported. */
const made = [0, 37, 42];
const written = [1, 3, 4, 5, 6, 7, 8, 10, 21, 22, 40, 41, 43, 44, 45, 101, 102, 103, 104, 105];
const dates = [3, 4, 10, 45, 103];
type Row = Readonly<Record<string, unknown>>;
interface Sample {
  readonly rows: readonly Row[];
  readonly names: ReadonlyMap<number, string>;
  readonly list: readonly { readonly key: number; readonly value: string }[];
  readonly request: Omit<ExportRequest, 'idTarget'>;
}

const kept = (text: string) => text.normalize('NFC').trim().normalize('NFC').trim();
const isIn1252 = (text: string) => iconv.decode(iconv.encode(text, 'cp1252'), 'cp1252') === text;
const awkward = [
  ';',
  ',',
  '\t',
  '"',
  '""',
  '\r',
  '\n',
  '\r\n',
  '\\',
  '\\.',
  '=',
  '+',
  '@',
  "'",
  '|',
  '?',
  'é',
  '€',
];

/** Texts of a site that is exported in a code page. */
function textOf(codePage: number, maxLength: number): fc.Arbitrary<string> {
  const anything = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }) },
    {
      weight: 3,
      arbitrary: fc.array(fc.constantFrom(...awkward, 'a', ' '), { maxLength: 8 }).map((all) => all.join('')),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  );
  return anything
    .map((text) => kept(text.replaceAll(/[\0\ufffd]/g, '')))
    .filter((text) => text !== '' && [...text].length <= maxLength && (codePage !== 1252 || isIn1252(text)));
}

/** Instants of whole seconds from the year 1 to 9999 in Paris; half of them about the changes of the clock. */
const instant = fc.oneof(
  fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T22:59:59Z'),
    noInvalidDate: true,
  }),
  fc
    .tuple(
      fc.constantFrom(
        '2026-03-29T01:00:00Z',
        '2026-10-25T01:00:00Z',
        '1976-03-28T00:00:00Z',
        '1911-03-10T23:50:39Z',
      ),
      fc.integer({ min: -7_200, max: 7_200 }),
    )
    .map(([at, seconds]) => new Date(Date.parse(at) + seconds * 1_000)),
);

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { freq: 4 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

function rowOf(codePage: number, keys: readonly number[]): fc.Arbitrary<Row> {
  const text = (maxLength: number) => maybe(textOf(codePage, maxLength));
  return fc.record({
    fld3: instant,
    fld4: maybe(instant),
    fld5: text(255),
    fld6: text(255),
    fld7: fc.integer({ min: 0, max: 1 }),
    fld8: maybe(fc.integer({ min: 0, max: 1 })),
    fld10: maybe(instant),
    fld21: text(255),
    fld22: text(255),
    fld40: maybe(fc.constantFrom('75001', '20200', '97410', 'SW1A 1AA', '01000', '+1')),
    fld41: maybe(fc.constantFrom('FR', 'GP', 'BE', 'GB')),
    fld44: fc.integer({ min: 0, max: 3 }),
    fld45: maybe(instant),
    fld101: text(255),
    fld102: maybe(int64),
    fld103: maybe(instant),
    fld104: maybe(fc.boolean()),
    fld105: maybe(fc.constantFrom(...keys)),
  });
}

const email = fc
  .tuple(
    fc.constantFrom('ada', "O'Neil", '=1+1', 'A.B+c', '_'),
    fc.constantFrom('example.com', 'xn--bcher-kva.example'),
  )
  .map(
    ([name, domain]) =>
      (n: number) =>
        `${name}.${n}@${domain}`,
  );

function sampleOf(codePage: 1252 | 65001): fc.Arbitrary<Sample> {
  const plain = (text: string) => text.toLowerCase();
  const unique = {
    minLength: 1,
    maxLength: 4,
    selector: ([, value]: readonly [number, string]) => plain(value),
  };
  const texts = fc.uniqueArray(
    fc.tuple(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), textOf(codePage, 255)),
    unique,
  );
  const list = texts.map((all) => [...new Map(all)].map(([key, value]) => ({ key, value })));
  const oneLine = textOf(codePage, 100).filter((name) => !/[\x00-\x1f\x7f\u2028\u2029]/.test(name));
  const names = fc.uniqueArray(oneLine, { minLength: 5, maxLength: 5, selector: plain });
  const request = fc.record({
    idsFields: fc.shuffledSubarray([...made, ...written].map(String), {
      minLength: made.length + written.length,
    }),
    idsEncodeFields: fc.shuffledSubarray(['1', '101', '103', '105']),
    encoding: fc.constantFrom('None', 'MD5', 'SHA1', 'SHA2_256', 'SHA2_512'),
    typeList: fc.constantFrom('ID', 'VALUE'),
    compress: fc.constantFrom(null, 'GZip'),
    codePage: fc.constant(codePage),
    columnSeparator: fc.constantFrom(';', ',', '\t', '|', "'", '@', '='),
    idNewLineCharacter: fc.constantFrom(1, 2),
  });
  const isOfSystem = (name: string) => systemNames.includes(plain(name));
  return list.chain((entries) =>
    fc
      .record({
        list: fc.constant(entries),
        names: names
          .filter((all) => !all.some(isOfSystem))
          .map((all) => new Map(all.map((name, i) => [101 + i, name]))),
        rows: fc.array(
          fc.tuple(
            email,
            fc.option(int64),
            rowOf(
              codePage,
              entries.map(({ key }) => key),
            ),
          ),
          { maxLength: 25 },
        ),
        request,
      })
      .map(({ rows, ...rest }) => ({ ...rest, rows: uniqueRows(rows) })),
  );
}

/** Addresses and client ids are each subscriber's own. */
function uniqueRows(rows: readonly [(n: number) => string, string | null, Row][]): Row[] {
  const clients = new Set<string>();
  return rows.map(([address, client, row], i) => {
    const isNew = client !== null && !clients.has(client);
    if (isNew) clients.add(client);
    return { fld1: address(i), fld43: isNew ? client : null, ...row };
  });
}
const systemNames = ['identifier', 'email', 'hash', 'status', 'postcode', 'country', 'department'];

async function fill(db: SiteDb, { rows, names, list }: Sample): Promise<void> {
  await db.run(sql`truncate ${db.t.subscriber} restart identity`);
  for (const [id, name] of names) await db.run(sql`update ${db.t.field} set name = ${name} where id = ${id}`);
  await db.run(sql`update ${db.t.field} set list = ${JSON.stringify(list)} where id = 105`);
  for (const row of rows) {
    const columns = Object.keys(row);
    await t.app.control.pool.query(
      `insert into ${db.t.subscriber.text} (${columns}) values (${columns.map((_, i) => `$${i + 1}`)})`,
      Object.values(row),
    );
  }
}

const folderOf = (db: SiteDb) => siteFolderPath(t.dataDir, db.site.id);

/** Exports all subscribers of a site; returns the name of the file. */
async function exportAll(site: 'demo' | 'other', request: Sample['request']): Promise<string> {
  const db = site === 'demo' ? t.db : t.otherDb;
  const body = { ...request, filename: 'everybody.csv', idTarget: targets[site] };
  const { error } = await t.call('POST', '/exports', { site, body, as: 'admin' });
  expect(error).toBe(null);
  const { id } = (await lastExport(db))!;
  await runExport.run(t.app, { idSite: db.site.id, idExport: id }, new AbortController().signal);
  expect(await findExport(db, id)).toMatchObject({ state: 'COMPLETED', nbReplaced: 0 });
  return request.compress ? 'everybody.csv.gz' : 'everybody.csv';
}

async function importAll(filename: string, { request, names, rows }: Sample): Promise<void> {
  const db = t.otherDb;
  const fields = await db.rows<{ id: number; name: string }>(sql`select id, name from ${db.t.field}`);
  const columns = new Map([...fields.map(({ id, name }) => [id, name] as const), ...names]);
  const formatOf = (id: number) => {
    if (dates.includes(id)) return { format: 'yyyy-MM-dd HH:mm:ss' };
    return id === 105 ? { format: request.typeList === 'ID' ? 'KEY' : 'VALUE' } : {};
  };
  const parameters = {
    filename,
    codepage: request.codePage,
    columnDelimiter: request.columnSeparator,
    keepFld7: false,
    columnMapping: written.map((id) => ({
      dbFieldName: `fld${id}`,
      idMappingMode: 1,
      fileColumnName: columns.get(id),
      ...formatOf(id),
    })),
  };
  const reply = await t.call('POST', '/imports/immediate', {
    site: 'other',
    body: { parameters },
    as: 'admin',
  });
  expect(reply.error).toBe(null);
  const { id: idImport } = reply.data as { id: number };
  await runImport.run(t.app, { idSite: db.site.id, idImport }, new AbortController().signal);
  const done = (await findImport(db, idImport))!;
  const log = { totalRows: rows.length, nbInserts: rows.length, nbErrorRows: 0, nbBadFormattedRows: 0 };
  expect(done).toMatchObject({ importState: 'Completed', lastImportLog: log });
}

test.each([65001, 1252] as const)(
  'code page %i: export, import into an empty site, export again gives the same file',
  async (codePage) => {
    await fc.assert(
      fc.asyncProperty(sampleOf(codePage), async (sample) => {
        await fill(t.db, sample);
        await fill(t.otherDb, { ...sample, rows: [] });
        const name = await exportAll('demo', sample.request);
        const [from, to] = [join(folderOf(t.db), name), join(folderOf(t.otherDb), name)];
        mkdirSync(dirname(to), { recursive: true });
        copyFileSync(from, to);
        await importAll(name, sample);
        rmSync(to);
        await exportAll('other', sample.request);
        expect(readFileSync(to).equals(readFileSync(from))).toBe(true);
      }),
      { numRuns: 25 },
    );
  },
  300_000,
);
