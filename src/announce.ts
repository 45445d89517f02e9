import type { Role } from './config.ts';

/** What a program that starts Facteur may want to know: the one JSON line on stdout. */
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
  /** Where readers reach the installation. */
  readonly publicUrl: string;
  /** Where this machine reaches it; null without HTTP. */
  readonly url: string | null;
  readonly docsUrl: string | null;
  /** What to mend before mail leaves; absent when there is nothing. */
  readonly warnings?: readonly string[];
  /** Only at the start that made it. */
  readonly adminToken?: string;
  readonly adminTokenFile?: string;
}

/** The same for people. */
export function readable(started: Started): string {
  const { url, sftpPort, smtpPort, adminToken } = started;
  const lines: [string, string][] = [];
  if (url) {
    lines.push(['API', `${url}/v1/demo`], ['Reference', `${url}/docs`]);
    if (started.publicUrl !== url) lines.push(['For readers', started.publicUrl]);
  }
  if (sftpPort) lines.push(['SFTP', `localhost:${sftpPort}`]);
  if (smtpPort) lines.push(['SMTP', `localhost:${smtpPort} (reports in, and the built-in mailbox)`]);
  lines.push(
    ['Roles', started.roles.join(', ')],
    ['Data', started.dataDir],
    ['Runs on', `PostgreSQL ${started.postgres}, Node ${started.node}`],
  );
  if (adminToken) {
    lines.push(['Admin token', adminToken], ['', `told this once; kept in ${started.adminTokenFile}`]);
  }
  const block = lines.map(([name, value]) => `  ${name.padEnd(13)}${value}`).join('\n');
  const warnings = (started.warnings ?? []).map((warning) => `  Warning: ${warning}\n\n`).join('');
  return `\nFacteur ${started.version} is running. Ctrl-C ends it.\n\n${block}\n\n${warnings}`;
}
