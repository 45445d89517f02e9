import { appendFile, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { Spool } from './spool.ts';
import type { SpoolRecord } from './spool-record.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'facteur-spool-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function record(number: number): SpoolRecord {
  const at = new Date('2026-11-20T10:00:00.123Z');
  const hit = {
    at,
    kind: hitKinds.open,
    class: hitClasses.human,
    rulesVersion: 1,
    isMobile: false,
    idSent: 1,
    idSubscriber: number,
    idLink: null,
    isViral: false,
    userAgent: 'line\u2028separator "é" \n',
    address: null,
  };
  const unsubscriptions = [{ at, idSent: 1, idSubscriber: number, origin: 'page' as const }];
  return { source: 'a', number, sites: [{ idSite: 1, hits: [hit], unsubscriptions }] };
}

async function read(spool: Spool, path: string): Promise<SpoolRecord[]> {
  const records: SpoolRecord[] = [];
  for await (const one of spool.records(path)) records.push(one);
  return records;
}

describe('the spool', () => {
  it('gives back what was appended, in order, once the file is finished', async () => {
    const spool = new Spool(join(dir, 'deep', 'spool'));
    expect(await spool.readable()).toEqual([]);
    await Promise.all([1, 2, 3].map((number) => spool.append(record(number))));
    expect(await spool.readable()).toEqual([]);
    await spool.finish();
    const [path] = await spool.readable();
    expect(await read(spool, path!)).toEqual([1, 2, 3].map(record));
    await spool.remove(path!);
    await spool.remove(path!);
    expect(await spool.readable()).toEqual([]);
  });

  it('ends at a line that a crash cut', async () => {
    const spool = new Spool(dir);
    await spool.append(record(1));
    await spool.finish();
    const [path] = await spool.readable();
    const whole = JSON.stringify(record(2));
    for (const length of [1, 10, whole.length - 1]) {
      await appendFile(path!, whole.slice(0, length));
      expect(await read(spool, path!)).toEqual([record(1)]);
    }
  });

  it('leaves the file of a living process alone, and takes over that of a dead one', async () => {
    const spool = new Spool(dir);
    const other = new Spool(dir);
    await other.append(record(1));
    const [name] = await readdir(dir);
    const [host, , ...rest] = name!.split('-');
    // As a process that lives, and as one that does not: no process has this number.
    await rename(join(dir, name!), join(dir, [host, process.ppid, ...rest].join('-')));
    expect(await spool.readable()).toEqual([]);
    const orphan = join(dir, [host, 2 ** 22 + 1, ...rest].join('-'));
    await rename(join(dir, [host, process.ppid, ...rest].join('-')), orphan);
    expect(await spool.readable()).toEqual([orphan]);
    expect(await read(spool, orphan)).toEqual([record(1)]);
    await other.finish();
  });

  it('takes over the file of another machine when nobody touched it for a minute', async () => {
    const spool = new Spool(dir);
    await spool.append(record(1));
    await spool.finish();
    const [name] = await readdir(dir);
    const foreign = join(dir, ['elsewhere', ...name!.split('-').slice(1)].join('-'));
    await rename(join(dir, name!), foreign);
    expect(await spool.readable()).toEqual([]);
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(foreign, longAgo, longAgo);
    expect(await spool.readable()).toEqual([foreign]);
  });

  it('writes a record again when its file was taken over meanwhile', async () => {
    const spool = new Spool(dir);
    await spool.append(record(1));
    const [name] = await readdir(dir);
    await rm(join(dir, name!));
    await spool.append(record(2));
    await spool.finish();
    const [path] = await spool.readable();
    expect(await read(spool, path!)).toEqual([record(2)]);
  });

  it('writes a record again when another process has begun to read its file', async () => {
    const [owner, other] = [new Spool(dir), new Spool(dir)];
    await owner.append(record(1));
    const claimed = await other.claim(join(dir, (await readdir(dir))[0]!));
    await owner.append(record(2));
    // Read by the one or by both; which is stored decides the database.
    expect(await read(other, claimed!)).toEqual([record(1), record(2)]);
    await other.remove(claimed!);
    await owner.finish();
    const [path] = await owner.readable();
    expect(await read(owner, path!)).toEqual([record(2)]);
    expect(await other.claim(join(dir, 'gone.hits'))).toBeUndefined();
  });

  it('keeps what the database refuses out of the way', async () => {
    const spool = new Spool(dir);
    await spool.setAside(record(1));
    expect(await spool.readable()).toEqual([]);
    expect(await readdir(dir)).toEqual([expect.stringMatching(/\.refused$/)]);
  });
});
