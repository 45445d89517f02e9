import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** The text that each engine knows as spam (Generic Test for Unsolicited Bulk Email). */
export const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

/** Milliseconds for the start of an engine, which reads about a thousand rules. */
const startMs = 200_000;

interface RunningEngine {
  readonly port: number;
  close(): Promise<void>;
}

/** Both engines, and the settings by which the program finds them. */
export async function startEngines(): Promise<{ config: Partial<Config>; close(): Promise<void> }> {
  const engines = await Promise.all([startSpamd(), startRspamd()]);
  const [spamd, rspamd] = engines;
  return {
    config: {
      spamdAddress: { host: '127.0.0.1', port: spamd.port },
      rspamdUrl: `http://127.0.0.1:${rspamd.port}`,
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}

/** Debian's spamd on loopback, with the rules of its package and no tests that need a network. */
async function startSpamd(): Promise<RunningEngine> {
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  return run((port, folder) => [
    '/usr/sbin/spamd',
    ...['-L', '-x', '-m', '2', '-s', 'stderr', '-i', '127.0.0.1', '-p', String(port), '-H', folder, ...user],
  ]);
}

/** Debian's Rspamd on loopback, with the configuration of its package, but no name server. */
async function startRspamd(): Promise<RunningEngine> {
  return run((port, folder) => {
    const config = join(folder, 'rspamd.conf');
    const lines = [
      '.include "/etc/rspamd/common.conf"',
      'options {',
      '  .include "/etc/rspamd/options.inc"',
      `  tempdir = "${folder}"; rundir = "${folder}"; hs_cache_dir = "${folder}/";`,
      '  disable_hyperscan = true;',
      '  dns { nameserver = ["127.0.0.1:1"]; timeout = 0.05; retransmits = 1; }',
      '}',
      'logging { type = "console"; level = "error"; }',
      `worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; mime = true; }`,
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    const folders = ['DBDIR', 'RUNDIR', 'LOGDIR'].map((name) => `--var=${name}=${folder}`);
    return ['/usr/bin/rspamd', '-f', '--insecure', '-c', config, ...folders];
  });
}

async function run(command: (port: number, folder: string) => string[]): Promise<RunningEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-spam-'));
  // spamd leaves root's account.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const [program, ...args] = command(port, folder);
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said = (said + text).slice(-4000);
    });
  const close = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error('it ended');
        return isOpen(port);
      },
      'it listens',
      startMs,
    );
  } catch (error) {
    await close();
    throw new Error(`${program} did not start: ${(error as Error).message}; it wrote: ${said}`);
  }
  return { port, close };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A server of bytes that answers as a test says: for engines that misbehave. */
export class ScriptedEngine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Called with each new connection. It may be replaced at any time. */
  answer: (socket: Socket) => void = () => undefined;

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
      this.answer(socket);
    });
  }

  static async start(): Promise<ScriptedEngine> {
    const engine = new ScriptedEngine();
    engine.#server.listen(0, '127.0.0.1');
    await once(engine.#server, 'listening');
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Answers with `bytes` once the request has begun to come. */
export const saying = (bytes: string | Buffer) => (socket: Socket) => {
  socket.once('data', () => socket.end(bytes));
  socket.resume();
};

/** Answers with `head`, and then with bytes without an end. */
export const sayingForEver = (head: string) => (socket: Socket) => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const go = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', go);
  socket.once('data', () => {
    socket.write(head);
    go();
  });
};

/** A response of spamd with a score. */
export function spamdResponse(score: string, report = 'A report'): string {
  return `SPAMD/1.1 0 EX_OK\r\nContent-length: ${report.length}\r\nSpam: False ; ${score} / 5.0\r\n\r\n${report}`;
}

/** A response of Rspamd, or of what passes for it. */
export function rspamdResponse(body: unknown, status = '200 OK'): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
}
