import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { livePostmaster } from './platform/postgres/postmaster.ts';
import { standardGraceMs } from './sending/engine/engine.ts';
import { stopPatienceMs } from './serve.ts';
import { type Ended, FacteurProcess } from './testing/child-process.ts';
import { until } from './testing/until.ts';

describe('the times of a graceful stop', () => {
  it('fit into each other, in the program, the systemd unit, the containers and the documentation', () => {
    const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const docs = read('docs/operations.md');
    expect(docs).toContain('up to a minute');
    expect(standardGraceMs).toBe(60_000);
    expect(docs).toContain(`after ${stopPatienceMs / 1_000} seconds`);
    // The database, requests and the ports have 25 s after the last reply.
    expect(stopPatienceMs).toBeGreaterThanOrEqual(standardGraceMs + 25_000);
    const unit = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/facteur.service'))?.[1]);
    const compose = Number(/stop_grace_period: (\d+)s/.exec(read('deploy/compose.yaml'))?.[1]);
    for (const seconds of [unit, compose]) expect(seconds * 1_000).toBeGreaterThan(stopPatienceMs);
  });
});

/** A start takes about 3 s alone, and the machine of the tests may be busy. */
const ports = { FACTEUR_PORT: '0', FACTEUR_SFTP_PORT: '0', FACTEUR_SMTP_PORT: '0' };

describe('facteur serve', () => {
  let dataDir: string;
  let running: FacteurProcess[];

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'facteur-serve-'));
    running = [];
  });
  afterEach(async () => {
    for (const one of running) await one.end('SIGTERM');
    const left = postmaster();
    if (left) process.kill(left, 'SIGINT');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const postmaster = () => livePostmaster(join(dataDir, 'postgres', 'data'));

  function run(
    args: readonly string[],
    environment: Record<string, string> = {},
    input?: string,
  ): FacteurProcess {
    const one = new FacteurProcess(args, { ...ports, FACTEUR_DATA_DIR: dataDir, ...environment }, input);
    running.push(one);
    return one;
  }

  async function get(url: string, token?: string): Promise<{ status: number; body: string }> {
    const answer = await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    return { status: answer.status, body: await answer.text() };
  }

  it('starts, survives kill -9 of itself and of PostgreSQL, and finds everything again', async () => {
    const first = run(['serve']);
    const started = await first.started();
    expect(started).toMatchObject({ event: 'started', roles: ['api', 'tracking', 'worker'], dataDir });
    const { url, adminToken } = started;
    expect(adminToken).toBe(readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
    for (const secret of ['admin-token', 'admin-password', 'secret'])
      expect(statSync(join(dataDir, secret)).mode & 0o777).toBe(0o600);

    const signIn = await fetch(`${url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: started.adminEmail, password: started.adminPassword }),
    });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';

    expect((await get(`${url}/health/live`)).status).toBe(200);
    expect((await get(`${url}/health/ready`)).body).toContain('"database":"ready","postgres":"18.');
    const metrics = (await get(`${url}/metrics`)).body;
    expect(metrics).toContain('facteur_http_request_seconds');
    expect(metrics).toContain('facteur_reports_lost_total{kind="complaint"} 0');
    expect((await get(`${url}/openapi.json`)).body).toContain('"openapi":"3.1.0"');
    const reference = await fetch(`${url}/docs/`);
    expect(reference.status).toBe(200);
    const policy = reference.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    // The root leads there, too.
    expect((await get(`${url}/`)).body).toContain('Facteur: API reference');
    expect((await get(`${url}/admin/v1/sites`)).status).toBe(401);
    expect(JSON.parse((await get(`${url}/admin/v1/sites`, adminToken)).body).data).toMatchObject([
      { name: 'demo' },
    ]);
    const made = await fetch(`${url}/admin/v1/sites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: '{"name":"kept"}',
    });
    expect(made.status).toBe(200);

    const { stderr } = await first.end('SIGKILL');
    expect(stderr).toContain(adminToken);
    expect(stderr).toContain('PostgreSQL 18.');
    process.kill(postmaster()!, 'SIGKILL');

    const second = run(['serve']);
    const again = await second.started();
    expect((await get(`${again.url}/health/ready`)).body).toContain('"sending":"free"');
    expect([again.adminToken, again.adminPassword]).toEqual([undefined, undefined]);
    const me = await fetch(`${again.url}/v1/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ success: true, data: { isAdministrator: true } });
    const sites = JSON.parse((await get(`${again.url}/admin/v1/sites`, adminToken)).body).data;
    expect(sites).toMatchObject([{ name: 'demo' }, { name: 'kept' }]);

    // PostgreSQL alone dies under the running service: it comes back, and so do the answers.
    process.kill(postmaster()!, 'SIGKILL');
    await expect
      .poll(() => get(`${again.url}/admin/v1/sites`, adminToken).then(({ status }) => status), {
        timeout: 100_000,
      })
      .toBe(200);

    const ended = await second.end('SIGTERM');
    expect(ended.code).toBe(0);
    expect(postmaster()).toBeUndefined();
  });

  // A terminal sends Ctrl-C to all processes of the group; the first start takes seconds, in which people change their
  // minds.
  it('ends in order on a Ctrl-C while it makes its database', async () => {
    const environment = { ...ports, FACTEUR_DATA_DIR: dataDir };
    const { child, ended } = new FacteurProcess(['serve'], environment, '', { detached: true });
    await until(
      () => existsSync(join(dataDir, 'postgres', 'data.new', 'PG_VERSION')),
      'the making of the database',
    );
    process.kill(-child.pid!, 'SIGINT');
    expect((await ended).code).toBe(0);
    expect(postmaster()).toBeUndefined();
    expect((await run(['serve']).started()).event).toBe('started');
  });

  it('adopts the PostgreSQL of a process that was killed', async () => {
    const first = run(['serve'], { FACTEUR_ROLES: 'worker' });
    expect(await first.started()).toMatchObject({
      port: null,
      sftpPort: null,
      smtpPort: null,
      roles: ['worker'],
    });
    const server = postmaster()!;
    await first.end('SIGKILL');
    expect(postmaster()).toBe(server);
    const second = run(['serve'], { FACTEUR_ROLES: 'worker' });
    await second.started();
    expect(postmaster()).toBe(server);
    const { code, stderr } = await second.end('SIGINT');
    expect({ code, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      code: 0,
      last: 'Facteur has stopped.',
    });
    expect(postmaster()).toBeUndefined();
  });

  it('lets two processes start together on one data directory, and end one after the other', async () => {
    const [one, two] = [run(['serve']), run(['serve'])];
    const started = await Promise.all([one.started(), two.started()]);
    const tokens = started.flatMap(({ adminToken }) => adminToken ?? []);
    expect(tokens).toHaveLength(1);
    const refused = Array.from({ length: 30 }, () =>
      fetch(`${started[0].url}/admin/v1/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[0]}` },
      }),
    );
    expect((await Promise.all(refused)).every((reply) => reply.status === 400)).toBe(true);
    expect((await one.end('SIGTERM')).code).toBe(0);
    // The audit log was written to its end.
    const log = await get(`${started[1].url}/admin/v1/audit-entries?operation=createUser`, tokens[0]);
    expect(JSON.parse(log.body).data.entries).toHaveLength(30);
    const { status, body } = await get(`${started[1].url}/admin/v1/sites`, tokens[0]);
    expect([status, JSON.parse(body).data]).toMatchObject([200, [{ name: 'demo' }]]);
    expect((await two.end('SIGTERM')).code).toBe(0);
    expect(postmaster()).toBeUndefined();
  });

  it('does the commands of administration beside a running service', async () => {
    const { url } = await run(['serve']).started();
    const did = async (args: string[], input?: string): Promise<Ended> => run(args, {}, input).ended;
    expect((await did(['site', 'create', 'shop'])).stdout).toContain('"name":"shop"');
    const twice = await did(['site', 'create', 'shop']);
    expect([twice.code, twice.stderr]).toEqual([1, "facteur: A site named 'shop' already exists\n"]);
    const user = ['user', 'create', '--name', 'Zoé', '--email', 'zoe@shop.example', '--password-stdin'];
    expect((await did(user, 'correct horse battery\n')).stdout).toContain('"hasPassword":true');
    const token = await did([
      'token',
      'create',
      '--user',
      'zoe@shop.example',
      '--role',
      'reader',
      '--site',
      'shop',
    ]);
    const text = token.stdout.trim();
    expect((await get(`${url}/v1/shop/fields`, text)).status).toBe(200);
    expect((await get(`${url}/v1/demo/fields`, text)).status).toBe(404);
    expect((await get(`${url}/admin/v1/sites`, text)).status).toBe(403);
    const [, listed] = (await did(['token', 'list'])).stdout.trim().split('\n');
    expect(JSON.parse(listed!)).toMatchObject({ userName: 'Zoé', role: 'reader', sites: ['shop'] });
    const { id } = JSON.parse(listed!);
    expect(token.stderr).toBe(`Token ${id}; npx facteur token revoke ${id} ends it\n`);
    const revoked = await did(['token', 'revoke', String(id)]);
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id, revocationDate: expect.any(String) });
    await expect
      .poll(() => get(`${url}/v1/shop/fields`, text).then(({ status }) => status), { timeout: 100_000 })
      .toBe(401);
  });

  it('is not ready while it cannot keep hits, names that, and is ready again when it is fixed', async () => {
    const { url } = await run(['serve']).started();
    const ready = async () => {
      const { status, body } = await get(`${url}/health/ready`);
      return [status, JSON.parse(body)];
    };
    const writable = async () =>
      /^facteur_hit_spool_writable (\d)$/m.exec((await get(`${url}/metrics`)).body)?.[1];
    const fine = { status: 'ready', hitSpool: 'writable', hitFilesSetAside: 0, hitRecordsDropped: 0 };
    expect(await ready()).toMatchObject([200, fine]);
    expect(await writable()).toBe('1');
    const folder = join(dataDir, 'spool');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'in its place');
    const broken = { status: 'unready', database: 'ready', hitSpool: 'unwritable (ENOTDIR)' };
    expect(await ready()).toMatchObject([503, broken]);
    expect(await writable()).toBe('0');
    expect((await get(`${url}/health/live`)).status).toBe(200);
    rmSync(folder);
    expect(await ready()).toMatchObject([200, fine]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a-1-b.refused'), 'a line that an operator has to see');
    expect(await ready()).toMatchObject([200, { ...fine, hitFilesSetAside: 1 }]);
    expect((await get(`${url}/metrics`)).body).toContain('facteur_hits_set_aside_bytes 34');
  });

  it('says in one sentence why it does not start', async () => {
    const busy = createServer().listen(0);
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as { port: number };
    const taken = await run(['serve'], { FACTEUR_PORT: String(port) }).ended;
    busy.close();
    expect([taken.code, taken.stdout]).toEqual([1, '']);
    expect(taken.stderr).toContain(`facteur: Port ${port} is taken by another program; set FACTEUR_PORT\n`);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);

    const first = run(['serve']);
    const { pid, sftpPort } = await first.started();
    const again = await run(['serve'], { FACTEUR_SFTP_PORT: String(sftpPort) }).ended;
    expect([again.code, again.stdout]).toEqual([1, '']);
    // One sentence: no line of the log before it.
    expect(again.stderr).toMatch(
      new RegExp(
        `^facteur: Port ${sftpPort} is taken, and Facteur runs on this data .+ \\(process ${pid}\\): .+\n$`,
      ),
    );
    await first.end('SIGTERM');
    for (const damaged of ['', 'short\n', 'x'.repeat(43)]) {
      writeFileSync(join(dataDir, 'secret'), damaged);
      const refused = await run(['serve']).ended;
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('secret') });
      expect(postmaster()).toBeUndefined();
    }

    const wrong = await run(['serve'], { FACTEUR_PORT: 'x' }).ended;
    expect(wrong).toEqual({
      code: 1,
      stdout: '',
      stderr: 'facteur: FACTEUR_PORT must be a whole number from 0 to 65535\n',
    });
    const url = 'postgres://ada:secret@127.0.0.1:1/none';
    const nowhere = await run(['serve'], { DATABASE_URL: url }).ended;
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('facteur: The database at DATABASE_URL cannot be used');
    expect(nowhere.stderr).not.toContain('secret');
  });
});
