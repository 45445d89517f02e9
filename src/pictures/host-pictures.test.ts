import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type PictureHost, pictureHost } from '../testing/listening.ts';
import { noisePicture } from '../testing/noise-picture.ts';
import { until } from '../testing/until.ts';
import { fetchPictures, storePictures } from './host-pictures.ts';
import type { PictureFile } from './picture.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: [] });
});
afterAll(() => t.close());

it('two contents at once that have the same new pictures in other orders do not end in a deadlock', async () => {
  const picture = async (width: number): Promise<[string, PictureFile]> => {
    const content = await noisePicture(width, 4, 'jpg');
    return [`http://a.fr/${width}.jpg`, { content, type: 'jpg', width, height: 4 }];
  };
  const [a, b] = [await picture(4), await picture(5)];
  const hosting = { app: t.app, idDirectory: null, author: { id: 1, name: 'Ada' }, at: t.clock.now() };
  const fetched = (...found: [string, PictureFile][]) => ({ html: '', places: [], found: new Map(found) });
  const other = await t.db.transaction(async (tx) => {
    await storePictures(tx, fetched(a), hosting);
    const waits = t.db.transaction((tx2) => storePictures(tx2, fetched(b, a), hosting));
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const waiting = sql`select from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
    await until(async () => (await t.db.rows(waiting)).length === 1, 'the other waits');
    await storePictures(tx, fetched(b), hosting);
    return { waits };
  });
  expect((await other.waits).result.map(({ status }) => status)).toEqual(['uploaded', 'uploaded']);
  const { n } = await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.picture}`);
  expect(n).toBe(2);
});

describe('the limits of fetching', () => {
  let host: PictureHost | undefined;
  afterEach(async () => {
    vi.restoreAllMocks();
    await host?.close();
  });

  const htmlOf = (paths: readonly string[]) =>
    paths.map((path) => `<img src="${host!.url}${path}">`).join('');
  const fetched = async (paths: readonly string[]) => [
    ...(await fetchPictures(t.app, htmlOf(paths))).found.values(),
  ];

  /** Timeouts that end on demand, by their milliseconds. */
  function timeoutsByHand(): { readonly made: number[]; end(ms: number): void } {
    const timeouts: [ms: number, controller: AbortController][] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController();
      timeouts.push([ms, controller]);
      return controller.signal;
    });
    return {
      get made() {
        return timeouts.map(([ms]) => ms);
      },
      end(ms) {
        for (const [of, controller] of timeouts)
          if (of === ms) controller.abort(new DOMException('Late', 'TimeoutError'));
      },
    };
  }

  it('a picture has ten seconds, and the next ones have their turn', async () => {
    host = await pictureHost({
      '/silent': () => undefined,
      '/dripping': (_, response) => void response.writeHead(200).write('x'),
    });
    const timeouts = timeoutsByHand();
    const found = fetched(['/silent', '/dripping', '/silent?2', '/dripping?2', '/next']);
    await until(() => host!.asked.length === 4, 'four are asked for');
    timeouts.end(10_000);
    const late = 'no complete response within 10 seconds';
    expect(await found).toEqual([late, late, late, late, 'HTTP 404']);
    expect(timeouts.made).toEqual([20_000, 10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  it('all of them together have twenty', async () => {
    host = await pictureHost({ '/silent': () => undefined });
    const timeouts = timeoutsByHand();
    const found = fetched([1, 2, 3, 4, 5, 6].map((n) => `/silent?${n}`));
    await until(() => host!.asked.length === 4, 'four are asked for');
    timeouts.end(20_000);
    expect(await found).toEqual(Array(6).fill('aborted: the total time limit was reached'));
    expect(host.asked).toHaveLength(4);
  });

  it('a picture has 10 MB', async () => {
    const picture = await noisePicture(4, 4, 'png');
    // Read as far as its own end, whatever comes behind.
    const filled = (bytes: number) => Buffer.concat([picture], bytes);
    host = await pictureHost({ '/large': filled(10 * 1024 ** 2), '/larger': filled(10 * 1024 ** 2 + 1) });
    const [large, larger] = await fetched(['/large', '/larger']);
    expect(larger).toBe('larger than 10485760 bytes');
    expect(large).not.toBe(larger);
  });

  // Noise does not pack: each takes between 7.5 and 10 MB. Which of them find room depends on who is quick.
  const quarter = 7_864_320;
  const wide = (width: number) => noisePicture(width, 1_800, 'png');
  const filesOf = (found: readonly (PictureFile | string)[]) =>
    found.filter((one) => typeof one !== 'string');

  it('all of them together have 30 MB', async () => {
    const [a, b, c, d] = await Promise.all([1_800, 1_801, 1_802, 1_803].map(wide));
    host = await pictureHost({ '/a': a!, '/b': b!, '/c': c!, '/d': d! });
    const found = await fetched(['/a', '/b', '/c', '/d']);
    const files = filesOf(found);
    expect(files.every(({ content }) => content.length > quarter)).toBe(true);
    expect(new Set(files.map(({ width }) => width)).size).toBe(3);
    expect(files).toHaveLength(3);
    expect(found).toContain('all pictures together are larger than 31457280 bytes');
  });

  it('the same picture at several addresses counts once', async () => {
    const picture = await wide(1_800);
    host = await pictureHost({ '/a': picture });
    const files = filesOf(await fetched(['/a', '/a?2', '/a?3', '/a?4', '/a?5']));
    expect(files).toHaveLength(5);
    expect(files.every(({ content }) => content.length > quarter)).toBe(true);
    // One is kept of them, not five.
    expect(new Set(files.map(({ content }) => content)).size).toBe(1);
  });
});
