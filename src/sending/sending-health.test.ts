import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearHold, keepSecretCheck, setHold } from '../installation/installation-store.ts';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { RecentTotal } from '../platform/event-counts.ts';
import { addHealth } from '../platform/http/health.ts';
import { addMetrics } from '../platform/http/metrics.ts';
import { cloneDatabase, type TestDatabase } from '../testing/database.ts';
import { addSendingGauges, deferringProviders, sendingHealth } from './sending-health.ts';

describe('the health of sending', () => {
  let database: TestDatabase;
  let server: FastifyInstance;

  beforeEach(async () => {
    database = await cloneDatabase();
    server = Fastify();
    const control = database.database;
    addHealth(server, { control, isStopping: () => false, parts: [() => sendingHealth(control)] });
    addSendingGauges(addMetrics(server, control), control);
  });
  afterEach(async () => {
    await server.close();
    await database.close();
  });

  const get = (url: string) => server.inject({ method: 'GET', url });

  it('reports a hold, and stays ready', async () => {
    const { database: control } = database;
    expect((await get('/health/ready')).json()).toMatchObject({ sending: 'free', stalledSendings: 0 });
    await keepSecretCheck(control, Buffer.from('any'));
    await setHold(control, 'a copy', new Date());
    const held = await get('/health/ready');
    expect([held.statusCode, held.json().sending]).toEqual([200, 'held']);
    expect((await get('/metrics')).body).toContain('facteur_sending_held 1\n');
    await clearHold(control);
    expect((await get('/metrics')).body).toContain('facteur_sending_held 0\n');
  });

  it('reports sendings that make no progress, and those that no worker watches', async () => {
    const { database: control } = database;
    await control.run(
      sql`insert into facteur.sending_job (id_site, id_job) select id, 7 from facteur.site limit 1`,
    );
    const reported = async () => {
      const { stalledSendings } = (await get('/health/ready')).json();
      expect((await get('/metrics')).body).toContain(`facteur_sendings_stalled ${stalledSendings}\n`);
      return stalledSendings;
    };
    expect(await reported()).toBe(0);
    await control.run(sql`update facteur.sending_job set is_stalled = true`);
    expect(await reported()).toBe(1);
    await control.run(sql`
      update facteur.sending_job set is_stalled = false, watched_at = clock_timestamp() - interval '11 minutes'`);
    expect(await reported()).toBe(1);
    expect((await get('/health/ready')).statusCode).toBe(200);
  });

  it('shows no figures without the database', async () => {
    const nowhere = openDatabase({ host: '/nowhere' }, () => undefined);
    expect(await sendingHealth(nowhere)).toEqual({ isReady: true, told: {} });
    await nowhere.pool.end();
  });
});

const now = Date.parse('2026-11-20T10:04:00Z');
/** The counts of a provider, `steps` of ten minutes ago. */
const counted = (
  idProvider: number,
  steps: number,
  totals: Readonly<Record<string, number>>,
): RecentTotal[] => {
  const at = new Date(Date.parse('2026-11-20T10:00:00Z') - steps * 600_000);
  return Object.entries(totals).map(([event, total]) => ({
    ...{ idProvider, event: `mail.${event}`, total, at },
    ageS: (now - at.getTime()) / 1_000,
  }));
};
const time = (at: Date) => at.toISOString().slice(11, 16);
const found = (...totals: readonly RecentTotal[][]) =>
  deferringProviders(totals.flat()).map(({ idProvider, nbAttempts, nbDeferred, since }) => [
    ...[idProvider, nbAttempts, nbDeferred, time(since)],
  ]);

describe('deferringProviders', () => {
  it('is empty without attempts, for fewer than ten deferrals, and below a tenth of the attempts', () => {
    expect(found()).toEqual([]);
    expect(found(counted(3, 0, { accepted: 1, deferred: 9 }))).toEqual([]);
    expect(found(counted(3, 0, { accepted: 901, deferred: 99 }))).toEqual([]);
    expect(found(counted(3, 0, { bounced: 1_000, complained: 20 }))).toEqual([]);
  });

  it('counts every attempt of the last minutes, and puts the largest share first', () => {
    expect(
      found(
        counted(3, 0, { accepted: 80, refused: 5, uncertain: 3, deferred: 12, bounced: 900 }),
        counted(4, 0, { accepted: 10, deferred: 10 }),
        counted(4, 1, { accepted: 20, deferred: 60 }),
      ),
    ).toEqual([
      [4, 100, 70, '09:50'],
      [3, 100, 12, '10:00'],
    ]);
  });

  it('begins with the first of the steps in a row that defer', () => {
    const slow = { accepted: 50, deferred: 50 };
    const steps = [1, 2, 3].flatMap((ago) => counted(3, ago, slow));
    expect(found(steps, counted(3, 4, { accepted: 100 }), counted(3, 5, slow))).toEqual([
      [3, 100, 50, '09:30'],
    ]);
    expect(found(steps, counted(3, 0, slow))).toEqual([[3, 200, 100, '09:30']]);
    // The step that just began has only a few attempts, which went well.
    expect(found(steps, counted(3, 0, { accepted: 3 }))[0]!.slice(0, 3)).toEqual([3, 103, 50]);
  });

  it('forgets what is longer ago', () => {
    expect(found(counted(3, 2, { deferred: 500 }), counted(3, 0, { accepted: 10 }))).toEqual([]);
  });
});
