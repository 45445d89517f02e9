import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type WebhookProvider, webhookProviders } from '../../accounts/route-webhook.ts';
import { classify } from '../../activity/bounce-rules.ts';
import { makeReturnPath } from '../../activity/return-path.ts';
import { Secrets } from '../../platform/secrets.ts';
import { type ClassName, classNames } from '../../testing/report-fixtures.ts';
import { claimedRecipient } from '../signed-claims.ts';
import { readWebhook } from './read-webhook.ts';

const folder = join(import.meta.dirname, 'fixtures');
const fixtures = (readdirSync(folder) as ClassName[]).flatMap((expected) =>
  readdirSync(join(folder, expected)).map((file) => ({
    expected,
    name: file.replace(/\.json$/, ''),
    provider: file.split('-')[0] as WebhookProvider,
    text: readFileSync(join(folder, expected, file), 'utf8'),
  })),
);
const secrets = new Secrets(Buffer.alloc(32, 7));
const ids = { idSite: 1, idSent: 22, idSubscriber: 333 };
const reference = makeReturnPath(secrets, ids, 'mail.test').split('@')[0]!;
const read = (provider: WebhookProvider, text: string) =>
  readWebhook(provider, JSON.parse(text.replaceAll('{{reference}}', reference)));

describe('readWebhook', () => {
  it.each(fixtures)('reads $name as $expected', ({ provider, expected, text }) => {
    const reports = read(provider, text);
    const counted = reports.filter((report) => classify(report) !== null);
    expect(counted.map(classify)).toEqual(expected === 'none' ? [] : [classNames[expected]]);
    expect(counted.map((report) => claimedRecipient(secrets, report))).toEqual(counted.map(() => ids));
  });

  it('has a bounce, a complaint and an event of another kind of each provider', () => {
    for (const provider of webhookProviders)
      for (const expected of ['hard', 'soft', 'complaint', 'none'])
        expect(fixtures.some((one) => one.provider === provider && one.expected === expected)).toBe(true);
  });

  it('names nobody by the address that an event holds', () => {
    for (const { provider, text } of fixtures) {
      const reports = readWebhook(provider, JSON.parse(text));
      for (const report of reports) expect(claimedRecipient(secrets, report)).toBeUndefined();
    }
  });

  const odd = [
    null,
    1,
    'text',
    [],
    [[]],
    {},
    [null],
    { event: {} },
    { event: 'constructor' },
    { Type: '__proto__' },
  ];
  it.each(webhookProviders)('reads nothing in a body of another form: %s', (provider) => {
    for (const body of odd) expect(readWebhook(provider, body)).toEqual([]);
    const mixed = {
      event: 'failed',
      'event-data': { event: 'failed', severity: 'permanent', reason: 'constructor' },
    };
    for (const report of readWebhook(provider, mixed)) expect(classify(report)).toBe(classNames.soft);
  });
});
