import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('listTokens', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  it('200 lists the tokens without their text or hash', async () => {
    const reply = await t.call('GET', '/admin/v1/tokens');
    expect(reply.status).toBe(200);
    const tokens = reply.data as Record<string, unknown>[];
    expect(tokens.map((token) => [token.role, token.sites])).toEqual([
      ['reader', ['demo']],
      ['editor', ['demo']],
      ['sender', ['demo']],
      ['admin', null],
    ]);
    expect(Object.keys(tokens[0]!)).not.toContain('hash');
  });

  it('401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', '/admin/v1/tokens', { as: null })).status).toBe(401);
    expect((await t.call('GET', '/admin/v1/tokens', { as: 'sender' })).status).toBe(403);
  });
});
