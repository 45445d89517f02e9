import fc from 'fast-check';
import type { TestApp } from './app.ts';
import { fold, type Row } from './field-filter-model.ts';
import { putFile } from './site-files.ts';

/** A file of a site's own folder, as file filters are compared with it. */
interface ModelFile {
  readonly filename: string;
  readonly dbFieldName: string;
  readonly content: string;
  /** Whether a subscriber with these values is in it. */
  lists(id: number, row: Row): boolean;
}

const numbers = new Set([0, 7, 1000]);
const names = new Set(['odile', 'zoe', 'l’ete', 'a%b']);

/** Files over fields 0, 1, 101 and 102 of random sites, each in another shape. */
export const modelFiles: readonly ModelFile[] = [
  {
    filename: 'ids.csv',
    dbFieldName: 'fld0',
    content: `id\n${Array.from({ length: 20 }, (_, i) => `+${i * 3}`).join('\n')}\n`,
    lists: (id) => id % 3 === 0 && id < 60,
  },
  {
    filename: 'lists/emails.csv',
    dbFieldName: 'fld1',
    content: Array.from({ length: 20 }, (_, i) => `"${i * 2}@EXAMPLE.org";x;y\r\n`).join(''),
    lists: (id) => id % 2 === 0 && id < 40,
  },
  {
    filename: 'names.csv',
    dbFieldName: 'fld101',
    content: 'ODILE\tx\nZoé\ty\nZOE\nl’été\nA%b\n',
    lists: (_, row) => names.has(fold(String(row.get(101) ?? ''))),
  },
  {
    filename: 'points.csv',
    dbFieldName: 'fld102',
    content: 'points,name\n0,a\n007,b\n1000,c\nmany,d\n99999999999999999999,e\n',
    lists: (_, row) => numbers.has((row.get(102) ?? -1) as number),
  },
];

/** Any file filter over these files, until a date that no test reaches. */
export const anyFileFilter = fc.constantFrom(...modelFiles).map(({ filename, dbFieldName }) => ({
  filename,
  dbFieldName,
  fileAutomaticDeletionDate: '2027-12-31T23:00:00Z',
}));

/** Puts the files into the site's folder. */
export function storeModelFiles(t: TestApp): void {
  for (const { filename, content } of modelFiles) putFile(t, filename, content);
}
