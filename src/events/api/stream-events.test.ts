import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { insertExport } from '../../exports/export-store.ts';
import { insertImport } from '../../imports/import-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { EventClient } from '../../testing/event-client.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { makeSession } from '../../testing/make-session.ts';
import { until } from '../../testing/until.ts';
import { maxListeners } from '../event-feeds.ts';
import { eventsOperations } from '../operations.ts';

describe('streamEvents', () => {
  let t: TestApp;
  let address: string;
  const clients: EventClient[] = [];
  beforeAll(async () => {
    t = await testApp({ operations: eventsOperations });
    address = await t.server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await t.db.run(sql`update ${t.db.t.job} set state = 'Finished'`);
    await until(async () => (await connections()) === 0, 'the streams to end');
  });
  afterAll(() => t.close());

  const connections = () =>
    new Promise<number>((resolve) => t.server.server.getConnections((_, count) => resolve(count)));
  const open = async (lastId?: string, site = 'demo') => {
    const url = `${address}/v1/${site}/events`;
    // The token reaches one site, an administrator's session all.
    const caller: Record<string, string> =
      site === 'demo'
        ? { authorization: t.token('reader') }
        : { cookie: `facteur_session=${await makeSession(t)}` };
    const client = await EventClient.connect(url, caller, lastId);
    clients.push(client);
    return client;
  };
  const setState = (idJob: number, state: string) =>
    t.db.run(sql`update ${t.db.t.job} set state = ${state} where id = ${idJob}`);

  it('200 begins with what is open, and sends what changes', async () => {
    await makeJob(t.db, { state: 'Finished' });
    const { idJob, idCampaign } = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 3, sents: 2 });
    const client = await (await open()).isCurrent();
    expect(Object.fromEntries(client.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    });
    expect(client.response.headers.has('content-encoding')).toBe(false);
    expect(client.dataOf('job')).toMatchObject([
      {
        idJob,
        idCampaign,
        state: 'Sending',
        nbAddressToSend: 6,
        nbAddressSent: 0,
        startDate: expect.any(String),
      },
    ]);
    await setState(idJob, 'Finished');
    await until(() => client.dataOf('job').length > 1, 'the change');
    // A state may come twice, also of another job: transactions of other databases hold the number back.
    expect(client.dataOf('job')).toContainEqual(expect.objectContaining({ idJob, state: 'Finished' }));
    expect(client.events.at(-1)).toMatchObject({ event: 'current' });
  });

  it('200 counts accepted messages while a job is sent', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 5 });
    const client = await (await open()).isCurrent();
    await makeReceipts(t.db, idJob, idsSent[0]!, { accepted: [1, 2, 3] });
    await until(() => client.dataOf('job').length > 1, 'the progress');
    expect(client.dataOf('job').at(-1)).toMatchObject({ idJob, nbAddressToSend: 5, nbAddressSent: 3 });
  });

  it('200 sends imports and exports too', async () => {
    const now = t.clock.now();
    const mapping = [{ dbFieldName: 'fld1', idMappingMode: 1 as const }];
    const client = await (await open()).isCurrent();
    const imported = await insertImport(t.db, {
      ...{ idUser: 1, author: 'Ada', scheduledAt: now, at: now },
      parameters: { filename: 'a.csv', columnMapping: mapping },
    });
    const idRepository = await makeRepository(t.db, t.app.secrets);
    const request = { idTarget: 1 } as never;
    const idExport = await t.db.transaction((tx) =>
      insertExport(tx, { idUser: 1, request, idRepository, at: now }),
    );
    await until(() => client.dataOf('export').length + client.dataOf('import').length > 1, 'both');
    await t.db.run(sql`update ${t.db.t.import} set state = 'Completed', progression = 100`);
    await t.db.run(sql`update ${t.db.t.export_job} set state = 'COMPLETED', nb_lines = 7`);
    await until(() => client.dataOf('export').length + client.dataOf('import').length > 3, 'their ends');
    expect(client.dataOf('import')).toMatchObject([
      { idImport: imported.id, state: 'Scheduled', isDeleted: false },
      { idImport: imported.id, state: 'Completed', progression: 100 },
    ]);
    expect(client.dataOf('export')).toMatchObject([
      { idExportJob: idExport, exportJobState: 'SCHEDULED' },
      { idExportJob: idExport, exportJobState: 'COMPLETED', nbLines: 7 },
    ]);
  });

  it('200 with Last-Event-ID begins with what changed in the meantime', async () => {
    const ended = await makeJob(t.db, { state: 'Sending' });
    const first = await (await open()).isCurrent();
    first.close();
    await setState(ended.idJob, 'Stopped');
    const short = await makeJob(t.db, { state: 'Sending' });
    await setState(short.idJob, 'Finished');
    const second = await (await open(first.lastId)).isCurrent();
    // Others may come again: transactions of other databases hold the number back.
    expect(second.dataOf('job').slice(-2)).toMatchObject([
      { idJob: ended.idJob, state: 'Stopped' },
      { idJob: short.idJob, state: 'Finished' },
    ]);
    expect((await (await open()).isCurrent()).dataOf('job')).toEqual([]);
  });

  it('200 with Last-Event-ID misses no change of a transaction that was open when the client left', async () => {
    const { idJob } = await makeJob(t.db, { state: 'Sending' });
    let lastId: string | undefined;
    await t.db.transaction(async (tx) => {
      await tx.run(sql`update ${tx.t.job} set state = 'Finished' where id = ${idJob}`);
      const other = await makeJob(t.db, { state: 'Sending' });
      const client = await (await open()).isCurrent();
      await setState(other.idJob, 'Paused');
      await until(() => client.dataOf('current').length > 1, 'a later id');
      lastId = client.lastId;
      client.close();
    });
    const again = await (await open(lastId)).isCurrent();
    expect(again.dataOf('job')).toContainEqual(expect.objectContaining({ idJob, state: 'Finished' }));
  });

  it('200 with a Last-Event-ID from before a restored backup begins with everything', async () => {
    const { idJob } = await makeJob(t.db, { state: 'Finished' });
    const client = await (await open('999999999999999')).isCurrent();
    expect(client.dataOf('job')).toContainEqual(expect.objectContaining({ idJob, state: 'Finished' }));
    expect(Number(client.lastId)).toBeLessThan(999_999_999_999_999);
  });

  it('200 without a body for HEAD, which takes no place', async () => {
    const headers = { authorization: t.token('reader') };
    const { status } = await fetch(`${address}/v1/demo/events`, { method: 'HEAD', headers });
    expect(status).toBe(200);
    await Promise.all(Array.from({ length: maxListeners.ofSite }, () => open()));
    for (const { response } of clients) expect(response.status).toBe(200);
  });

  it('200 shows nothing of another site', async () => {
    const other = await (await open(undefined, 'other')).isCurrent();
    const own = await (await open()).isCurrent();
    await makeJob(t.db, { state: 'Sending' });
    await until(() => own.dataOf('job').length > 0, 'the change in its own site');
    await makeJob(t.otherDb, { state: 'Sending', campaignName: 'Foreign' });
    await until(() => other.dataOf('job').length > 0, 'the change in the other site');
    expect([own.dataOf('job').length, other.dataOf('job').length]).toEqual([1, 1]);
    await t.otherDb.run(sql`update ${t.otherDb.t.job} set state = 'Finished'`);
  });

  it('closes the stream of a client that does not read', async () => {
    const { idJob } = await makeJob(t.db, { state: 'Sending' });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => undefined).pause();
    socket.write(
      `GET /v1/demo/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${t.token('reader')}\r\n\r\n`,
    );
    const reader = await (await open()).isCurrent();
    await until(async () => (await connections()) === 2, 'both streams');
    const write = () =>
      t.db.run(sql`
        update ${t.db.t.job} set error_info = repeat(md5(random()::text), 200000) where id = ${idJob}`);
    await until(async () => {
      await write();
      return (await connections()) === 1;
    }, 'the end of the slow one');
    const known = reader.events.length;
    await setState(idJob, 'Finished');
    await until(() => reader.events.length > known, 'the other to go on');
    socket.destroy();
  });

  it('400 for an id that no event has', async () => {
    for (const id of ['x', '-1', '1234567890123456']) {
      const { response } = await open(id);
      expect(response.status).toBe(400);
    }
  });

  it('503 when too many listen', async () => {
    await Promise.all(Array.from({ length: maxListeners.ofSite }, () => open()));
    const { response } = await open();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await open(undefined, 'other')).response.status).toBe(200);
  });
});
