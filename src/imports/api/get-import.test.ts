import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import type { Import } from '../import.ts';
import { importSettings } from '../import-settings.ts';
import { insertImport } from '../import-store.ts';
import { importsOperations } from '../operations.ts';

describe('getImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());
  const parameters = {
    filename: 'people.csv',
    columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
  };

  it('200 gives it as it was made', async () => {
    const at = t.clock.now();
    const made = await insertImport(t.db, { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at });
    const { status, data } = await t.call('GET', `/imports/${made.id}`, { as: 'reader' });
    expect({ status, data }).toEqual({ status: 200, data: made });
  });

  it('404 for an unknown one, and for one of another site', async () => {
    const at = t.clock.now();
    const foreign = { idUser: 1, author: 'Eve', parameters, scheduledAt: at, at };
    await insertImport(t.otherDb, foreign);
    const { id } = await insertImport(t.otherDb, foreign);
    for (const unknown of [id, 999_999]) {
      const { status, error } = await t.call('GET', `/imports/${unknown}`);
      expect({ status, error }).toEqual({ status: 404, error: 'Import not found' });
    }
  });

  it('200 shows the values that hold for what was omitted, and they make the same import again', async () => {
    const at = t.clock.now();
    const { id } = await insertImport(t.db, { idUser: 1, author: 'Ada', parameters, scheduledAt: at, at });
    const shown = (await t.call('GET', `/imports/${id}`)).data as Import;
    expect(shown.parameters).toStrictEqual({
      filename: 'people.csv',
      startLine: 1,
      columnNamesFirstLine: true,
      textQualifier: '"',
      columnDelimiter: ';',
      rowDelimiter: '{CR}{LF}',
      codepage: 1252,
      sheetName: null,
      keyDbFieldName: 'fld1',
      keepFld7: true,
      insertEnabled: true,
      safeMode: false,
      emailNotification: null,
      deleteFile: false,
      columnMapping: [
        { dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email', fixedValue: null, format: null },
      ],
    });
    const body = { ...shown, schedulingInfos: null };
    const again = await t.call('POST', '/imports/immediate', { body });
    expect(again).toMatchObject({ status: 200, data: { parameters: shown.parameters } });
    expect(importSettings(shown.parameters)).toEqual(importSettings(parameters));
  });

  it('400 for an invalid id', async () => {
    expect((await t.call('GET', '/imports/x')).status).toBe(400);
  });
});
