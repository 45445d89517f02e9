import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import type { DkimKey } from '../sending-domain.ts';
import { dkimKeysFor } from '../sending-domain-store.ts';

describe('createSendingDomain', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (body: object, site = 'demo') =>
    t.call('POST', `/admin/v1/sites/${site}/sending-domains`, { body });

  const keysFor = (domain: string) => dkimKeysFor(t.app.control, t.app.secrets, t.db.site.id, domain);

  it('200 for a second key of another algorithm: both sign, including for subdomains', async () => {
    for (const algorithm of ['ed25519-sha256', 'rsa-sha256'])
      expect((await create({ domain: 'both.example', algorithm })).status).toBe(200);
    expect(await keysFor('a.mail.both.example')).toMatchObject([
      { domain: 'both.example', algorithm: 'rsa-sha256', selector: 'facteur' },
      { domain: 'both.example', algorithm: 'ed25519-sha256', selector: 'facteur-ed25519' },
    ]);
    // A key of its own comes before that of the parent; the parent's still does for the other algorithm.
    await create({ domain: 'mail.both.example', algorithm: 'ed25519-sha256' });
    expect(await keysFor('mail.both.example')).toMatchObject([
      { domain: 'both.example', algorithm: 'rsa-sha256' },
      { domain: 'mail.both.example', algorithm: 'ed25519-sha256' },
    ]);
    expect(await keysFor('notboth.example')).toEqual([]);
  });

  it('409 for a selector that another key of the domain uses', async () => {
    await create({ domain: 'one.example', algorithm: 'ed25519-sha256', selector: 's1' });
    expect(await create({ domain: 'one.example', selector: 's1' })).toMatchObject({
      status: 409,
      error: "selector: 's1' is used by another key of 'one.example'; choose another one",
    });
  });

  it.each([
    ['rsa-sha256', 'facteur'],
    ['ed25519-sha256', 'facteur-ed25519'],
  ])('200 makes a key of %s whose published half checks its signatures', async (algorithm, selector) => {
    const domain = `${algorithm.split('-')[0]}.example`;
    const reply = await create({ domain: `${domain.toUpperCase()}.`, algorithm });
    expect(reply.status).toBe(200);
    const data = reply.data as { dnsName: string; dnsText: string };
    expect(data).toMatchObject({ domain, dkimSelector: selector, dkimAlgorithm: algorithm });
    expect(data.dnsName).toBe(`${selector}._domainkey.${domain}`);
    expect(JSON.stringify(data)).not.toContain('PRIVATE');
    const [key] = (await keysFor(domain)) as [DkimKey];
    const digest = algorithm === 'rsa-sha256' ? 'sha256' : null;
    const signature = sign(digest, Buffer.from('text'), key.privateKey);
    const published = Buffer.from(/p=(.*)$/.exec(data.dnsText)![1]!, 'base64');
    const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');
    const der = digest ? published : Buffer.concat([ed25519Prefix, published]);
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(verify(digest, Buffer.from('text'), publicKey, signature)).toBe(true);
    expect(await dkimKeysFor(t.app.control, t.app.secrets, t.otherDb.site.id, domain)).toEqual([]);
  });

  it('200 keeps the private key where no dump shows it', async () => {
    expect((await create({ domain: 'sealed.example', algorithm: 'ed25519-sha256' })).status).toBe(200);
    const [key] = (await keysFor('sealed.example')) as [DkimKey];
    const der = createPrivateKey(key.privateKey).export({ type: 'pkcs8', format: 'der' });
    const { rows } = await t.app.control.pool.query<{ stored: Buffer; dump: string }>(
      `select dkim_private_key as stored, d::text as dump from facteur.sending_domain d
       where domain = 'sealed.example'`,
    );
    const { stored, dump } = rows[0]!;
    // The last 32 bytes are the secret itself; a key in words would begin with a line of its own.
    expect(stored.includes(der.subarray(-32))).toBe(false);
    expect(stored.toString('latin1')).not.toContain('PRIVATE KEY');
    expect(stored.toString('latin1')).not.toContain(der.toString('base64').slice(-40));
    expect(dump).not.toContain(der.subarray(-32).toString('hex'));
  });

  it('200 writes an international domain in ASCII', async () => {
    const reply = await create({ domain: 'Café.example', algorithm: 'ed25519-sha256', selector: 's1' });
    expect(reply.data).toMatchObject({ domain: 'xn--caf-dma.example', dkimSelector: 's1' });
  });

  it('409 for a domain that the site has; another site may have it too', async () => {
    const body = { domain: 'twice.example', algorithm: 'ed25519-sha256' };
    expect((await create(body)).status).toBe(200);
    expect((await create(body)).status).toBe(409);
    expect((await create(body, 'other')).status).toBe(200);
  });

  it.each([
    { domain: 'localhost' },
    { domain: '10.0.0.1' },
    { domain: 'a..b' },
    { domain: 'a b.example' },
    { domain: 'a.example\r\nX: y' },
    { domain: 'x.example', algorithm: 'rsa-sha1' },
    { domain: 'x.example', selector: 'A B' },
    { domain: 'x.example', privateKey: 'mine' },
  ])('400 for %j', async (body) => {
    expect((await create(body)).status).toBe(400);
  });

  it('404 for an unknown site', async () => {
    expect((await create({ domain: 'x.example' }, 'nowhere')).status).toBe(404);
  });

  it('401 without a token, 403 for a sender', async () => {
    expect(
      (
        await t.call('POST', '/admin/v1/sites/demo/sending-domains', {
          as: null,
          body: { domain: 'x.example' },
        })
      ).status,
    ).toBe(401);
    expect(
      (
        await t.call('POST', '/admin/v1/sites/demo/sending-domains', {
          as: 'sender',
          body: { domain: 'x.example' },
        })
      ).status,
    ).toBe(403);
  });
});
