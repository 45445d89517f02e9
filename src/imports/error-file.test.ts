import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ErrorFile } from './error-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-errors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const csv = { delimiter: ';', qualifier: '"', rowDelimiter: 'lines', codePage: 65001, startLine: 1 };

it('leaves nothing when it is not kept, or nothing was refused', async () => {
  const path = join(folder, 'dropped/a.csv');
  const errors = new ErrorFile(path, csv);
  await errors.add(2, 'bad', ['x']);
  expect(existsSync(path)).toBe(true);
  await errors.drop();
  expect(existsSync(path)).toBe(false);
  const none = new ErrorFile(path, csv);
  expect(await none.keep()).toBe(false);
  await none.drop();
  expect(existsSync(path)).toBe(false);
});

it('ends with its last line at a row whose cells nobody could keep', async () => {
  const path = join(folder, 'full/a.csv');
  const errors = new ErrorFile(path, csv);
  for (const cells of [['u2'], undefined, ['u4']]) await errors.add(2, 'bad', cells);
  await errors.keep();
  await errors.drop();
  expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
    '\ufeffu2;2;bad',
    expect.stringContaining('More rows'),
    '',
  ]);
  expect(errors.count).toBe(3);
});

it('lists rows up to its size, says that there are more, and continues counting', async () => {
  const errors = new ErrorFile(join(folder, 'kept/a.csv'), csv, 25);
  try {
    errors.setHead(['email']);
    for (let row = 2; row < 2_000; row++) await errors.add(row, 'bad', [`u${row}`]);
    expect(await errors.keep()).toBe(true);
  } finally {
    await errors.drop();
  }
  expect(readFileSync(join(folder, 'kept/a.csv'), 'utf8').split('\r\n')).toEqual([
    '\ufeffemail;row;reason',
    'u2;2;bad',
    'u3;3;bad',
    'More rows were rejected than this file can list: fix these, and import the rest again',
    '',
  ]);
  expect(errors.count).toBe(1_998);
  expect(errors.numbers).toMatch(/^2,3,4,.*,1001,…$/);
});

it('goes back to where it was, also to where nothing was in it', async () => {
  const path = join(folder, 'back/a.csv');
  const errors = new ErrorFile(path, csv, 1_000);
  errors.setHead(['email']);
  const nothing = errors.mark();
  for (let row = 2; row < 200; row++) await errors.add(row, 'bad', ['long']);
  await errors.backTo(nothing);
  expect([errors.count, errors.numbers]).toEqual([0, '']);
  await errors.add(5, 'bad', ['é']);
  const one = errors.mark();
  for (let row = 6; row < 200; row++) await errors.add(row, 'bad', ['long']);
  await errors.backTo(one);
  await errors.add(7, 'bad', ['next']);
  expect(await errors.keep()).toBe(true);
  await errors.drop();
  expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
    '\ufeffemail;row;reason',
    'é;5;bad',
    'next;7;bad',
    '',
  ]);
  expect([errors.count, errors.numbers]).toEqual([2, '5,7']);
});

it('leaves nothing when it no longer exists back to nothing', async () => {
  const path = join(folder, 'none/a.csv');
  const errors = new ErrorFile(path, csv);
  const nothing = errors.mark();
  await errors.add(2, 'bad', ['x']);
  await errors.backTo(nothing);
  expect(await errors.keep()).toBe(false);
  await errors.drop();
  expect(existsSync(path)).toBe(false);
});
