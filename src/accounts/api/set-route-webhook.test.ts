import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { findRouteWebhook } from '../route-webhook-store.ts';

const relay = { host: 'relay.example.org', port: 587, tls: 'starttls' };
const secret = 'k3uV9wQ2xS7yB4nM';

describe('setRouteWebhook', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp();
    const made = await t.call('POST', '/admin/v1/sites/demo/routes', { body: relay });
    id = (made.data as { id: number }).id;
  });
  afterAll(() => t.close());

  const put = (body: object, options: { as?: null | 'sender'; site?: string; route?: number } = {}) => {
    const { site = 'demo', route = id, ...as } = options;
    return t.call('PUT', `/admin/v1/sites/${site}/routes/${route}/webhook`, { body, ...as });
  };
  const stored = async () => findRouteWebhook(t.app.control, t.app.secrets, id);
  const shown = async () => {
    const { data } = await t.call('GET', '/admin/v1/sites/demo/routes');
    return (data as { id: number; webhook: unknown }[]).find((one) => one.id === id)?.webhook;
  };

  it('200 returns an address that stays the same, and lists it with the route', async () => {
    expect(await shown()).toBeNull();
    const reply = await put({ provider: 'postmark', secret });
    expect(reply.status).toBe(200);
    const { address } = reply.data as { address: string };
    expect(address).toMatch(new RegExp(`^http://mail\\.test/webhooks/${id}-[\\w-]{22}$`));
    expect(await shown()).toEqual({ provider: 'postmark', address });
    expect((await put({ provider: 'brevo', secret })).data).toEqual({ provider: 'brevo', address });
  });

  it('200 keeps the secret of the same provider if none is given', async () => {
    await put({ provider: 'mailjet', secret });
    expect((await put({ provider: 'mailjet' })).status).toBe(200);
    expect(await stored()).toMatchObject({ provider: 'mailjet', secret });
    expect((await put({ provider: 'mailgun' })).error).toBe(
      'secret: required to set up a webhook of mailgun',
    );
  });

  it('200 stores the secret encrypted and shows it nowhere', async () => {
    const reply = await put({ provider: 'brevo', secret });
    const { bytes } = await t.app.control.one<{ bytes: Buffer }>(
      sql`select secret as bytes from facteur.route_webhook where id_route = ${id}`,
    );
    expect(bytes.includes(secret)).toBe(false);
    expect(JSON.stringify([reply.data, await shown()])).not.toContain(secret);
  });

  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
  const der = (key: typeof p256) => key.export({ format: 'der', type: 'spki' }).toString('base64');
  it.each([
    ['ses', 'arn:aws:sns:eu-west-1:123456789012:bounces'],
    ['mailgun', 'f49dc4a8d75a0cd7d0d3b1aee05ad32f'],
    ['sendgrid', der(p256)],
    ['generic', `whsec_${randomBytes(32).toString('base64')}`],
  ])('200 for the secret of %s', async (provider, own) => {
    expect((await put({ provider, secret: own })).status).toBe(200);
    expect(await stored()).toMatchObject({ provider, secret: own });
  });

  it.each([
    ['ses', 'arn:aws:sns:evil.example/:123456789012:bounces', 'must be the ARN of an SNS topic'],
    ['mailgun', 'short', 'must be the HTTP webhook signing key'],
    ['sendgrid', der(p384), 'must be the verification key'],
    ['sendgrid', 'no key', 'must be the verification key'],
    ['generic', 'whsec_c2hvcnQ=', 'must be whsec_ and a key of 24 to 64 bytes'],
    ['postmark', 'has:colon:and more', 'must be 16 to 128 characters'],
  ])('400 for a secret that %s cannot have: %s', async (provider, own, why) => {
    const reply = await put({ provider, secret: own });
    expect(reply.status).toBe(400);
    expect(reply.error).toContain(`secret: ${why}`);
  });

  it('400 for an unknown provider', async () => {
    expect((await put({ provider: 'pigeon', secret })).error).toContain('provider');
  });

  it('404 for an unknown route, and for a route of another site, whose secret stays', async () => {
    await put({ provider: 'brevo', secret });
    expect((await put({ provider: 'brevo', secret }, { route: 999_999 })).error).toBe('Route not found');
    const other = await put({ provider: 'brevo', secret: 'anotherSecret1234' }, { site: 'other' });
    expect(other.status).toBe(404);
    expect(await stored()).toMatchObject({ secret });
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await put({ provider: 'brevo', secret }, { as: null })).status).toBe(401);
    expect((await put({ provider: 'brevo', secret }, { as: 'sender' })).status).toBe(403);
  });
});
