import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('has a default for everything, also where a variable is empty', () => {
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

  it.each([
    [{ FACTEUR_PORT: 'x' }, 'FACTEUR_PORT must be a whole number from 0 to 65535'],
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
      'FACTEUR_TRUSTED_PROXIES must not trust every address',
    ],
    [{ FACTEUR_TRUSTED_PROXIES: '::/0' }, 'FACTEUR_TRUSTED_PROXIES must not trust every address'],
    [{ FACTEUR_SFTP_QUOTA_MB: '5GB' }, 'FACTEUR_SFTP_QUOTA_MB must be a whole number'],
    [{ FACTEUR_EXPORT_LIMIT_S: '0' }, 'FACTEUR_EXPORT_LIMIT_S must be a whole number from 60 to 86400'],
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

  it('names no value of a setting that may hold a password', () => {
    expect(() => readConfig({ FACTEUR_SMTP_URL: 'http://me:hush@relay' })).toThrow(
      /^FACTEUR_SMTP_URL must(?!.*hush)/,
    );
  });
});
