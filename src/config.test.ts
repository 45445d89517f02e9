import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { readBesideSources } from './testing/source-tree.ts';

const oidc = {
  FACTEUR_OIDC_ISSUER: 'http://localhost:9000',
  FACTEUR_OIDC_CLIENT_ID: 'facteur',
  FACTEUR_OIDC_CLIENT_SECRET: 's',
  FACTEUR_OIDC_NAME: 'Verger',
};

describe('readConfig', () => {
  it('reads the variables that the README lists, and no others', () => {
    const listed = [...readBesideSources('README.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map((row) => row[1]!);
    // The refusal of an unknown name lists all known ones.
    const [, known = ''] = /known are (.*)$/.exec(refusalOf({ FACTEUR_X: '' })) ?? [];
    expect(listed.toSorted()).toEqual(known.split(', ').toSorted());
  });

  it('has a default for everything, even where a variable is empty', () => {
    expect(
      readConfig({ FACTEUR_PORT: '', FACTEUR_ROLES: '', FACTEUR_LOG_LEVEL: '', PATH: '/bin' }),
    ).toMatchObject({
      port: 3000,
      sftpPort: 2222,
      smtpPort: 2525,
      importDelayS: 120,
      logLevel: 'info',
      roles: new Set(['api', 'tracking', 'worker']),
    });
  });

  it('reads a provider of accounts', () => {
    expect(readConfig(oidc).oidc).toEqual({
      issuer: 'http://localhost:9000',
      clientId: 'facteur',
      clientSecret: 's',
      name: 'Verger',
    });
    expect(readConfig({}).oidc).toBeUndefined();
  });

  it('reads where HTTP and administration listen', () => {
    expect(readConfig({ FACTEUR_HOST: '[::1]', FACTEUR_ADMIN_LISTEN: '[::1]:3001' })).toMatchObject({
      host: '::1',
      adminListen: { host: '::1', port: 3001 },
    });
    expect(readConfig({ FACTEUR_ADMIN_LISTEN: 'localhost:0' }).adminListen).toEqual({
      host: 'localhost',
      port: 0,
    });
    expect(readConfig({})).toMatchObject({ host: undefined, adminListen: undefined });
  });

  it.each([
    [{ FACTEUR_PORT: 'x' }, 'FACTEUR_PORT must be a whole number from 0 to 65535'],
    [{ FACTEUR_HOST: 'a b' }, 'FACTEUR_HOST must be an IP address or a host name of this machine'],
    [{ FACTEUR_HOST: '127.0.0.1:3000' }, 'FACTEUR_HOST must be an IP address'],
    [{ FACTEUR_ADMIN_LISTEN: '3001' }, 'FACTEUR_ADMIN_LISTEN must be an address and a port'],
    [{ FACTEUR_ADMIN_LISTEN: '::1:3001' }, 'FACTEUR_ADMIN_LISTEN must be an address and a port'],
    [{ FACTEUR_ADMIN_LISTEN: '127.0.0.1:65536' }, 'FACTEUR_ADMIN_LISTEN must be an address and a port'],
    [{ FACTEUR_OIDC_ISSUER: 'https://accounts.example' }, 'FACTEUR_OIDC_NAME go together'],
    [{ FACTEUR_OIDC_CLIENT_ID: 'facteur' }, 'FACTEUR_OIDC_NAME go together'],
    [{ ...oidc, FACTEUR_OIDC_ISSUER: 'http://accounts.example' }, 'must be https, except on this machine'],
    [{ FACTEUR_ROLES: 'api,cook' }, 'FACTEUR_ROLES: unknown role cook; known are api, tracking, worker'],
    [
      { FACTEUR_PRIVATE_NETWORKS: '10.0.0.0/8,intranet' },
      "FACTEUR_PRIVATE_NETWORKS: 'intranet' is not an address or a range such as 10.1.0.0/16",
    ],
    [
      { FACTEUR_TRUSTED_PROXIES: 'nginx' },
      "FACTEUR_TRUSTED_PROXIES: 'nginx' is not an address or a range such as 10.1.0.0/16",
    ],
    [
      { FACTEUR_TRUSTED_PROXIES: '10.0.0.1, 0.0.0.0/0' },
      'FACTEUR_TRUSTED_PROXIES must not cover every address',
    ],
    [{ FACTEUR_TRUSTED_PROXIES: '::/0' }, 'FACTEUR_TRUSTED_PROXIES must not cover every address'],
    [{ FACTEUR_SFTP_QUOTA_MB: '5GB' }, 'FACTEUR_SFTP_QUOTA_MB must be a whole number'],
    [{ FACTEUR_EXPORT_LIMIT_S: '0' }, 'FACTEUR_EXPORT_LIMIT_S must be a whole number from 60 to 86400'],
    [{ FACTEUR_REQUESTS_PER_MINUTE: '0' }, 'FACTEUR_REQUESTS_PER_MINUTE must be a whole number from 1 to'],
    [
      { FACTEUR_CORS_ORIGINS: 'https://shop.example/' },
      "FACTEUR_CORS_ORIGINS: 'https://shop.example/' is not",
    ],
    [{ FACTEUR_CORS_ORIGINS: '*' }, "'*' is not an origin such as https://shop.example"],
    [
      { FACTEUR_PUBLIC_URL: 'https:shop.example' },
      'FACTEUR_PUBLIC_URL must be a URL that starts with http://',
    ],
    [
      { FACTEUR_PUBLIC_URL: 'https://shop.example/?a=1' },
      'FACTEUR_PUBLIC_URL must not contain a space, query',
    ],
    [{ FACTEUR_PUBLIC_URL: 'https://shop.example\n' }, 'FACTEUR_PUBLIC_URL must not contain a space, query'],
    [{ FACTEUR_SMTP_URL: 'smtp:relay.example' }, 'starts with smtp:// or smtps://'],
    [{ FACTEUR_SMTP_URL: 'smtp:///' }, 'FACTEUR_SMTP_URL must name a host'],
    [
      { FACTEUR_SMTP_URL: 'smtp://relay?tls=startls' },
      'FACTEUR_SMTP_URL: tls must be one of none, starttls, tls',
    ],
    [
      { FACTEUR_SMTP_URL: 'smtp://me:50%@relay' },
      'FACTEUR_SMTP_URL: write a % in the user or password as %25',
    ],
    [
      { FACTEUR_SMTP_URL: 'smtp://me%:41@relay' },
      'FACTEUR_SMTP_URL: write a % in the user or password as %25',
    ],
    [{ FACTEUR_ADMIN_TOKEN: 'too short' }, 'FACTEUR_ADMIN_TOKEN must have 20 to 200 characters'],
    [{ FACTEUR_ADMIN_TOKEN: 'a phrase that no header carries' }, 'ASCII, without spaces'],
    [{ FACTEUR_SECRET: 'short' }, 'FACTEUR_SECRET must have at least 32 characters'],
    [
      { FACTEUR_LOG_LEVEL: 'loud' },
      'FACTEUR_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    ],
    [
      { FACTEUR_PROT: '1', FACTEUR_DATADIR: '/x' },
      'Unknown setting FACTEUR_PROT, FACTEUR_DATADIR; known are ',
    ],
  ])('refuses %j', (env, error) => {
    expect(() => readConfig(env)).toThrow(error);
  });

  it('takes origins as browsers send them', () => {
    const { corsOrigins } = readConfig({
      FACTEUR_CORS_ORIGINS: 'https://Shop.example, capacitor://localhost,null,',
    });
    expect(corsOrigins).toEqual(['https://shop.example', 'capacitor://localhost', 'null']);
  });

  it('takes the relay of the documentation, and addresses in paths of their own', () => {
    const smtpUrl = 'smtp://me:50%25@relay.example:587?tls=starttls';
    const { publicUrl } = readConfig({ FACTEUR_PUBLIC_URL: 'https://shop.example/mail/' });
    expect(readConfig({ FACTEUR_SMTP_URL: smtpUrl }).smtpUrl).toBe(smtpUrl);
    expect(publicUrl).toBe('https://shop.example/mail');
  });

  it('names no value of a setting that may hold a password', () => {
    expect(() => readConfig({ FACTEUR_SMTP_URL: 'http://me:hush@relay' })).toThrow(
      /^FACTEUR_SMTP_URL must(?!.*hush)/,
    );
  });
});

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
