import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalRepository } from '../files/local-repository.ts';
import { ErrorFile } from './error-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-errors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('lists rows up to its size, says that there are more, and goes on counting', async () => {
  const csv = {
    delimiter: ';',
    qualifier: '"',
    rowDelimiter: 'lines',
    codePage: 65001,
    startLine: 1,
  };
  const errors = new ErrorFile(join(folder, 'tmp'), csv, 25);
  try {
    errors.setHead(['email']);
    for (let row = 2; row < 2_000; row++) await errors.add(row, 'bad', [`u${row}`]);
    await errors.putInto(await LocalRepository.open(folder), 'a.csv');
  } finally {
    await errors.drop();
  }
  expect(readFileSync(join(folder, 'a.csv'), 'utf8').split('\r\n')).toEqual([
    '\ufeffemail;row;reason',
    'u2;2;bad',
    'u3;3;bad',
    'More rows were refused than this file can list: mend these, and import the rest again',
    '',
  ]);
  expect(errors.count).toBe(1_998);
  expect(errors.numbers).toMatch(/^2,3,4,.*,1001,…$/);
});
