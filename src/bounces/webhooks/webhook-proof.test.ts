import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { WebhookProvider } from '../../accounts/route-webhook.ts';
import { type Signed, signGeneric, signMailgun, signSendgrid, withPassword } from '../../testing/webhooks.ts';
import { Unproved } from './proved-request.ts';
import { SnsTopics } from './sns.ts';
import { maxAgeMs, proveWebhook } from './webhook-proof.ts';

const now = new Date('2026-11-20T10:00:00Z');
const topics = new SnsTopics(() => Promise.reject(new Error('nothing is to be fetched')));
const password = 'k3uV9wQ2xS7yB4nM';
const whsec = `whsec_${randomBytes(32).toString('base64')}`;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ec.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const publicKey = ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const event = { 'event-data': { event: 'complained' } };

function prove(provider: WebhookProvider, { headers, body }: Signed, secret: string) {
  const request = { headers, bytes: Buffer.from(body), body: JSON.parse(body) };
  return proveWebhook(provider, request, secret, { now, topics });
}
const at = (ageMs: number) => new Date(now.getTime() - ageMs);

const signedBy: Readonly<
  Record<
    keyof typeof maxAgeMs & ('mailgun' | 'sendgrid' | 'generic'),
    {
      readonly secret: string;
      readonly sign: (when: Date) => Signed;
    }
  >
> = {
  mailgun: {
    secret: 'f49dc4a8d75a0cd7d0d3b1aee05ad32f',
    sign: (when) => signMailgun('f49dc4a8d75a0cd7d0d3b1aee05ad32f', event, when),
  },
  sendgrid: { secret: publicKey, sign: (when) => signSendgrid(pem, [event], when) },
  generic: { secret: whsec, sign: (when) => signGeneric(whsec, [event], when) },
};
const providers = Object.keys(signedBy) as (keyof typeof signedBy)[];

describe.each(providers)('a request signed by %s', (provider) => {
  const { secret, sign } = signedBy[provider];

  it('is proved, with an id of its own', async () => {
    const [one, two] = await Promise.all(
      [at(1_000), at(3_000)].map((when) => prove(provider, sign(when), secret)),
    );
    expect(one?.events).toBeTruthy();
    expect(one?.id).toMatch(/.{10,}/);
    expect(two?.id).not.toBe(one?.id);
  });

  it('is proved up to its age, and not beyond it or ahead of the time', async () => {
    const limit = maxAgeMs[provider];
    await expect(prove(provider, sign(at(limit)), secret)).resolves.toBeTruthy();
    for (const age of [limit + 2_000, -6 * 60_000])
      await expect(prove(provider, sign(at(age)), secret)).rejects.toThrow('too old');
  });

  it('is not proved with another secret, an altered signature or none', async () => {
    const good = sign(now);
    const others = {
      mailgun: 'another key of mailgun',
      sendgrid: otherKey(),
      generic: `whsec_${'A'.repeat(43)}=`,
    };
    await expect(prove(provider, good, others[provider])).rejects.toThrow(Unproved);
    const altered = Object.fromEntries(
      Object.entries(good.headers).map(([name, value]) => [name, value.replace('v1,', 'v1,A')]),
    );
    const bodies = [good.body.replace(/"signature":"./, '"signature":"'), '{}', '[]', 'null'];
    for (const body of bodies)
      if (body !== good.body)
        await expect(prove(provider, { headers: altered, body }, secret)).rejects.toThrow(Unproved);
    await expect(prove(provider, { headers: {}, body: '{}' }, secret)).rejects.toThrow(Unproved);
  });
});

const otherKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64');

describe('Standard Webhooks', () => {
  it('proves the example of the specification', async () => {
    const body = '{"test": 2432232314}';
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const request = { headers, bytes: Buffer.from(body), body: JSON.parse(body) };
    const tools = { now: new Date(1614265330_000), topics };
    const proved = await proveWebhook('generic', request, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', tools);
    expect(proved.id).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
  });

  it('accepts one good signature among several, as while a key is changed, of ten at most', async () => {
    const { headers, body } = signGeneric(whsec, [event], now);
    const good = headers['webhook-signature']!;
    const many = (count: number) => `${'v1,AAAA '.repeat(count)}${good}`;
    const given = (signature: string) => ({ headers: { ...headers, 'webhook-signature': signature }, body });
    await expect(prove('generic', given(many(9)), whsec)).resolves.toBeTruthy();
    await expect(prove('generic', given(many(10)), whsec)).rejects.toThrow(Unproved);
    await expect(prove('generic', given(good.replace('v1,', 'v2,')), whsec)).rejects.toThrow(Unproved);
  });
});

describe.each(['postmark', 'brevo', 'mailjet'] as const)('a request with the password of %s', (provider) => {
  it('is proved by the address with its credentials, or by a bearer token', async () => {
    await expect(prove(provider, withPassword(password, event), password)).resolves.toEqual({
      events: event,
    });
    const headers = { authorization: `Bearer ${password}` };
    await expect(prove(provider, { headers, body: '{}' }, password)).resolves.toEqual({ events: {} });
  });

  it.each([
    ['another password', withPassword('anotherPassword1', event)],
    ['another user', withPassword(password, event, 'admin')],
    ['a password of another length', withPassword(password.slice(1), event)],
    ['an empty password', withPassword('', event)],
    ['none', { headers: {}, body: '{}' }],
    ['another scheme', { headers: { authorization: `Digest ${password}` }, body: '{}' }],
  ])('is not proved with %s', async (_, request) => {
    await expect(prove(provider, request, password)).rejects.toThrow(Unproved);
  });
});
