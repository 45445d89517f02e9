import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import type { Operation } from './platform/http/operation.ts';
import { acceptsIfMatch, isVersioned } from './platform/http/versions.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import type { Call } from './testing/id-places.ts';
import { callOf } from './testing/isolation-calls.ts';
import { ask, type Ids, makeOwn } from './testing/own-records.ts';

const changed =
  'The record has changed since it was read; read it again, and make the change to what it is now';
const writes = operations.filter(acceptsIfMatch);
const named = (id: string) => operations.find((one) => one.id === id)!;

/** The read of a record that an operation writes. */
function readOf({ id }: Operation): Operation {
  if (id.startsWith('modifyCampaign')) return named('getCampaign');
  if (id === 'modifyImportSchedule') return named('getImport');
  return named(id.replace(/^(?:set|update|modify)/, 'get'));
}

describe('two people who change one record', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
  });
  afterAll(() => t.close());

  const readCall = (write: Operation, own: Ids, call: Call): Call =>
    write.id === 'updateContentBlock'
      ? { query: { contentKey: (call.body as { contentKey: string }).contentKey } }
      : callOf(readOf(write), own);
  /** A write of a record of its own, its read, and the first version. */
  async function record(write: Operation) {
    const own = await makeOwn(t);
    // With a sending, without which the sending filter has no meaning.
    const call = callOf(write, own, write.id === 'setSendingFilter' ? 'body.idTarget' : '');
    // Creates the block, which has no id.
    if (write.id === 'updateContentBlock') await ask(t, write, call);
    const read = () => ask(t, readOf(write), readCall(write, own, call));
    return {
      read,
      tag: async () => String((await read()).headers.etag),
      write: (ifMatch?: string) => ask(t, write, call, ifMatch),
    };
  }

  it('there are reads for all writes', () => {
    expect(writes.length).toBeGreaterThan(12);
    expect(writes.filter((one) => !isVersioned(readOf(one)))).toEqual([]);
  });

  it.each(writes.map((one) => [one.id, one] as const))(
    '412 %s with a version that is no longer the present one, and nothing is changed',
    async (_, operation) => {
      const { read, write, tag } = await record(operation);
      const first = await tag();
      expect(first).toMatch(/^"[\d-]+\.[\w-]{22}"$/);
      // Without If-Match nothing is compared.
      expect(await write()).toMatchObject({ status: 200 });
      const before = await read();
      const late = await write(first);
      expect([late.status, late.error, late.headers['x-error-code']]).toEqual([412, changed, 'changed']);
      expect(await read()).toMatchObject({ data: before.data, headers: { etag: before.headers.etag } });
      const saved = await write(`"0", W/${String(before.headers.etag)}`);
      expect(saved.status).toBe(200);
      // The response to a change has the version for the next one.
      const again = await write(String(saved.headers.etag));
      expect(again.status).toBe(200);
      expect((await write(String(saved.headers.etag))).status).toBe(412);
      expect((await write('*')).status).toBe(200);
    },
  );

  it.each(writes.map((one) => [one.id, one] as const))(
    'of eight concurrent calls of %s with one version, one succeeds',
    async (_, operation) => {
      const { write, tag } = await record(operation);
      const first = await tag();
      const statuses = (await Promise.all(Array.from({ length: 8 }, () => write(first)))).map(
        (one) => one.status,
      );
      expect(statuses.sort()).toEqual([200, ...Array(7).fill(412)]);
    },
  );

  it('304 for a read with the whole tag, and not when what it shows beside the record has changed', async () => {
    const { read, tag } = await record(named('modifySendingConfiguration'));
    const { data } = await read();
    const url = `/v1/demo/sending-configurations/${(data as { id: number }).id}`;
    const again = (etag: string) =>
      t.server.inject({ url, headers: { authorization: t.token('reader'), 'if-none-match': etag } });
    const first = await tag();
    expect((await again(first)).statusCode).toBe(304);
    expect((await again(first.replace(/\..*/, '."'))).statusCode).toBe(200);
  });

  it('412 for a record that no longer exists, and a block that does not exist yet', async () => {
    const body = { contentKey: 'nosuch', contentValue: 'x' };
    expect(await t.call('PUT', '/content-blocks', { body, ifMatch: '*' })).toMatchObject({ status: 412 });
    expect(await t.call('GET', '/content-blocks', { query: { contentKey: 'nosuch' } })).toMatchObject({
      status: 404,
    });
  });
});
