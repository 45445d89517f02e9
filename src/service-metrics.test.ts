import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { createTransport } from 'nodemailer';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from './activity/link-token.ts';
import { makeReturnPath } from './activity/return-path.ts';
import { startSmtpListener } from './bounces/smtp-listener.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { EventCounts } from './platform/event-counts.ts';
import { addMetrics } from './platform/http/metrics.ts';
import { moveJob } from './sending/job-store.ts';
import { addSendingGauges } from './sending/sending-health.ts';
import { addServiceMetrics } from './service-metrics.ts';
import type { TestApp } from './testing/app.ts';
import { ExportTester } from './testing/export-tester.ts';
import { type ImportTester, importApp } from './testing/import-tester.ts';
import { appOver } from './testing/make-app.ts';
import { makeSending } from './testing/make-sending.ts';
import { complaint, dsn } from './testing/reports.ts';
import { SendingTester } from './testing/sending-tester.ts';
import { tcpProxy } from './testing/tcp-proxy.ts';
import { browser, trackingServer } from './testing/tracking-server.ts';
import { until } from './testing/until.ts';
import { trackingHandler } from './tracking/tracking-handler.ts';

describe('the metrics of the installation', () => {
  let t: TestApp;
  let imports: ImportTester;
  let sending: SendingTester;
  beforeAll(async () => {
    ({ t, tester: imports } = await importApp());
    sending = new SendingTester(t);
  });
  afterEach(() => sending.end());
  afterAll(() => t.close());

  /** A process of the service that reports its metrics; its figures are read at each scrape. */
  function reporting(app = t.app) {
    const server = Fastify();
    const registry = addMetrics(server, app.control);
    addServiceMetrics(registry, app, 0);
    addSendingGauges(registry, app.control);
    return {
      registry,
      close: () => server.close(),
      async scrape(): Promise<string> {
        const { statusCode, body } = await server.inject({ method: 'GET', url: '/metrics' });
        expect(statusCode).toBe(200);
        return body;
      },
    };
  }

  /** The values of a metric, by its labels as they are written. */
  function valuesOf(body: string, name: string): Record<string, number> {
    const lines = body
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return Object.fromEntries(
      lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  }

  it('count mail by site, provider and outcome, the same in every process, with queue and relays', async () => {
    const sink = await sending.relay({
      misdeed: (to) => {
        const n = Number(/^r(\d+)-/.exec(to)?.[1]);
        return ({ 3: 'refuse', 4: 'defer', 6: 'takeAndTear' } as const)[n];
      },
    });
    sending.engine();
    const options = { recipients: 6, domain: 'gmail.com', domainOfEveryOther: 'shop.example' };
    const made = await makeSending(t.db, options);
    const one = reporting();
    const other = reporting();
    const mail = async (from = one) => {
      await t.app.counts!.flush(t.app.control);
      return valuesOf(await from.scrape(), 'facteur_mail_total');
    };
    const expected = {
      '{site="demo",provider="Gmail",outcome="accepted"}': 2,
      '{site="demo",provider="Gmail",outcome="refused"}': 1,
      '{site="demo",provider="(other)",outcome="accepted"}': 1,
      '{site="demo",provider="(other)",outcome="deferred"}': 1,
      '{site="demo",provider="(other)",outcome="uncertain"}': 1,
    };
    const sum = (values: Record<string, number>) => Object.values(values).reduce((a, b) => a + b, 0);
    await until(async () => sum(await mail()) === 6, 'every attempt is counted');
    expect(await mail()).toEqual(expected);
    expect(await mail(other)).toEqual(expected);
    const relayed = async () => valuesOf(await one.scrape(), 'facteur_relay_up');
    await until(async () => Object.keys(await relayed()).length > 0, 'the relay is noted');
    expect(await relayed()).toEqual({ [`{relay="127.0.0.1:${sink.port}"}`]: 1 });
    // The recipient who was deferred keeps the range open.
    const body = await one.scrape();
    expect(valuesOf(body, 'facteur_mail_queue_recipients')).toMatchObject({
      '{site="demo"}': 6,
      '{site="other"}': 0,
    });
    await moveJob(t.db, made.idJob, 'Paused');
    expect(valuesOf(await one.scrape(), 'facteur_mail_queue_recipients')).toMatchObject({
      '{site="demo"}': 0,
    });

    const listener = await startSmtpListener(t.app, 0, new Registry());
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    const { id } = await t.db.one<{ id: number }>(sql`
      select fld0 as id from ${t.db.t.subscriber} where fld1 = ${`r1-${made.idJob}@gmail.com`}`);
    const ids = { idSite: t.db.site.id, idSent: made.idSent, idSubscriber: id };
    const to = makeReturnPath(t.app.secrets, ids, 'mail.test');
    for (const raw of [dsn({ to }), dsn({ to }), complaint({ to })])
      await transport.sendMail({ envelope: { from: '', to }, raw });
    await listener.close();
    expect(await mail()).toEqual({
      ...expected,
      '{site="demo",provider="Gmail",outcome="bounced"}': 1,
      '{site="demo",provider="Gmail",outcome="complained"}': 1,
    });
    await Promise.all([one.close(), other.close()]);
  });

  it('count imports, exports and hits, and report what waits', async () => {
    imports.put('email;name\nada@example.org;Ada\n');
    const { id } = await imports.make({});
    await imports.run(id);
    const missing = await imports.make({ filename: 'missing.csv' });
    await imports.run(missing.id);
    await new ExportTester(t).export();
    const tracking = await trackingServer(t.app);
    const { idSent } = await makeSending(t.db, { recipients: 1 });
    const token = makeToken(t.app.secrets, { kind: 'open', idSite: t.db.site.id, idSent, idSubscriber: 1 });
    for (let n = 0; n < 3; n++)
      await fetch(`${tracking.url}/o/${token}`, { headers: { 'user-agent': browser } });
    await tracking.settle();
    await tracking.close();
    await t.app.counts!.flush(t.app.control);
    const one = reporting();
    const body = await one.scrape();
    expect(valuesOf(body, 'facteur_imports_total')).toEqual({
      '{site="demo",state="Completed"}': 1,
      '{site="demo",state="PackageErrorCreation"}': 1,
    });
    expect(valuesOf(body, 'facteur_exports_total')).toEqual({ '{site="demo",state="COMPLETED"}': 1 });
    expect(valuesOf(body, 'facteur_hits_total')).toEqual({ '{site="demo"}': 3 });
    expect(valuesOf(body, 'facteur_aggregation_backlog_hits')).toEqual({
      '{site="demo"}': 3,
      '{site="other"}': 0,
    });
    // What follows the import and the export waits for a worker.
    expect(valuesOf(body, 'facteur_tasks')).toMatchObject({ '{task="finishExport",state="waiting"}': 1 });
    expect(valuesOf(body, 'facteur_task_age_seconds')).toHaveProperty('{task="finishExport"}');
    await one.close();
  });

  it('keep their values while the database is unavailable, and no scrape waits for it', async () => {
    const proxy = await tcpProxy(t.connection);
    const control: Database = openDatabase({ ...proxy.connection, max: 4 }, () => undefined);
    const one = reporting(appOver(t.app, control));
    const before = valuesOf(await one.scrape(), 'facteur_hits_total');
    // Connections stay without a reply: the worst way to be unavailable.
    proxy.hold();
    const body = await one.scrape();
    expect(valuesOf(body, 'facteur_hits_total')).toEqual(before);
    expect(valuesOf(body, 'facteur_figures_age_seconds')['']).toBeGreaterThan(0);
    proxy.restore();
    await until(
      async () => (valuesOf(await one.scrape(), 'facteur_figures_age_seconds')[''] ?? 9) < 1,
      'it is back',
    );
    await one.close();
    await control.pool.end();
    await proxy.close();
  });

  it('bound the names that their labels hold', async () => {
    const counts = new EventCounts();
    await t.app.control.run(sql`
      insert into facteur.provider (id, name) select n, 'provider ' || n from generate_series(1000, 1040) n`);
    for (let n = 1000; n <= 1040; n++)
      counts.count({ idSite: t.otherDb.site.id, event: 'mail.accepted', idProvider: n });
    counts.count({ idSite: 987_654, event: 'hit' }, 5);
    await counts.flush(t.app.control);
    const one = reporting();
    const body = await one.scrape();
    const ofOther = Object.keys(valuesOf(body, 'facteur_mail_total')).filter((one) =>
      one.includes('"other"'),
    );
    expect(ofOther.length).toBeLessThanOrEqual(31);
    expect(valuesOf(body, 'facteur_mail_total')).toHaveProperty([
      '{site="other",provider="(more)",outcome="accepted"}',
    ]);
    expect(valuesOf(body, 'facteur_hits_total')).toMatchObject({ '{site="(more)"}': 5 });
    await one.close();
  });

  it('hold every metric that the Grafana dashboard names', async () => {
    const text = readFileSync(new URL('../deploy/grafana-dashboard.json', import.meta.url), 'utf8');
    const named = new Set(text.match(/\bfacteur_\w+/g));
    const one = reporting();
    const tracking = trackingHandler(t.app);
    tracking.addMetrics(one.registry);
    const listener = await startSmtpListener(t.app, 0, one.registry);
    const known = (await one.registry.getMetricsAsJSON()).map(({ name }) => name);
    const parts = (name: string) => [name, ...['_count', '_sum', '_bucket'].map((end) => name + end)];
    expect([...named].filter((name) => !known.flatMap(parts).includes(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(15);
    await listener.close();
    await tracking.close();
    await one.close();
  });
});
