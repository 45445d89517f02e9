import { resolve } from 'node:path';
import { type Network, parseNetworks } from './platform/network.ts';
import { isParsableUrl } from './platform/parsable-url.ts';

export type Role = 'api' | 'tracking' | 'worker';
const roles: readonly Role[] = ['api', 'tracking', 'worker'];

/** Every variable of ours, so that a misspelt one is told and does not pass for its default. */
const names: readonly string[] = [
  'FACTEUR_DATA_DIR',
  'FACTEUR_PORT',
  'FACTEUR_SFTP_PORT',
  'FACTEUR_SMTP_PORT',
  'FACTEUR_PUBLIC_URL',
  'FACTEUR_SMTP_URL',
  'FACTEUR_ADMIN_TOKEN',
  'FACTEUR_SECRET',
  'FACTEUR_ROLES',
  'FACTEUR_IMPORT_DELAY_S',
  'FACTEUR_SEND_DELAY_S',
  'FACTEUR_CORS_ORIGINS',
  'FACTEUR_REQUESTS_PER_MINUTE',
  'FACTEUR_LOG_LEVEL',
  'FACTEUR_PRIVATE_NETWORKS',
  'FACTEUR_TRUSTED_PROXIES',
  'FACTEUR_SFTP_QUOTA_MB',
  'FACTEUR_PICTURE_QUOTA_MB',
  'FACTEUR_FIELD_QUOTA',
  'FACTEUR_EXPORT_LIMIT_S',
];
/** Pino's, from the most to the least said. */
const logLevels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Every setting, typed and checked once. All have defaults; the README lists them. */
export interface Config {
  /** Absolute path of everything that Facteur keeps on disk. */
  readonly dataDir: string;
  /** TCP ports; 0 takes any free one. */
  readonly port: number;
  readonly sftpPort: number;
  readonly smtpPort: number;
  /** Where readers reach this installation; undefined means http://localhost:<port>. */
  readonly publicUrl: string | undefined;
  /** An outside PostgreSQL; undefined means the embedded one. */
  readonly databaseUrl: string | undefined;
  /** The relay of sites that have no route of their own; undefined means the built-in mailbox. */
  readonly smtpUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly secret: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Seconds between asking for an immediate import and its start. */
  readonly importDelayS: number;
  /** Seconds between «send now» and the start of the sending. */
  readonly sendDelayS: number;
  /** Origins that may call the API from a browser; none by default. */
  readonly corsOrigins: readonly string[];
  /** Requests that one token may make in a minute, in each process. */
  readonly requestsPerMinute: number;
  readonly logLevel: string;
  /** Networks besides the public Internet that the service may connect to where a caller names the host. */
  readonly privateNetworks: readonly Network[];
  /** Proxies in front of the HTTP port, whose X-Forwarded-For is believed; nobody's by default. */
  readonly trustedProxies: readonly Network[];
  /** Bytes that a site's files may take on the embedded SFTP server; 0 is no limit. */
  readonly sftpQuotaBytes: number;
  /** Bytes that a site's pictures may take in the database; 0 is no limit. */
  readonly pictureQuotaBytes: number;
  /** Custom fields that a site may have. */
  readonly fieldQuota: number;
  /** Seconds that one try of an export may take. */
  readonly exportLimitS: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables.
 * @throws Error that names the variable and the rule it breaks.
 */
export function readConfig(env: Environment = process.env): Config {
  checkNames(env);
  const dataDir = resolve(env.FACTEUR_DATA_DIR || './data');
  return {
    dataDir,
    port: whole(env, 'FACTEUR_PORT', 3000, 65535),
    sftpPort: whole(env, 'FACTEUR_SFTP_PORT', 2222, 65535),
    smtpPort: whole(env, 'FACTEUR_SMTP_PORT', 2525, 65535),
    publicUrl: url(env, 'FACTEUR_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    smtpUrl: url(env, 'FACTEUR_SMTP_URL', ['smtp:', 'smtps:']),
    adminToken: longEnough(env, 'FACTEUR_ADMIN_TOKEN', 20),
    secret: longEnough(env, 'FACTEUR_SECRET', 32),
    roles: rolesOf(env.FACTEUR_ROLES),
    importDelayS: whole(env, 'FACTEUR_IMPORT_DELAY_S', 120, 86_400),
    sendDelayS: whole(env, 'FACTEUR_SEND_DELAY_S', 30, 86_400),
    corsOrigins: (env.FACTEUR_CORS_ORIGINS ?? '').split(',').filter(Boolean),
    requestsPerMinute: whole(env, 'FACTEUR_REQUESTS_PER_MINUTE', 6_000, 1_000_000_000),
    logLevel: levelOf(env.FACTEUR_LOG_LEVEL),
    privateNetworks: networksOf(env, 'FACTEUR_PRIVATE_NETWORKS'),
    trustedProxies: proxiesOf(env),
    sftpQuotaBytes: whole(env, 'FACTEUR_SFTP_QUOTA_MB', 51_200, 1_000_000_000) * 1024 ** 2,
    pictureQuotaBytes: whole(env, 'FACTEUR_PICTURE_QUOTA_MB', 5_120, 1_000_000_000) * 1024 ** 2,
    // A call takes and gives 500 fields at the most, those of the system among them.
    fieldQuota: whole(env, 'FACTEUR_FIELD_QUOTA', 50, 400),
    // 5 GB, some ten million subscribers, at 6 Mbit/s.
    exportLimitS: whole(env, 'FACTEUR_EXPORT_LIMIT_S', 7_200, 86_400, 60),
  };
}

function checkNames(env: Environment): void {
  const unknown = Object.keys(env).filter((name) => name.startsWith('FACTEUR_') && !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown setting ${unknown.join(', ')}; known are DATABASE_URL, ${names.join(', ')}`);
}

function levelOf(text: string | undefined): string {
  const level = text || 'info';
  if (!logLevels.includes(level)) throw new Error(`FACTEUR_LOG_LEVEL must be one of ${logLevels.join(', ')}`);
  return level;
}

function whole(env: Environment, name: string, byDefault: number, max: number, min = 0): number {
  const text = env[name];
  if (text === undefined || text === '') return byDefault;
  if (!/^\d+$/.test(text) || Number(text) > max || Number(text) < min)
    throw new Error(`${name} must be a whole number from ${min} to ${max}`);
  return Number(text);
}

function networksOf(env: Environment, name: string): Network[] {
  try {
    return parseNetworks(env[name] ?? '');
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/** @throws Error also for a range of all addresses: everybody could call himself anything then. */
function proxiesOf(env: Environment): Network[] {
  const name = 'FACTEUR_TRUSTED_PROXIES';
  const networks = networksOf(env, name);
  if (networks.some(({ prefix }) => prefix === 0))
    throw new Error(`${name} must not trust every address; name those of your proxies`);
  return networks;
}

function url(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const protocol = isParsableUrl(text) ? new URL(text).protocol : '';
  // The value itself may hold a password, so the error does not repeat it.
  if (!protocols.includes(protocol))
    throw new Error(`${name} must be a URL that starts with ${protocols.join(' or ')}//`);
  return text;
}

function longEnough(env: Environment, name: string, min: number): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (text.length < min) throw new Error(`${name} must have at least ${min} characters`);
  return text;
}

function rolesOf(text: string | undefined): ReadonlySet<Role> {
  if (!text) return new Set(roles);
  const given = text.split(',').map((word) => word.trim());
  const unknown = given.filter((word) => !roles.includes(word as Role));
  if (unknown.length > 0)
    throw new Error(`FACTEUR_ROLES: unknown role ${unknown.join(', ')}; known are ${roles.join(', ')}`);
  return new Set(given as Role[]);
}

/** The environment for a child process of ours: this one's, with other settings in place. */
export function environmentWith(settings: Environment): Record<string, string | undefined> {
  return { ...process.env, ...settings };
}
