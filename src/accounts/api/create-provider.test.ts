import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { providersByDomain } from '../provider-store.ts';

describe('createProvider', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const create = (body: object, as: 'admin' | 'sender' | null = 'admin') =>
    t.call('POST', '/admin/v1/providers', { body, as });

  it('200 adds one with a new id, its domains in ASCII and none twice', async () => {
    const body = {
      name: 'Example',
      domains: ['Mail.Example', 'café.example.', 'mail.example'],
      messagesPerHour: 500,
    };
    const reply = await create(body);
    expect(reply).toMatchObject({ status: 200, typeName: 'Provider' });
    const made = reply.data as { id: number };
    expect(made).toEqual({
      id: 21,
      name: 'Example',
      maxConnections: 0,
      messagesPerHour: 500,
      domains: ['mail.example', 'xn--caf-dma.example'],
      mxSuffixes: [],
    });
    expect((await providersByDomain(t.app.control)).get('mail.example')).toBe(21);
    expect((await t.call('GET', '/admin/v1/providers')).data).toContainEqual(made);
  });

  it('200 for five at once: five ids', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, n) => create({ name: `Provider ${n}`, domains: [`p${n}.example`] })),
    );
    expect(new Set(replies.map(({ data }) => (data as { id: number }).id)).size).toBe(5);
  });

  it("409 for another's name, and for another's domain, which it names; nothing is kept", async () => {
    expect(await create({ name: 'Gmail', domains: [] })).toMatchObject({
      status: 409,
      error: 'Another provider has this name',
    });
    expect(await create({ name: 'Thief', domains: ['thief.example', 'GMAIL.com'] })).toMatchObject({
      status: 409,
      error: "The domain 'gmail.com' belongs to the provider 'Gmail'",
    });
    const { data } = await t.call('GET', '/admin/v1/providers');
    expect((data as { name: string }[]).map(({ name }) => name)).not.toContain('Thief');
  });

  it('200 with its mail servers, by which known domains become its own; 409 for those of another', async () => {
    await t.app.control.run(sql`
      insert into facteur.mail_domain (domain, server, resolved_at)
      values ('shop.example', 'mx1.hosting.example', now()), ('fake.example', 'mx.nothosting.example', now()),
        ('mail.example', 'hosting.example', now())`);
    const made = await create({ name: 'Hosting', domains: [], mxSuffixes: ['Hosting.example.'] });
    expect(made).toMatchObject({ status: 200, data: { domains: [], mxSuffixes: ['hosting.example'] } });
    const known = await providersByDomain(t.app.control);
    expect(known.get('shop.example')).toBe((made.data as { id: number }).id);
    expect(known.get('fake.example')).toBeUndefined();
    // An administrator's assignment of a domain stays.
    expect(known.get('mail.example')).toBe(21);
    expect((await t.call('GET', '/admin/v1/providers')).data).toContainEqual(made.data);
    expect(await create({ name: 'Other', domains: [], mxSuffixes: ['hosting.example'] })).toMatchObject({
      status: 409,
      error: "The mail servers 'hosting.example' belong to the provider 'Hosting'",
    });
    const taken = await create({ name: 'Shop', domains: ['shop.example'] });
    expect((await providersByDomain(t.app.control)).get('shop.example')).toBe(
      (taken.data as { id: number }).id,
    );
  });

  it.each([
    [{ name: 'x', domains: ['a.example', 'no domain'] }, 'domains/1 must be the name of a domain'],
    [{ name: '', domains: [] }, 'name'],
    [{ name: 'x' }, 'domains'],
    [{ name: 'x', domains: [], maxConnections: -1 }, 'maxConnections'],
    [{ name: 'x', domains: [], limit: 3 }, 'limit'],
  ])('400 for %j names the member', async (body, text) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(text) });
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await create({ name: 'x', domains: [] }, null)).status).toBe(401);
    expect((await create({ name: 'x', domains: [] }, 'sender')).status).toBe(403);
  });
});
