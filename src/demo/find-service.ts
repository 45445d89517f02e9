import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Config, environmentWith } from '../config.ts';

/** Where a running service is, and how its administrator signs in. */
export interface Service {
  readonly url: string;
  readonly sftpPort: number;
  readonly smtpPort: number;
  readonly adminToken: string;
  /** Ends the service if the demo started it. */
  stop(): Promise<void>;
}

/** The service that runs on this machine with this configuration, or one of the demo's own on fresh data. */
export async function findOrStartService(config: Config, say: (line: string) => void): Promise<Service> {
  const running = await findRunning(config);
  if (typeof running !== 'string') {
    say(`Using the service that runs at ${running.url}`);
    return running;
  }
  say(`${running}: starting a service on data of its own, with short delays`);
  return startOwn();
}

/** The running service whose data directory this is, or why there is none. */
async function findRunning(config: Config): Promise<Service | string> {
  if (config.port === 0) return 'With FACTEUR_PORT=0 no running service can be found';
  const url = `http://127.0.0.1:${config.port}`;
  const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
  if (!answer?.ok) return `No service answers at ${url}`;
  const adminToken = config.adminToken ?? (await readToken(config.dataDir).catch(() => ''));
  const sites = await fetch(`${url}/admin/v1/sites`, { headers: { authorization: `Bearer ${adminToken}` } });
  if (!sites.ok) return `The service at ${url} is not that of ${config.dataDir}`;
  const { sftpPort, smtpPort } = config;
  return { url, sftpPort, smtpPort, adminToken, stop: async () => undefined };
}

async function readToken(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
}

async function startOwn(): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-demo-'));
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, 'serve'], {
    // Its messages for people would mix with the demo's own lines; they are shown only if it does not start.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentWith({
      FACTEUR_DATA_DIR: dataDir,
      // Neither the user's database nor their relay: the demo's people do not exist.
      DATABASE_URL: '',
      FACTEUR_SMTP_URL: '',
      FACTEUR_ADMIN_TOKEN: '',
      FACTEUR_PUBLIC_URL: '',
      FACTEUR_PORT: '0',
      FACTEUR_SFTP_PORT: '0',
      FACTEUR_SMTP_PORT: '0',
      FACTEUR_IMPORT_DELAY_S: '1',
      FACTEUR_SEND_DELAY_S: '1',
      FACTEUR_LOG_LEVEL: 'warn',
      // The demo plays thousands of readers from one address.
      FACTEUR_REQUESTS_PER_MINUTE: '1000000',
      FACTEUR_ROLES: '',
    }),
  });
  let told = '';
  child.stderr.on('data', (text: Buffer) => {
    told = `${told}${text}`.slice(-10_000);
  });
  const started = await firstLine(child.stdout).catch((error: Error) => {
    throw new Error(`${error.message}: ${told}`);
  });
  return {
    url: `http://127.0.0.1:${started.port}`,
    sftpPort: started.sftpPort,
    smtpPort: started.smtpPort,
    adminToken: await readToken(dataDir),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function firstLine(
  output: NodeJS.ReadableStream,
): Promise<Pick<Service, 'sftpPort' | 'smtpPort'> & { readonly port: number }> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('{')) return JSON.parse(line);
  }
  throw new Error('The service ended before it had started');
}
