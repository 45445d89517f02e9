import type { Role } from './config.ts';

/** The one JSON line on stdout, for a program that starts Facteur. */
export interface Started {
  readonly event: 'started';
  readonly version: string;
  /** Versions of Node and of the PostgreSQL server that it runs on. */
  readonly node: string;
  readonly postgres: string;
  readonly pid: number;
  readonly roles: readonly Role[];
  readonly dataDir: string;
  /** The ports taken; null for a server that this process's roles do not include. */
  readonly port: number | null;
  readonly sftpPort: number | null;
  readonly smtpPort: number | null;
  /** Where this machine reaches administration and metrics; absent where they have no port of their own. */
  readonly adminUrl?: string;
  readonly publicUrl: string;
  /** Where this machine reaches it; null without HTTP. */
  readonly url: string | null;
  readonly docsUrl: string | null;
  /** Problems to fix before mail is sent; absent if there are none. */
  readonly warnings?: readonly string[];
  /** Only at the start that made it. */
  readonly adminToken?: string;
  readonly adminTokenFile?: string;
  /** The first user, who can sign in. Only at the start that made it. */
  readonly adminEmail?: string;
  readonly adminPassword?: string;
  readonly adminPasswordFile?: string;
}

/** Formats the start for people. */
export function readable(started: Started): string {
  const { url, adminUrl, sftpPort, smtpPort, adminToken, adminEmail, adminPassword } = started;
  const lines: [string, string][] = [];
  if (url) {
    lines.push(['Console', `${url}/console/`], ['API', `${url}/v1/demo`], ['Reference', `${url}/docs`]);
    if (started.publicUrl !== url) lines.push(['For readers', started.publicUrl]);
  }
  if (adminUrl) lines.push(['Admin', `${adminUrl}/admin/v1 (and metrics)`]);
  if (sftpPort) lines.push(['SFTP', `localhost:${sftpPort}`]);
  if (smtpPort) lines.push(['SMTP', `localhost:${smtpPort} (reports in, and the built-in mailbox)`]);
  lines.push(
    ['Roles', started.roles.join(', ')],
    ['Data', started.dataDir],
    ['Runs on', `PostgreSQL ${started.postgres}, Node ${started.node}`],
  );
  if (adminToken) {
    lines.push(['Admin token', adminToken], ['', `shown only once; stored in ${started.adminTokenFile}`]);
  }
  if (adminEmail && adminPassword) {
    lines.push(['Sign in as', adminEmail], ['Password', adminPassword]);
    lines.push(['', `shown only once; stored in ${started.adminPasswordFile}`]);
  }
  const block = lines.map(([name, value]) => `  ${name.padEnd(13)}${value}`).join('\n');
  const warnings = (started.warnings ?? []).map((warning) => `  Warning: ${warning}\n\n`).join('');
  return `\nFacteur ${started.version} is running. Ctrl-C ends it.\n\n${block}\n\n${warnings}`;
}
