import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from './testing/app.ts';
import { ExportTester } from './testing/export-tester.ts';
import { type ImportTester, importApp } from './testing/import-tester.ts';

/** A client needs no SFTP: what the replies of imports and exports hold leads to their files. */
let t: TestApp;
let imports: ImportTester;
let exports: ExportTester;
beforeAll(async () => {
  ({ t, tester: imports } = await importApp());
  exports = new ExportTester(t);
});
afterAll(() => t.close());

const download = async (name: string) => {
  const url = `/v1/demo/files?name=${encodeURIComponent(name)}`;
  const response = await t.server.inject({ url, headers: { authorization: t.token('editor') } });
  return [response.statusCode, response.payload];
};

it('the rejected rows of an import are at the filename of its log', async () => {
  await imports.import('email;name\na@example.com;x\nbad;y\n', { filename: 'in/people.csv' });
  const { data } = await t.call('GET', '/imports/1/logs');
  const [{ filename }] = (data as { items: [{ filename: string }] }).items;
  expect(await download(`${filename}.errors.csv`)).toEqual([
    200,
    expect.stringMatching(/^\ufeffemail;.*\r\nbad;y;3;/),
  ]);
});

it('the file of an export is at its filepath', async () => {
  const { done, bytes } = await exports.export({ exportSubFolder: 'out', compress: 'GZip' });
  const { data } = await t.call('GET', '/exports/state', { query: { idExport: done.id } });
  const { filepath } = data as { filepath: string };
  expect(filepath).toBe('out/people.csv.gz');
  const url = `/v1/demo/files?name=${encodeURIComponent(filepath)}`;
  const { rawPayload } = await t.server.inject({ url, headers: { authorization: t.token('editor') } });
  expect(rawPayload).toEqual(bytes);
});
