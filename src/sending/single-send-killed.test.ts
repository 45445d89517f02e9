import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeCampaign, makeSubscribers } from '../testing/campaign-makers.ts';
import { untilSinglesOver } from '../testing/forwarding.ts';
import { Hold } from '../testing/hold.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import type { WorkerProcess } from '../testing/worker-process.ts';
import { sendingOperations } from './operations.ts';
import { addSends } from './single-message-store.ts';
import { singlesOf } from './single-versions.ts';

let t: TestApp;
let sending: SendingTester;
let campaignId: number;
beforeEach(async () => {
  t = await testApp({ operations: sendingOperations });
  // Worker processes have the real time.
  t.clock.advance(Date.now() - t.clock.now().getTime());
  sending = new SendingTester(t);
  sending.atEnd(() => t.close());
  await makeSubscribers(t.db, [1]);
  campaignId = await makeCampaign(t.db);
});
afterEach(() => sending.end());

const send = (key?: string) =>
  t.call('POST', '/campaigns/send-to-subscriber', {
    body: { campaignId, subscriberId: 1 },
    ...(key !== undefined && { key }),
  });
async function stateOf(id: string): Promise<string> {
  const message: { state: string } = (await t.call('GET', `/single-messages/${id}`)).data;
  return message.state;
}

async function startWorker(): Promise<WorkerProcess> {
  const worker = sending.worker({ leaseS: 600 });
  await worker.ready();
  return worker;
}

describe('single sends, when a process is killed', () => {
  it('between the commit of the call and the hand-over: sent once by the next one', async () => {
    const sink = await sending.relay();
    const { data: id } = await send();
    // The contents are read after the message is held, and before the intent.
    const hold = await Hold.of(t.connection, `lock table ${t.db.site.schema}.job in access exclusive mode`);
    const worker = await startWorker();
    await hold.reached();
    await worker.end('SIGKILL');
    await hold.letGo();
    expect(await stateOf(id)).toBe('Pending');
    await startWorker();
    await untilSinglesOver(t.db);
    expect(await stateOf(id)).toBe('Accepted');
    expect(sink.messages).toHaveLength(1);
  });

  it('after the final dot: uncertain, counted so, and never sent again', async () => {
    const sink = await sending.relay({ misdeed: () => 'takeAndHang' });
    const { data: id } = await send();
    const worker = await startWorker();
    await until(() => sink.messages.length > 0, 'the message is taken');
    await worker.end('SIGKILL');
    expect(await stateOf(id)).toBe('HandingOver');
    await startWorker();
    await untilSinglesOver(t.db);
    expect(await stateOf(id)).toBe('Uncertain');
    expect(sink.messages).toHaveLength(1);
    expect(await t.db.rows(sql`select state from ${t.db.t.receipt}`)).toEqual([{ state: 4 }]);
  });

  it('while a call is stored: nothing is kept, and the repeated call sends once', async () => {
    const sink = await sending.relay();
    sending.engine();
    const proxy = await tcpProxy(t.connection);
    sending.atEnd(() => proxy.close());
    const control = openDatabase({ ...proxy.connection, max: 2 }, () => undefined);
    sending.atEnd(() => control.pool.end());
    const db = (await siteFinder(control).site('demo'))!;
    const version = await singlesOf(t.app).versionOf(t.db, campaignId, t.clock.now());
    proxy.holdFrom(/single_message_site/);
    const storing = addSends(db, [
      {
        guid: '10000000-0000-4000-8000-000000000001',
        idSent: version.idSent,
        idSubscriber: 1,
        isTransactional: false,
        data: new Map(),
        clickTracker: '',
        frozen: undefined,
        attachments: [],
        key: { key: 'again', digest: 'x' },
        at: t.clock.now(),
      },
    ]).catch(() => 'failed');
    const stored = sql`
      select from pg_stat_activity
      where state = 'idle in transaction' and query like '%single_message_site%' and pid <> pg_backend_pid()`;
    await until(async () => (await t.db.rows(stored)).length > 0, 'the rows are written');
    proxy.cut();
    expect(await storing).toBe('failed');
    const reply = await send('again');
    expect(reply.status).toBe(200);
    expect((await send('again')).data).toBe(reply.data);
    await untilSinglesOver(t.db);
    expect(sink.messages).toHaveLength(1);
  });
});
