import { Resolver } from 'node:dns';
import { resolve } from 'node:path';
import { normaliseHost } from './platform/host-name.ts';
import type { ListenAddress } from './platform/http/admin-port.ts';
import { type Network, parseNetworks } from './platform/network.ts';
import { isParsableUrl } from './platform/parsable-url.ts';
import { tlsModes } from './platform/tls-mode.ts';

export type Role = 'api' | 'tracking' | 'worker';
const roles: readonly Role[] = ['api', 'tracking', 'worker'];

/** Every variable of Facteur, so that a misspelt one is an error instead of being ignored. */
const names: readonly string[] = [
  'FACTEUR_DATA_DIR',
  'FACTEUR_HOST',
  'FACTEUR_PORT',
  'FACTEUR_ADMIN_LISTEN',
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
  'FACTEUR_SPAMD_ADDRESS',
  'FACTEUR_RSPAMD_URL',
  'FACTEUR_SPAM_LIMIT_S',
  'FACTEUR_DNS_SERVERS',
  'FACTEUR_OIDC_ISSUER',
  'FACTEUR_OIDC_CLIENT_ID',
  'FACTEUR_OIDC_CLIENT_SECRET',
  'FACTEUR_OIDC_NAME',
];
/** Pino's, from the most to the least said. */
const logLevels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Every setting, typed and checked once. All have defaults; the README lists them. */
export interface Config {
  /** Absolute path of everything that Facteur keeps on disk. */
  readonly dataDir: string;
  /** Where HTTP listens; undefined means all addresses of the machine. */
  readonly host: string | undefined;
  /** Where administration and metrics are answered, and nowhere else; undefined means with everything else. */
  readonly adminListen: ListenAddress | undefined;
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
  /** Seconds between “send now” and the start of the sending. */
  readonly sendDelayS: number;
  /** Origins that may call the API from a browser; none by default. */
  readonly corsOrigins: readonly string[];
  /** Requests that one token may make in a minute, in each process. */
  readonly requestsPerMinute: number;
  readonly logLevel: string;
  /** Networks besides the public Internet that the service may connect to where a caller names the host. */
  readonly privateNetworks: readonly Network[];
  /** Proxies in front of our ports, whose X-Forwarded-For is believed, on HTTP; nobody's by default. */
  readonly trustedProxies: readonly Network[];
  /** Bytes that a site's files may take on the embedded SFTP server; 0 is no limit. */
  readonly sftpQuotaBytes: number;
  /** Bytes that a site's pictures may take in the database; 0 is no limit. */
  readonly pictureQuotaBytes: number;
  readonly fieldQuota: number;
  readonly exportLimitS: number;
  /** SpamAssassin's spamd; undefined: it gives no scores. */
  readonly spamdAddress: ListenAddress | undefined;
  /** Rspamd's worker, without a trailing slash; undefined: it gives no second opinion. */
  readonly rspamdUrl: string | undefined;
  /** Milliseconds that an engine may take for one message. */
  readonly spamLimitMs: number;
  /** DNS servers for the mail servers of domains and the check of sending domains; none: those of the machine. */
  readonly dnsServers: readonly string[];
  /** The company's accounts, by which users sign in; undefined means by password and passkey only. */
  readonly oidc: OidcConfig | undefined;
}

/** A client at an OpenID Connect provider. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name of these accounts on the sign-in page, for example “Verger”. */
  readonly name: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration from environment variables. @throws Error that names the variable and the rule it breaks. */
export function readConfig(env: Environment = process.env): Config {
  checkNames(env);
  const dataDir = resolve(env.FACTEUR_DATA_DIR || './data');
  return {
    dataDir,
    host: hostOf(env),
    adminListen: addressOf(env, 'FACTEUR_ADMIN_LISTEN', '127.0.0.1:3001 or [::1]:3001'),
    port: whole(env, 'FACTEUR_PORT', 3000, 65535),
    sftpPort: whole(env, 'FACTEUR_SFTP_PORT', 2222, 65535),
    smtpPort: whole(env, 'FACTEUR_SMTP_PORT', 2525, 65535),
    publicUrl: plainUrl(env, 'FACTEUR_PUBLIC_URL', 'every reader sees it')?.replace(/\/+$/, ''),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    smtpUrl: relayUrl(env),
    adminToken: adminToken(env),
    secret: secret(env),
    roles: rolesOf(env.FACTEUR_ROLES),
    importDelayS: whole(env, 'FACTEUR_IMPORT_DELAY_S', 120, 86_400),
    sendDelayS: whole(env, 'FACTEUR_SEND_DELAY_S', 30, 86_400),
    corsOrigins: originsOf(env),
    requestsPerMinute: whole(env, 'FACTEUR_REQUESTS_PER_MINUTE', 6_000, 1_000_000_000, 1),
    logLevel: levelOf(env.FACTEUR_LOG_LEVEL),
    privateNetworks: networksOf(env, 'FACTEUR_PRIVATE_NETWORKS'),
    trustedProxies: proxiesOf(env),
    sftpQuotaBytes: whole(env, 'FACTEUR_SFTP_QUOTA_MB', 51_200, 1_000_000_000) * 1024 ** 2,
    pictureQuotaBytes: whole(env, 'FACTEUR_PICTURE_QUOTA_MB', 5_120, 1_000_000_000) * 1024 ** 2,
    // A call takes and gives 500 fields at most, those of the system among them.
    fieldQuota: whole(env, 'FACTEUR_FIELD_QUOTA', 50, 400),
    // 5 GB, about ten million subscribers, at 6 Mbit/s.
    exportLimitS: whole(env, 'FACTEUR_EXPORT_LIMIT_S', 7_200, 86_400, 60),
    spamdAddress: addressOf(env, 'FACTEUR_SPAMD_ADDRESS', '127.0.0.1:783 or [::1]:783'),
    rspamdUrl: plainUrl(env, 'FACTEUR_RSPAMD_URL', 'Rspamd is called without them')?.replace(/\/+$/, ''),
    spamLimitMs: whole(env, 'FACTEUR_SPAM_LIMIT_S', 20, 50, 1) * 1000,
    dnsServers: dnsServersOf(env),
    oidc: oidcOf(env),
  };
}

function dnsServersOf(env: Environment): string[] {
  const servers = (env.FACTEUR_DNS_SERVERS ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  try {
    new Resolver().setServers(servers);
  } catch {
    throw new Error(
      'FACTEUR_DNS_SERVERS must be IP addresses separated by commas, each with a port or without: 192.0.2.1:53',
    );
  }
  return servers;
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

function hostOf({ FACTEUR_HOST: text }: Environment): string | undefined {
  if (!text) return undefined;
  const host = normaliseHost(text);
  if (host === undefined)
    throw new Error('FACTEUR_HOST must be an IP address or a host name of this machine');
  return host;
}

/** An address and a port: `127.0.0.1:3001`, `[::1]:3001`. */
function addressOf(env: Environment, name: string, examples: string): ListenAddress | undefined {
  const text = env[name];
  if (!text) return undefined;
  const [, given = '', digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  // An address of IPv6 is in brackets, or its last part would be the port.
  const host = given.includes(':') && !given.startsWith('[') ? undefined : normaliseHost(given);
  if (host === undefined || Number(digits) > 65_535)
    throw new Error(`${name} must be an address and a port, for example ${examples}`);
  return { host, port: Number(digits) };
}

function networksOf(env: Environment, name: string): Network[] {
  try {
    return parseNetworks(env[name] ?? '');
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/** @throws Error for a range of all addresses too: any client could then claim any address */
function proxiesOf(env: Environment): Network[] {
  const name = 'FACTEUR_TRUSTED_PROXIES';
  const networks = networksOf(env, name);
  if (networks.some(({ prefix }) => prefix === 0))
    throw new Error(`${name} must not cover every address; list only your proxies`);
  return networks;
}

function url(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const isOurs = protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
  // The value itself may hold a password, so no error repeats it.
  if (!isOurs || !isParsableUrl(text))
    throw new Error(`${name} must be a URL that starts with ${protocols.join('// or ')}//`);
  return text;
}

/** Reads a URL that is the beginning of others, so it must end with its path. */
function plainUrl(env: Environment, name: string, why: string): string | undefined {
  const text = url(env, name, ['http:', 'https:']);
  if (text === undefined) return undefined;
  const { username, password } = new URL(text);
  if (/[\s?#]/.test(text) || username !== '' || password !== '')
    throw new Error(`${name} must not contain a space, query, fragment or password: ${why}`);
  return text;
}

/** Reads the client at an OpenID Connect provider: all of its variables or none. */
function oidcOf(env: Environment): OidcConfig | undefined {
  const issuer = plainUrl(env, 'FACTEUR_OIDC_ISSUER', 'the provider names itself by it');
  const { FACTEUR_OIDC_CLIENT_ID: clientId, FACTEUR_OIDC_CLIENT_SECRET: clientSecret } = env;
  const name = env.FACTEUR_OIDC_NAME;
  if (!issuer && !clientId && !clientSecret && !name) return undefined;
  if (!issuer || !clientId || !clientSecret || !name)
    throw new Error(
      'FACTEUR_OIDC_ISSUER, FACTEUR_OIDC_CLIENT_ID, FACTEUR_OIDC_CLIENT_SECRET and FACTEUR_OIDC_NAME go together',
    );
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Error('FACTEUR_OIDC_ISSUER must be https, except on this machine');
  return { issuer, clientId, clientSecret, name };
}

/** Like `routeOfUrl`; a misspelt `tls` would send in plain text, and a missing host to this machine. */
function relayUrl(env: Environment): string | undefined {
  const name = 'FACTEUR_SMTP_URL';
  const text = url(env, name, ['smtp:', 'smtps:']);
  if (text === undefined) return undefined;
  const { hostname, username, password, searchParams } = new URL(text);
  if (hostname === '') throw new Error(`${name} must name a host, for example smtp://user:password@host:587`);
  const tls = searchParams.get('tls');
  if (tls !== null && !tlsModes.some((mode) => mode === tls))
    throw new Error(`${name}: tls must be one of ${tlsModes.join(', ')}`);
  try {
    for (const part of [username, password]) decodeURIComponent(part);
  } catch {
    throw new Error(`${name}: write a % in the user or password as %25`);
  }
  return text;
}

/** A token that no request can carry would be rejected by every request, without a hint at the start. */
function adminToken({ FACTEUR_ADMIN_TOKEN: text }: Environment): string | undefined {
  if (!text) return undefined;
  if (!/^[\x21-\x7e]{20,200}$/.test(text))
    throw new Error('FACTEUR_ADMIN_TOKEN must have 20 to 200 characters: ASCII, without spaces');
  return text;
}

function secret({ FACTEUR_SECRET: text }: Environment): string | undefined {
  if (!text) return undefined;
  if (text.length < 32) throw new Error('FACTEUR_SECRET must have at least 32 characters');
  return text;
}

/** Reads origins as browsers send them: in lower case, without a path; `null` is that of local pages. */
function originsOf({ FACTEUR_CORS_ORIGINS: text = '' }: Environment): string[] {
  const origins = text.split(',').map((origin) => origin.trim().toLowerCase());
  return origins.filter(Boolean).map((origin) => {
    if (!/^([a-z][a-z0-9+.-]*:\/\/[^/?#\s]+|null)$/.test(origin))
      throw new Error(`FACTEUR_CORS_ORIGINS: '${origin}' is not an origin such as https://shop.example`);
    return origin;
  });
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
