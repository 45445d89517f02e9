import { afterEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { otherSignInsOfAddress } from '../sign-in.ts';

describe('startPasskeySignIn', () => {
  let t: TestApp;
  afterEach(() => t.close());
  const start = () => t.call('POST', '/session/passkey/start', { as: null, site: null });

  it('200 gives another challenge each time, and 429 after many', async () => {
    t = await testApp({ publicUrl: 'https://mail.example' });
    const first = await start();
    expect(first).toMatchObject({ status: 200, data: { host: 'mail.example' } });
    expect((await start()).data).not.toMatchObject({
      challenge: (first.data as { challenge: string }).challenge,
    });
    for (let i = 2; i < otherSignInsOfAddress; i++) expect((await start()).status).toBe(200);
    expect((await start()).status).toBe(429);
  });

  it('422 where browsers have no passkeys', async () => {
    t = await testApp();
    expect(await start()).toMatchObject({ status: 422, error: expect.stringContaining('no passkeys at') });
  });
});
