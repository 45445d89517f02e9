import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearHold, keepSecretCheck, setHold } from '../installation/installation-store.ts';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { addHealth } from '../platform/http/health.ts';
import { addMetrics } from '../platform/http/metrics.ts';
import { cloneDatabase, type TestDatabase } from '../testing/database.ts';
import { addSendingGauges, sendingHealth } from './sending-health.ts';

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
