import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { SftpElsewhere } from '../../testing/sftp-elsewhere.ts';
import { newSshKey } from '../host-key.ts';

describe('registerRepository', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const path = '/admin/v1/sites/demo/repositories';
  const register = (rest: object = {}) => t.call('POST', path, { body: { ...elsewhere.access, ...rest } });
  const count = async () => (await t.db.rows(sql`select from ${t.db.t.repository}`)).length;

  it('422 for a subfolder that the server does not have: it may be mistyped', async () => {
    expect(await register({ subfolder: 'typo' })).toMatchObject({
      status: 422,
      error: "subfolder: the server has no folder 'typo'; create it, or correct the name",
    });
    writeFileSync(join(elsewhere.folder, 'file'), '');
    expect((await register({ subfolder: 'file' })).error).toBe(
      "subfolder: 'file' is not a folder on the server",
    );
    rmSync(join(elsewhere.folder, 'file'));
    expect(await count()).toBe(0);
  });

  it("200 keeps the server's key, and its secrets where no dump shows them", async () => {
    const reply = await register(elsewhere.at('in/'));
    expect(reply).toMatchObject({ status: 200, typeName: 'RegisteredRepository' });
    expect(reply.data).toEqual({
      id: expect.any(Number),
      host: '127.0.0.1',
      port: elsewhere.port,
      subfolder: 'in',
      login: 'us',
      hasPassword: true,
      hasPrivateKey: false,
      hostKey: elsewhere.hostKey,
      hostKeyFingerprint: elsewhere.fingerprint,
      isDefault: false,
    });
    const keyed = await register({ password: null, privateKey: elsewhere.privateKey });
    expect(keyed.data).toMatchObject({ hasPassword: false, hasPrivateKey: true });
    const dump = JSON.stringify(
      await t.db.rows(sql`
      select r::text, encode(password, 'escape') p, encode(private_key, 'escape') k from ${t.db.t.repository} r`),
    );
    expect(dump).not.toContain('secret');
    expect(dump).not.toContain(elsewhere.privateKey.split('\n')[1]);
  });

  it('200 with the key or the fingerprint that the server shows', async () => {
    const [type, blob] = elsewhere.hostKey.split(' ');
    for (const hostKey of [
      elsewhere.hostKey,
      `host ${type} ${blob} x`,
      elsewhere.fingerprint,
      `${elsewhere.fingerprint}=`,
    ])
      expect((await register({ hostKey })).data).toMatchObject({ hostKey: elsewhere.hostKey });
  });

  it('422 with another key, before the password is sent', async () => {
    const other = newSshKey().public;
    const before = await count();
    const told = elsewhere.told.length;
    for (const hostKey of [other, `SHA256:${'A'.repeat(43)}`]) {
      const { status, error } = await register({ hostKey });
      expect({ status, error }).toEqual({
        status: 422,
        error: expect.stringContaining(
          `hostKey: the server shows ${elsewhere.fingerprint} (ssh-ed25519), not SHA256:`,
        ),
      });
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const blob = (ssh2.utils.parseKey(pem) as ssh2.ParsedKey).getPublicSSH().toString('base64');
    expect(await register({ hostKey: `ssh-rsa ${blob}` })).toMatchObject({
      status: 422,
      error: expect.stringContaining('hostKey: the server shows no key of this kind'),
    });
    expect([await count(), elsewhere.told.length]).toEqual([before, told]);
  });

  it('422 names what is wrong when the login is refused or nobody is there, and nothing is kept', async () => {
    const before = await count();
    expect(await register({ password: 'wrong' })).toMatchObject({
      status: 422,
      error: 'password: The SFTP server 127.0.0.1 cannot be used: it refuses the login',
    });
    const { private: privateKey } = newSshKey();
    expect(await register({ password: null, privateKey })).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^privateKey: .*refuses the login$/),
    });
    const gone = await SftpElsewhere.start();
    const { port } = gone;
    await gone.close();
    expect(await register({ port })).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^port: .*does not accept/),
    });
    expect(await register({ host: 'no-such-host.invalid' })).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^host: .*cannot be resolved/),
    });
    expect(await count()).toBe(before);
  });

  it.each(['10.0.0.1', '::1', '[::ffff:10.0.0.1]', '169.254.169.254'])(
    '422 for the internal host %s',
    async (host) => {
      expect(await register({ host })).toMatchObject({
        status: 422,
        error: expect.stringContaining(`host: ${host.replace(/[[\]]/g, '')} is an internal address`),
      });
    },
  );

  it.each([
    [{ password: undefined }, 'password: a password or a privateKey is required'],
    [{ password: '' }, 'password: must not be empty'],
    [{ privateKey: 'secret key' }, 'privateKey: must be a private key'],
    [{ hostKey: 'MD5:00:11' }, "hostKey: must be the server's public key or its fingerprint"],
    [{ subfolder: '../x' }, "subfolder: must not hold '..'"],
    [{ host: 'a b' }, 'host: must be a host name or an IP address'],
    [{ host: 'a/b' }, 'host: must be a host name or an IP address'],
    [{ host: '1.1.1.1:22' }, 'host: must be a host name or an IP address, without a port'],
    [{ host: 'sftp.example.com:22' }, 'host: must be a host name or an IP address, without a port'],
    [{ host: '[::1]:22' }, 'host: must be a host name or an IP address, without a port'],
    [{ host: '[example.com]' }, 'host: must be a host name or an IP address, without a port'],
    // Forms of IPv4 addresses that only some programs read.
    [{ host: '0xa000001' }, 'host: must be a host name or an IP address'],
    [{ host: '192.168.1' }, 'host: must be a host name or an IP address'],
    [{ host: 'a..b' }, 'host: must be a host name or an IP address'],
    [{ host: ':::' }, 'host: must be a host name or an IP address'],
    [{ port: 0 }, 'port: must be at least 1'],
    [{ port: 65_536 }, 'port: must be at most 65535'],
    [{ login: '' }, 'login: '],
    [{ login: 'a\r\nb' }, 'login: holds characters'],
    [{ host_key: 'x' }, 'host_key: unknown member'],
  ])('400 for %j', async (rest, message) => {
    const { status, error } = await register(rest);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
    expect(error).not.toContain('secret key');
  });

  it('writes no secret to a log, whatever goes wrong', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const loud = await testApp({ log: pino({ level: 'trace' }, stream) });
    const body = { ...elsewhere.access, password: 'hush-hush', privateKey: elsewhere.privateKey };
    const wrong = [{ host: '10.0.0.1' }, { port: 1 }, { hostKey: newSshKey().public }, { login: 'them' }];
    for (const rest of [{}, ...wrong, { host: 'no-such-host.invalid' }, { login: 7 }])
      await loud.call('POST', path, { body: { ...body, ...rest } });
    await loud.close();
    const said = lines.join('');
    expect(said).not.toContain('hush-hush');
    expect(said).not.toContain('PRIVATE KEY');
    // An administrator's mistake is not a defect of Facteur.
    expect(lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    expect(said).not.toContain('stack');
  });

  it('404 for an unknown site, 401 without a token, 403 for a sender', async () => {
    const nowhere = '/admin/v1/sites/nowhere/repositories';
    expect((await t.call('POST', nowhere, { body: elsewhere.access })).error).toBe('Site not found');
    expect((await t.call('POST', path, { body: elsewhere.access, as: null })).status).toBe(401);
    expect((await t.call('POST', path, { body: elsewhere.access, as: 'sender' })).status).toBe(403);
  });

  it('accepts servers that request the password in a dialogue', async () => {
    const server = new ssh2.Server({ hostKeys: [newSshKey().private] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => {
        if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
        context.prompt('Password:', ([answer]) =>
          answer === 'secret' ? context.accept() : context.reject(),
        );
      });
      client.on('session', (accept) => accept().on('sftp', (open) => open().on('end', () => client.end())));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect((await register({ port })).status).toBe(200);
    expect((await register({ port, password: 'wrong' })).status).toBe(422);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    mkdirSync(join(elsewhere.folder), { recursive: true });
  });
});
