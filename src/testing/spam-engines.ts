import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { type Listening, listening } from './listening.ts';
import { kill } from './programs.ts';

/** The text that each engine knows as spam (Generic Test for Unsolicited Bulk Email). */
export const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

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
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const port = await freePort();
  const [program, ...args] = command(port, folder);
  try {
    const child = await startDaemon(port, program!, args);
    return { port, close: () => kill(child, 'SIGTERM').then(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A server of bytes that answers as a test says: for engines that misbehave. */
export interface ScriptedEngine extends Listening {
  /** Called with each new connection. It may be replaced at any time. */
  answer: (socket: Socket) => void;
}

export async function scriptedEngine(): Promise<ScriptedEngine> {
  const server = createServer({ allowHalfOpen: true }, (socket) => engine.answer(socket));
  const engine: ScriptedEngine = { ...(await listening(server)), answer: () => undefined };
  return engine;
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
