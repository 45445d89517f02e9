import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withWire } from '../testing/sftp-wire.ts';
import { until } from '../testing/until.ts';
import type { MemoryLimits } from './sftp-memory.ts';
import { type SftpServer, startSftpServer } from './sftp-server.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const limits: MemoryLimits = {
  session: megabyte,
  account: 2 * megabyte,
  total: 3 * megabyte,
  requests: 512 * kilobyte,
  handles: 512,
  stallMs: 60_000,
};
const pieceBytes = 32 * kilobyte;
const content = randomBytes(4 * megabyte);

let dataDir: string;
let server: SftpServer;
const clients: ssh2.Client[] = [];
const sockets: Socket[] = [];

const start = async (memory: Partial<MemoryLimits> = {}, loginTimeoutMs = 60_000) => {
  server = await startSftpServer({
    port: 0,
    dataDir,
    log: pino({ level: 'silent' }),
    authenticate: async (login) => ({ hostile: 7, other: 8 })[login],
    memory: { ...limits, ...memory },
    loginTimeoutMs,
  });
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-memory-'));
  for (const site of ['7', '8']) {
    mkdirSync(join(dataDir, 'sftp', site), { recursive: true });
    writeFileSync(join(dataDir, 'sftp', site, 'large'), content);
  }
});
afterEach(async () => {
  for (const client of clients.splice(0)) socketOf(client)?.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
  rmSync(dataDir, { recursive: true });
});

/** Properties of a client that its types omit. */
const inside = (client: ssh2.Client) =>
  client as unknown as {
    readonly _sock?: Socket;
    readonly _protocol: { channelWindowAdjust(): void; authPassword(user: string, password: string): void };
  };
const socketOf = (client: ssh2.Client) => inside(client)._sock;

const access = (username: string) => ({ host: '127.0.0.1', port: server.port, username, password: 'x' });

async function signIn(username = 'hostile', prepare: (client: ssh2.Client) => void = () => undefined) {
  const client = new ssh2.Client();
  clients.push(client);
  await new Promise<void>((resolve, reject) => {
    client.on('ready', resolve).on('error', reject).on('close', reject);
    client.connect(access(username));
    prepare(client);
  });
  return client;
}

const session = (client: ssh2.Client) => promisify(client.sftp.bind(client))() as Promise<SFTPWrapper>;
const open = (sftp: SFTPWrapper, name: string, how: 'r' | 'w' = 'r') =>
  promisify(sftp.open.bind(sftp) as (n: string, h: string, d: (e?: Error, b?: Buffer) => void) => void)(
    name,
    how,
  ) as unknown as Promise<Buffer>;

/** Requests a piece; the promise ends when it arrives. */
const read = (sftp: SFTPWrapper, handle: Buffer, at: number) =>
  new Promise<Buffer>((resolve, reject) => {
    const into = Buffer.alloc(pieceBytes);
    sftp.read(handle, into, 0, pieceBytes, at, (error, bytes) =>
      error ? reject(error) : resolve(into.subarray(0, bytes)),
    );
  });
const pieceAt = (n: number) => (n * pieceBytes) % content.length;

describe('what the server holds for its clients', () => {
  it('is bounded when a client asks much and reads nothing; others are served; then it gets all', async () => {
    await start();
    const asked: Promise<Buffer>[] = [];
    const hostile = await Promise.all([signIn(), signIn()]);
    for (const client of hostile) {
      const sessions = await Promise.all(Array.from({ length: 8 }, () => session(client)));
      const handles = await Promise.all(sessions.map((sftp) => open(sftp, 'large')));
      socketOf(client)!.pause();
      for (const [i, sftp] of sessions.entries())
        for (let n = 0; n < 200; n++) asked.push(read(sftp, handles[i]!, pieceAt(n)));
    }
    expect(asked.length * pieceBytes).toBe(100 * megabyte);
    await until(() => server.held.now > 2 * limits.session - 2 * pieceBytes, 'answers that nobody reads');
    const got = await withWire(access('other'), async (sftp) => {
      const handle = await open(sftp, 'large');
      return Promise.all(Array.from({ length: 128 }, (_, n) => read(sftp, handle, pieceAt(n))));
    });
    expect(Buffer.concat(got).equals(content)).toBe(true);
    for (const client of hostile) socketOf(client)!.resume();
    for (const [n, piece] of (await Promise.all(asked)).entries())
      if (!piece.equals(content.subarray(pieceAt(n % 200), pieceAt(n % 200) + pieceBytes)))
        throw new Error(`piece ${n} is another`);
    // Answers up to the total and one more for the other account, and a few hundred bytes for each request.
    expect(server.held.peak).toBeLessThan(limits.total + pieceBytes + megabyte + asked.length * 300);
    await until(() => server.held.now === 0, 'nothing held');
  });

  it('is bounded when a client never lets its session continue, and asks ever more', async () => {
    await start();
    const client = await signIn();
    const isClosed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    inside(client)._protocol.channelWindowAdjust = () => undefined;
    const sftp = await session(client);
    const handle = await open(sftp, 'large');
    for (let n = 0; n < 200; n++) read(sftp, handle, pieceAt(n)).catch(() => undefined);
    for (let n = 0; n < 2_000; n++) sftp.stat('large', () => undefined);
    await isClosed;
    expect(server.held.peak).toBeLessThan(limits.session + 1_024 * 300 + megabyte);
    await until(() => server.held.now === 0, 'nothing held');
  });

  it('is released when a client reads nothing for long', async () => {
    await start({ stallMs: 400 });
    const client = await signIn();
    const sftp = await session(client);
    const handle = await open(sftp, 'large');
    socketOf(client)!.pause();
    for (let n = 0; n < 900; n++) read(sftp, handle, pieceAt(n)).catch(() => undefined);
    await until(() => server.held.now > limits.session / 2, 'answers that nobody reads');
    await until(() => server.held.now === 0, 'the end of the connection');
  });

  it('is bounded when a client writes faster than the disk takes it, and nothing is lost', async () => {
    await start();
    const client = await signIn();
    const sftp = await session(client);
    const handle = await open(sftp, 'up', 'w');
    const write = (n: number) =>
      new Promise<void>((resolve, reject) =>
        sftp.write(handle, content, pieceAt(n), pieceBytes, n * pieceBytes, (error) =>
          error ? reject(error) : resolve(),
        ),
      );
    await Promise.all(Array.from({ length: 800 }, (_, n) => write(n)));
    const copies = Array.from({ length: 7 }, () => content);
    const expected = Buffer.concat(copies).subarray(0, 800 * pieceBytes);
    expect(readFileSync(join(dataDir, 'sftp', '7', 'up')).equals(expected)).toBe(true);
    expect(server.held.peak).toBeLessThan(limits.requests + megabyte);
  });
});

describe('who may come in', () => {
  it('a connection has eight sessions at most, and a place is free again when one ends', async () => {
    await start();
    const client = await signIn();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => session(client)));
    await expect(session(client)).rejects.toThrow('Channel open failure');
    const isClosed = new Promise((resolve) => sessions[0]!.once('close', resolve));
    sessions[0]!.end();
    await isClosed;
    await open(await session(client), 'large');
  });

  it('an account has so many open files in all its sessions', async () => {
    await start({ handles: 20 });
    const client = await signIn();
    const [first, second] = await Promise.all([session(client), session(client)]);
    const handles = await Promise.all(Array.from({ length: 20 }, () => open(first, 'large')));
    await expect(open(second, 'large')).rejects.toThrow('Too many open files');
    await expect(open(first, 'none')).rejects.toThrow('Too many open files');
    await withWire(access('other'), (sftp) => open(sftp, 'large'));
    await promisify(first.close.bind(first))(handles[0]!);
    await expect(open(second, 'none')).rejects.toThrow('No such file');
    await open(second, 'large');
    const isClosed = new Promise((resolve) => first.once('close', resolve));
    first.end();
    await isClosed;
    for (let n = 0; n < 19; n++) await open(second, 'large');
  });

  it('two logins at once on one connection are one connection', async () => {
    await start();
    for (let n = 0; n < 40; n++) {
      const client = await signIn('hostile', (one) => {
        const protocol = inside(one)._protocol;
        const once = protocol.authPassword.bind(protocol);
        protocol.authPassword = (user, password) => {
          once(user, password);
          once(user, password);
        };
      });
      const isClosed = new Promise<void>((resolve) => client.once('close', () => resolve()));
      client.end();
      await isClosed;
    }
    await withWire(access('hostile'), (sftp) => open(sftp, 'large'));
  });

  it('an account has 32 connections, however many come at once', async () => {
    await start();
    const tries = await Promise.allSettled(Array.from({ length: 40 }, () => signIn()));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(32);
    await withWire(access('other'), (sftp) => open(sftp, 'large'));
  });

  it('strangers who say nothing, do not close their side or talk nonsense no longer exist', async () => {
    await start({}, 300);
    const stranger = () => {
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      sockets.push(socket);
      socket.on('error', () => undefined).resume();
      return socket;
    };
    const ended = Array.from({ length: 70 }, (_, n) => {
      const socket = stranger();
      if (n >= 60) socket.write(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(5_000)]));
      return new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    });
    await Promise.all(ended);
    // All from one address: the permits are free after the server has released its side.
    await until(
      () =>
        signIn('other').then(
          () => true,
          () => false,
        ),
      'a place',
    );
    const late = stranger();
    await new Promise((resolve) => late.once('data', resolve));
    await server.close();
    await start();
  });
});
