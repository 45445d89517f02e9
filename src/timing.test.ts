import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callerFinder } from './accounts/caller-store.ts';
import { createSftpAccount, siteOfLogin } from './accounts/sftp-account-store.ts';
import { newTokenText } from './accounts/token.ts';
import { createToken, revokeToken } from './accounts/token-store.ts';
import { makeToken, readToken } from './activity/link-token.ts';
import { operations } from './api.ts';
import { sql } from './platform/db/sql.ts';
import { makeServer } from './platform/http/server.ts';
import { friendHash } from './sending/forward.ts';
import { requestForwards } from './sending/forward-store.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { foreignTarget } from './testing/foreign-target.ts';
import { makeSending } from './testing/make-sending.ts';

/** How long two things take, told apart from chance. Durations are in milliseconds. */
interface TimingComparison {
  /** Between the medians of the two. */
  readonly difference: number;
  /** The spread of one and the same thing: from its first to its third quartile. */
  readonly noise: number;
}

/**
 * Times two requests that a stranger must not be able to tell apart, `tries` times each. They take turns, in an order
 * that changes with each turn: other work of the machine affects both alike.
 */
async function compareTimings(
  tries: number,
  first: (n: number) => Promise<unknown>,
  second: (n: number) => Promise<unknown>,
): Promise<TimingComparison> {
  const durations = { first: new Float64Array(tries), second: new Float64Array(tries) };
  for (let n = 0; n < tries; n++) {
    const turns = [
      ['first', first],
      ['second', second],
    ] as const;
    for (const [name, run] of n % 2 === 0 ? turns : turns.toReversed()) {
      const start = performance.now();
      await run(n);
      durations[name][n] = performance.now() - start;
    }
  }
  const [one, other] = [durations.first.sort(), durations.second.sort()];
  return {
    difference: Math.abs(quantile(one, 0.5) - quantile(other, 0.5)),
    noise: quantile(one, 0.75) - quantile(one, 0.25),
  };
}

const quantile = (sorted: Float64Array, share: number) => sorted[Math.floor((sorted.length - 1) * share)]!;

const tries = 10_000;
/** Each is a transaction that writes. */
const forwardTries = 3_000;

/** A stranger's request must take as long whether the requested thing exists or not. */
describe('time reveals nothing', { timeout: 300_000 }, () => {
  let t: TestApp;
  let server: FastifyInstance;
  let find: ReturnType<typeof callerFinder>;
  /** A token that reaches the site `demo` only. */
  let token: string;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
    find = callerFinder(t.app.control);
    const reader = {
      idUser: 1,
      label: '',
      role: 'reader',
      idsSite: [t.db.site.id],
      expiresAt: null,
    } as const;
    token = (await createToken(t.app.control, reader, t.clock.now())).text;
    server = makeServer({
      app: t.app,
      operations,
      findCaller: (text, site) => find(text, site, t.clock.now()),
    });
    await t.otherDb.run(sql`insert into ${t.otherDb.t.subscriber} (fld1) values ('known@example.com')`);
  });
  afterAll(async () => {
    await server.close();
    await t.close();
  });

  const get = (url: string) => server.inject({ url, headers: { authorization: `Bearer ${token}` } });
  const lookUp = (by: string, value: string) =>
    get(`/v1/demo/subscribers?filter.by=Email&filter.emailEncoding=${by}&filter.values=${value}`);
  const signIn = async (login: string, password: string) =>
    siteOfLogin(t.app.control, t.app.secrets, login, { kind: 'password', password });

  async function expectAlike(
    one: (n: number) => Promise<unknown>,
    other: (n: number) => Promise<unknown>,
    times = tries,
  ) {
    const { difference, noise } = await compareTimings(times, one, other);
    expect(difference).toBeLessThan(noise);
  }

  test('of a token that is nearly right, and one that is not at all', async () => {
    // Made beforehand: the making must not be measured.
    const near = Array.from({ length: 100 }, (_, n) => token.slice(0, -2) + n.toString().padStart(2, '0'));
    const far = near.map(newTokenText);
    await expectAlike(
      (n) => find(near[n % 100]!, 'demo', t.clock.now()),
      (n) => find(far[n % 100]!, 'demo', t.clock.now()),
    );
  });

  test('of a token that has ended, and one that never was', async () => {
    const ended = await createToken(
      t.app.control,
      { idUser: 1, label: '', role: 'reader', idsSite: null, expiresAt: null },
      t.clock.now(),
    );
    await revokeToken(t.app.control, ended.id, t.clock.now());
    const never = newTokenText();
    await expectAlike(
      () => find(ended.text, 'demo', t.clock.now()),
      () => find(never, 'demo', t.clock.now()),
    );
  });

  test('of a site that the token does not reach, and one that does not exist', async () => {
    expect((await get('/v1/other/fields')).statusCode).toBe(404);
    await expectAlike(
      () => get('/v1/other/fields'),
      () => get('/v1/nobody/fields'),
    );
  });

  test('of an address that another site has, and one that nobody has', async () => {
    await expectAlike(
      () => lookUp('None', 'known@example.com'),
      () => lookUp('None', 'never@example.com'),
    );
  });

  test.each([
    ['MD5', 'md5'],
    ['SHA1', 'sha1'],
    ['SHA2_256', 'sha256'],
    ['SHA2_512', 'sha512'],
  ])('of the hash of such an address: %s', async (encoding, algorithm) => {
    const hash = (text: string) => createHash(algorithm).update(text).digest('hex');
    const [known, never] = [hash('known@example.com'), hash('never@example.com')];
    expect((await lookUp(encoding, known)).json()).toMatchObject({ success: true, data: [null] });
    await expectAlike(
      () => lookUp(encoding, known),
      () => lookUp(encoding, never),
    );
  });

  test('of an object that another site has, and one that nobody has', async () => {
    const foreign = await foreignTarget(t);
    const answers = await Promise.all([foreign, 999_999].map((id) => get(`/v1/demo/targets/${id}`)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
    await expectAlike(
      () => get(`/v1/demo/targets/${foreign}`),
      () => get('/v1/demo/targets/999999'),
    );
  });

  test('of a friend to forward to who is a subscriber, and one who is not', async () => {
    // Each time another reader and another friend, so that no limit is met.
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1)
      select 'known' || i || '@example.com' from generate_series(0, ${forwardTries - 1}::int) i`);
    const { idSent } = await makeSending(t.db, { recipients: 0 });
    // As the page requests them; it does nothing else with an address than to find its hash.
    const forward = async (idSubscriber: number, email: string) => {
      const friends = [{ email, hash: friendHash(t.app.secrets, t.db.site.id, email) }];
      const at = t.clock.now();
      return requestForwards(t.db, { idSent, idSubscriber, friends, name: '', language: 'en', at });
    };
    // The transaction takes so much that a statement more would be lost in the noise: they are compared themselves.
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7) values ('known@example.com', 0), ('left@example.com', 1)`);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const statements = async (idSubscriber: number, email: string) => {
      query.mockClear();
      expect(await forward(idSubscriber, email)).toBe('asked');
      return query.mock.calls.map(([asked]: unknown[]) => (asked as { text?: string }).text ?? asked);
    };
    // The first one of a site also marks it as having work.
    await statements(9_000_000, 'first@example.com');
    const ofNever = await statements(9_000_001, 'never@example.com');
    expect(ofNever.length).toBeGreaterThan(3);
    expect(await statements(9_000_002, 'known@example.com')).toEqual(ofNever);
    expect(await statements(9_000_003, 'left@example.com')).toEqual(ofNever);
    query.mockRestore();
    await expectAlike(
      (n) => forward(2 * n + 1, `known${n}@example.com`),
      (n) => forward(2 * n + 2, `never${n}@example.com`),
      forwardTries,
    );
    const { n } = await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.forward}`);
    expect(n).toBe(2 * forwardTries + 4);
  });

  test('of an SFTP login that exists, and one that does not', async () => {
    await createSftpAccount(t.app.control, t.app.secrets, t.db.site);
    await expectAlike(
      () => signIn('demo', 'wrong'),
      () => signIn('nemo', 'wrong'),
    );
  });

  test('of a link whose signature is nearly right, and one whose is not at all', async () => {
    const link = makeToken(t.app.secrets, { kind: 'open', idSite: 1, idSent: 1, idSubscriber: 1 });
    const near = `${link.slice(0, -3)}AAA`;
    const far = link.slice(0, -12) + randomBytes(9).toString('base64url');
    await expectAlike(
      async () => readToken(t.app.secrets, 'open', near),
      async () => readToken(t.app.secrets, 'open', far),
    );
  });

  // Ten, so that a machine that is busy at that moment does not hide them.
  test('and some statements more would be noticed', async () => {
    const { difference, noise } = await compareTimings(
      500,
      () => signIn('demo', 'wrong'),
      async () => {
        for (let i = 0; i < 10; i++) await t.app.control.first(sql`select 1`);
        return signIn('nemo', 'wrong');
      },
    );
    expect(difference).toBeGreaterThan(noise);
  });
});
