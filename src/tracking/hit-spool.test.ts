import { appendFile, mkdtemp, readdir, rename, rm, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hitKinds } from '../activity/hit.ts';
import { makeHit, packHits } from '../testing/make-activity.ts';
import { HitSpool, type SpoolFile } from './hit-spool.ts';
import { readSpool, UnreadableSpool } from './spool-reader.ts';
import type { SiteFacts, SpoolRecord } from './spool-record.ts';

let dir: string;
let spools: HitSpool[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'facteur-spool-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const spool of spools) await spool.finish();
  spools = [];
  await rm(dir, { recursive: true, force: true });
});

function spoolIn(path: string, limits?: ConstructorParameters<typeof HitSpool>[1]): HitSpool {
  const spool = new HitSpool(path, limits);
  spools.push(spool);
  return spool;
}

/** Facts about one reader. */
function facts(idSubscriber: number, userAgent = 'line\u2028separator "é"'): SiteFacts[] {
  const pack = packHits([makeHit(1, idSubscriber, hitKinds.open, { userAgent })]);
  const at = new Date('2026-11-20T10:00:00.123Z');
  return [{ idSite: 1, pack, unsubscriptions: [{ at, idSent: 1, idSubscriber, origin: 'page' }] }];
}

async function read(file: SpoolFile, from = 0): Promise<SpoolRecord[]> {
  const records: SpoolRecord[] = [];
  for await (const piece of readSpool(file, from)) records.push(...piece.records);
  return records;
}

/** All that a spool can read, record by record. */
async function readAll(spool: HitSpool): Promise<SpoolRecord[]> {
  return (await Promise.all((await spool.readable()).map((file) => read(file)))).flat();
}

/** Gives the only file of the spool the name of a file of that process; its path. */
async function giveTo(host: string | undefined, pid: number | string | undefined): Promise<string> {
  const [name = ''] = await readdir(dir);
  const [ofHost, ofPid, ...rest] = name.split('-');
  const path = join(dir, [host ?? ofHost, pid ?? ofPid, ...rest].join('-'));
  await rename(join(dir, name), path);
  return path;
}

/** No process has this number. */
const deadPid = 2 ** 22 + 1;

describe('the spool', () => {
  it('releases what was appended, in order and numbered, while it is written and after', async () => {
    const spool = spoolIn(join(dir, 'deep', 'spool'));
    expect(await spool.readable()).toEqual([]);
    await Promise.all([1, 2, 3].map((id) => spool.append(facts(id))));
    const records = await readAll(spool);
    expect(records.map((one) => one.number)).toEqual([1, 2, 3]);
    expect(records.map((one) => one.sites)).toEqual([facts(1), facts(2), facts(3)]);
    expect(new Set(records.map((one) => one.source)).size).toBe(1);
    await spool.finish();
    expect(await readAll(spool)).toEqual(records);
    const [file] = await spool.readable();
    expect(file?.bytes).toBe(Number.POSITIVE_INFINITY);
    await spool.remove(file!.path);
    expect(await spool.readable()).toEqual([]);
  });

  it('is read on from where a piece ended', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    const [first] = await spool.readable();
    await spool.append(facts(2));
    const [both] = await spool.readable();
    expect((await read(first!)).map((one) => one.number)).toEqual([1]);
    expect((await read(both!, first!.bytes)).map((one) => one.number)).toEqual([2]);
    expect(await read(both!, both!.bytes)).toEqual([]);
  });

  it('is read in pieces of some size, however long a line is', async () => {
    const spool = spoolIn(dir);
    const long = 'x'.repeat(700_000);
    for (const id of [1, 2, 3]) await spool.append(facts(id, long));
    await spool.append(facts(4, 'y'.repeat(3_000_000)));
    const [file] = await spool.readable();
    const pieces: number[][] = [];
    let end = 0;
    for await (const piece of readSpool(file!, 0)) {
      pieces.push(piece.records.map((one) => one.number));
      end = piece.end;
    }
    expect(pieces).toEqual([[1], [2], [3], [4]]);
    expect(end).toBe(file!.bytes);
  });

  it('begins another file, and another source, when one is large enough', async () => {
    const spool = spoolIn(dir, { fileBytes: 1 });
    for (const id of [1, 2]) await spool.append(facts(id));
    const records = await readAll(spool);
    expect(records.map((one) => one.number)).toEqual([1, 1]);
    expect(new Set(records.map((one) => one.source)).size).toBe(2);
  });

  it('begins another file when one is an hour old', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 3_600_001);
    await spool.append(facts(2));
    expect(await readdir(dir)).toHaveLength(2);
    vi.spyOn(performance, 'now').mockImplementation(() => now + 7_200_002);
    await spool.touch();
    const bytes = (await spool.readable()).map((file) => file.bytes);
    expect(bytes).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  it('drops the end of a line that a crash cut', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    await spool.finish();
    const [file] = await spool.readable();
    const [record] = await read(file!);
    const whole = JSON.stringify({ ...record, number: 2 });
    for (const length of [1, 10, whole.length - 1]) {
      await appendFile(file!.path, whole.slice(0, length));
      expect(await read(file!)).toEqual([record]);
    }
  });

  it('leaves the file of a living process alone, and takes over that of a dead one', async () => {
    const spool = spoolIn(dir);
    const other = spoolIn(dir);
    await other.append(facts(1));
    await giveTo(undefined, process.ppid);
    expect(await spool.readable()).toEqual([]);
    const orphan = await giveTo(undefined, deadPid);
    expect(await spool.readable()).toEqual([{ path: orphan, bytes: Number.POSITIVE_INFINITY }]);
    expect((await readAll(spool)).map((one) => one.sites)).toEqual([facts(1)]);
    const claimed = await spool.claim(orphan);
    expect(await spool.claim(orphan)).toBeUndefined();
    expect((await spool.readable()).map((file) => file.path)).toEqual([claimed]);
    await other.finish();
  });

  it('takes over the file of another machine when nobody touched it for a minute', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    await spool.finish();
    const foreign = await giveTo('elsewhere', undefined);
    expect(await spool.readable()).toEqual([]);
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(foreign, longAgo, longAgo);
    expect((await spool.readable()).map((file) => file.path)).toEqual([foreign]);
  });

  it('takes over a file that was touched in a time to come, before the clock was set back', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    await spool.finish();
    const foreign = await giveTo('elsewhere', undefined);
    const toCome = new Date(Date.now() + 86_400_000);
    await utimes(foreign, toCome, toCome);
    expect((await spool.readable()).map((file) => file.path)).toEqual([foreign]);
  });

  it('keeps ended files from being taken for orphans, and the time at which they were written', async () => {
    const [spool, other] = [spoolIn(dir), spoolIn(dir)];
    await spool.append(facts(1));
    await spool.finish();
    const longAgo = new Date(Date.now() - 3 * 86_400_000);
    const owned = join(dir, (await readdir(dir))[0]!);
    await utimes(owned, longAgo, longAgo);
    await spool.touch();
    const foreign = await giveTo('elsewhere', undefined);
    expect(await other.readable()).toEqual([]);
    expect(await other.isOlderThan(foreign, 2)).toBe(true);
    await utimes(foreign, longAgo, longAgo);
    const claimed = await other.claim(foreign);
    expect(claimed).toBeDefined();
    await giveTo('elsewhere', undefined);
    expect(await spool.readable()).toEqual([]);
  });

  it('loses nothing that is written while ended files are read and removed', async () => {
    const spool = spoolIn(dir, { fileBytes: 1 });
    const ids = Array.from({ length: 300 }, (_, i) => i + 1);
    const found = new Set<number>();
    const clear = async () => {
      for (const file of await spool.readable()) {
        for (const { sites } of await read(file)) found.add(sites[0]!.unsubscriptions[0]!.idSubscriber);
        if (file.bytes === Number.POSITIVE_INFINITY) await spool.remove(file.path);
      }
    };
    let isWritten = false;
    const written = (async () => {
      for (const id of ids) await spool.append(facts(id));
      isWritten = true;
    })();
    while (!isWritten) await clear();
    await written;
    await spool.finish();
    await clear();
    expect(ids.filter((id) => !found.has(id))).toEqual([]);
  });

  it('acknowledges nothing in a file that was taken over', async () => {
    const [owner, other] = [spoolIn(dir), spoolIn(dir)];
    await owner.append(facts(1));
    const [name = ''] = await readdir(dir);
    const claimed = await other.claim(join(dir, name));
    await expect(owner.append(facts(2))).rejects.toThrow('taken over');
    await other.remove(claimed!);
    await owner.append(facts(3));
    expect((await readAll(owner)).map((one) => one.sites)).toEqual([facts(3)]);
  });

  it('passes over a file that another process took', async () => {
    const [owner, other] = [spoolIn(dir), spoolIn(dir)];
    await owner.append(facts(1));
    const [file] = await owner.readable();
    await other.claim(file!.path);
    expect(await read(file!)).toEqual([]);
  });

  it('gives lines that are no records apart, and refuses a file with a line without end', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    await spool.finish();
    const [file] = await spool.readable();
    const others = ['null\n', '7\n', '{}\n', '{"source":"a","number":1,"sites":[null]}\n', 'x\ufffd\n', '\n'];
    await appendFile(file!.path, others.join(''));
    const pieces = [];
    for await (const piece of readSpool(file!, 0)) pieces.push(piece);
    expect(pieces.map((piece) => piece.records.length)).toEqual([1]);
    expect(pieces.map((piece) => piece.others)).toEqual([others]);
    await truncate(file!.path, 80 * 1024 ** 2);
    await expect(read(file!)).rejects.toThrow(UnreadableSpool);
  });

  it('continues in another file after a write that failed', async () => {
    const spool = spoolIn(dir);
    await spool.append(facts(1));
    const circular: { self?: unknown } = {};
    circular.self = circular;
    await expect(spool.append([circular as unknown as SiteFacts])).rejects.toThrow('circular');
    await spool.append(facts(2));
    expect((await readAll(spool)).map((one) => one.sites)).toEqual(
      expect.arrayContaining([facts(1), facts(2)]),
    );
    expect(await readdir(dir)).toHaveLength(2);
  });

  it('leaves no file behind when nothing could be written', async () => {
    const spool = spoolIn(dir);
    const noFacts = 1n as unknown as SiteFacts;
    await expect(spool.append([noFacts])).rejects.toThrow('BigInt');
    expect(await readdir(dir)).toEqual([]);
  });

  it('refuses more than its share of the disk, and takes more when some was stored', async () => {
    const spool = spoolIn(dir, { fileBytes: 1, allBytes: 1_000 });
    const refused = async () =>
      spool.append(facts(1)).then(
        () => false,
        (error) => /full/.test(error.message),
      );
    let appended = 0;
    while (!(await refused())) appended++;
    expect(appended).toBeGreaterThan(1);
    expect(await readdir(dir)).toHaveLength(appended);
    for (const file of (await spool.readable()).slice(0, 2)) await spool.remove(file.path);
    expect(await refused()).toBe(false);
  });
});
