import { expect, it } from 'vitest';
import type { Compression } from './export.ts';
import { exportSettings, fileNameOf } from './export-settings.ts';

it.each<[string | null, Compression | null, string]>([
  ['a.csv', null, 'a.csv'],
  ['a.csv', 'GZip', 'a.csv.gz'],
  ['a.csv', 'Zip', 'a.csv.zip'],
  ['A.CSV.GZ', 'GZip', 'A.CSV.GZ'],
  ['a.gz', 'Zip', 'a.gz.zip'],
  [' ', null, 'export_shop_7_20261225003000.csv'],
  [null, 'GZip', 'export_shop_7_20261225003000.csv.gz'],
])('the file named %j, packed by %j, is %s', (filename, compress, name) => {
  const what = {
    idTarget: 1,
    idsFields: ['1'],
    idsEncodeFields: [],
    typeList: 'ID',
    encoding: 'None',
  } as const;
  const settings = exportSettings({ ...what, idsFields: ['1'], idsEncodeFields: [], filename, compress });
  // Half past midnight in Paris.
  expect(fileNameOf(settings, 'shop', { id: 7, createdAt: new Date('2026-12-24T23:30:00Z') })).toBe(name);
});
