import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { exportsOperations } from '../operations.ts';

describe('getLastExportState', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: exportsOperations });
  });
  afterAll(() => t.close());

  it('200 and null where there is none', async () => {
    expect(await t.call('GET', '/exports/state/last')).toMatchObject({ status: 200, data: null });
  });

  it('200 gives the one created last, whichever ran last', async () => {
    const tester = new ExportTester(t);
    const first = await tester.create({ filename: 'first.csv' });
    const second = await tester.create({ filename: 'second.csv' });
    await tester.run(first);
    const { data } = await t.call('GET', '/exports/state/last', { as: 'reader' });
    expect(data).toMatchObject({ idExportJob: second, name: 'second.csv', exportJobState: 'SCHEDULED' });
  });
});
