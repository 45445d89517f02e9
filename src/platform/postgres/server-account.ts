import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The system user that PostgreSQL runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account for the server's processes, because PostgreSQL refuses to run as root. As root, it is the owner
 * of the data, if there are any, otherwise the user `postgres` or `nobody`; no user is added to the machine. For any
 * other user: undefined, the server runs as ourselves.
 * @param data PostgreSQL's data directory, which need not exist
 */
export function serverAccount(data: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(data, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody');
}

/** Whether the account may pass through a folder and all the folders above it. */
export function canReach(account: ServerAccount | undefined, folder: string): boolean {
  if (!account) return true;
  for (let at = folder; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const execute = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & execute) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
