import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Started } from './announce.ts';
import { FacteurProcess } from './testing/child-process.ts';
import { freePort } from './testing/free-port.ts';

/** A start takes about 3 s alone, and the machine of the tests may be busy. */

describe('an address of its own for administration', () => {
  let dataDir: string;
  let running: FacteurProcess | undefined;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'facteur-admin-port-'));
  });
  afterEach(async () => {
    await running?.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(settings: Record<string, string>): Promise<Started> {
    const ports = { FACTEUR_PORT: '0', FACTEUR_SFTP_PORT: '0', FACTEUR_SMTP_PORT: '0' };
    running = new FacteurProcess(['serve'], { ...ports, FACTEUR_DATA_DIR: dataDir, ...settings });
    return running.started();
  }

  const inside = ['/metrics', '/admin/v1/sites', '/%61dmin/v1/sites', '/admin/v1/nothing'];
  const public_ = ['/health/live', '/openapi.json', '/docs/', '/v1/demo/fields?type=Unspecified'];

  it('answers /admin and /metrics there only, however they are written, and keeps what was done', async () => {
    const { url, adminUrl, adminToken, port } = await start({
      FACTEUR_HOST: '127.0.0.1',
      FACTEUR_ADMIN_LISTEN: '127.0.0.2:0',
      FACTEUR_LOG_LEVEL: 'info',
    });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(adminUrl).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    const headers = { authorization: `Bearer ${adminToken}`, 'x-forwarded-for': '192.0.2.1' };
    const statusOf = async (base: string, path: string, method = 'GET') =>
      (await fetch(`${base}${path}`, { method, headers })).status;
    for (const method of ['GET', 'HEAD']) {
      for (const path of inside) expect([path, await statusOf(url!, path, method)]).toEqual([path, 404]);
      for (const path of public_) {
        expect([path, await statusOf(url!, path, method)]).toEqual([path, 200]);
        expect([path, await statusOf(adminUrl!, path, method)]).toEqual([path, 200]);
      }
      for (const path of inside.slice(0, 3))
        expect([path, await statusOf(adminUrl!, path, method)]).toEqual([path, 200]);
    }
    // HTTP listens at FACTEUR_HOST and nowhere else.
    await expect(fetch(`http://127.0.0.3:${port}/health/live`)).rejects.toThrow();

    const made = await fetch(`${adminUrl}/admin/v1/users`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name":"Eve","email":"eve@shop.example","password":"correct horse battery"}',
    });
    const { data } = (await made.json()) as { data: { id: number } };
    for (let i = 0; i < 3; i++)
      await fetch(`${adminUrl}/admin/v1/users`, { headers: { authorization: 'Bearer wrong' } });
    const { stderr } = await running!.end('SIGTERM');
    running = undefined;
    const lines = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const audits = lines.filter(({ audit }) => audit !== undefined);
    expect(audits.at(-1)).toMatchObject({
      level: 30,
      msg: 'administration',
      audit: 'createUser',
      idUser: 1,
      idToken: 1,
      user: 'Administrator',
      // Nobody trusts who claims to be a proxy.
      address: '127.0.0.1',
      id: data.id,
      members: ['name', 'email', 'password'],
      status: 200,
      error: null,
    });
    for (const secret of ['eve@shop.example', 'correct horse', adminToken!])
      expect(JSON.stringify(lines)).not.toContain(secret);
    const wrong = lines.filter(({ msg }) => msg === 'wrong token');
    // The first of a minute.
    expect(wrong).toMatchObject([{ level: 40, address: '127.0.0.1', part: 'http' }]);
  });

  it('says in one sentence that the port is taken, before anything is made', async () => {
    const taken = await freePort();
    const settings = { FACTEUR_PORT: String(taken), FACTEUR_ADMIN_LISTEN: `127.0.0.1:${taken}` };
    await expect(start({ ...settings, FACTEUR_HOST: '127.0.0.1' })).rejects.toThrow(/FACTEUR_ADMIN_LISTEN/);
    running = undefined;
  });
});
