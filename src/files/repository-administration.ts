import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { egressAddress } from '../platform/egress.ts';
import { normaliseHost } from '../platform/host-name.ts';
import { hostOf } from '../platform/http/host.ts';
import { conflict, found, invalid, notFound, Refusal, refused } from '../platform/http/refusal.ts';
import { openRepository } from './open-repository.ts';
import {
  embeddedRepository,
  inputFault,
  normalSubfolder,
  type Repository,
  type RepositoryInput,
  type RepositoryItem,
  type RepositoryShown,
  type RepositoryTrial,
} from './repository.ts';
import {
  defaultRepository,
  deleteRepository,
  findRepository,
  insertRepository,
  type KeptRepository,
  listRepositories,
  type NewRepository,
  replaceRepository,
  setDefaultRepository,
} from './repository-store.ts';
import { type ExpectedKey, parseExpectedKey } from './server-key.ts';
import { CannotConnect, connectFirst, connectPinned, type SftpConnection } from './sftp-connection.ts';

/**
 * Registers an external repository of the site: connects, signs in, and pins the server's key. Nothing is stored if
 * that fails.
 * @throws 400 for an invalid property; 422, naming the property, for an internal host, an unreachable server, a
 * rejected login, another key than the given one, or a missing subfolder
 */
export async function registerRepository(
  app: App,
  db: SiteDb,
  input: RepositoryInput,
): Promise<RepositoryShown> {
  const access = accessOf(input, undefined);
  const expected = input.hostKey ? parseExpectedKey(input.hostKey) : undefined;
  return insertRepository(db, app.secrets, { ...access, hostKey: await shownKeyOf(app, access, expected) });
}

/**
 * Changes a repository, after a connection with the new settings. Omitted secrets stay, but must be given with another
 * host or port: they would be sent to another server. The pinned key stays as well, and is pinned again for another
 * host or port.
 * @throws like registerRepository; 404 for an unknown one; 409 if another caller changes it in the meantime; 503 if the
 * server shows another key than the pinned one
 */
export async function changeRepository(
  app: App,
  db: SiteDb,
  id: number,
  input: RepositoryInput,
): Promise<RepositoryShown> {
  const before = await known(app, db, id);
  const access = accessOf(input, before);
  const isSameServer = access.host === before.host && access.port === before.port;
  const expected = input.hostKey ? parseExpectedKey(input.hostKey) : undefined;
  const pinned = isSameServer && !expected ? { ...before, ...access } : undefined;
  const hostKey = await shownKeyOf(app, access, expected, pinned);
  return replaced(app, db, before, { ...access, hostKey });
}

/** Pins a server's new key. @throws 422 if the server does not show it or cannot be used, 404, 409 if changed since */
export async function acceptHostKey(
  app: App,
  db: SiteDb,
  id: number,
  hostKey: string,
): Promise<RepositoryShown> {
  const before = await known(app, db, id);
  const key = await shownKeyOf(app, before, parseExpectedKey(hostKey));
  return replaced(app, db, before, { ...before, hostKey: key });
}

/** Connects, lists the folder, writes a small file and removes it. @throws as openRepository. */
export async function tryRepository(app: App, db: SiteDb, id: number): Promise<RepositoryTrial> {
  const files = await openRepository(app, db, id);
  try {
    const nbEntries = (await files.list('')).length;
    const name = `.facteur-${randomUUID()}.tmp`;
    const writeError = await files
      .write(name, Readable.from([Buffer.from('Facteur was here\n')]))
      .then(() => files.remove(name))
      .then(
        () => null,
        (error: Error) => error.message,
      );
    return { nbEntries, canWrite: writeError === null, writeError };
  } finally {
    await files.close();
  }
}

/** The repositories of the site as the document lists them: the default one first, then by id. */
export async function repositoriesOf(app: App, db: SiteDb): Promise<RepositoryItem[]> {
  const { hostname: host } = new URL(app.publicUrl);
  const embedded = { idRepository: embeddedRepository, port: app.config.sftpPort, host, subfolder: '' };
  const others = (await listRepositories(db)).map(({ id, port, host, subfolder }) => {
    return { idRepository: id, port, host, subfolder };
  });
  const first = await defaultRepository(db);
  return [embedded, ...others].sort(
    (a, b) => Number(b.idRepository === first) - Number(a.idRepository === first),
  );
}

/** @throws 404 for an unknown repository. */
export async function chooseDefaultRepository(db: SiteDb, id: number): Promise<void> {
  found(await setDefaultRepository(db, id), 'Repository', 'idRepository');
}

/** @throws 404 for an unknown repository, 409 for the site's default one, which imports read from. */
export async function removeRepository(app: App, db: SiteDb, id: number): Promise<void> {
  const outcome = await deleteRepository(db, id, app.clock.now());
  if (outcome === 'unknown') throw notFound('Repository');
  if (outcome === 'default')
    throw conflict(
      `The repository is the default one of the site; choose another first (${embeddedRepository} for its own folder)`,
    );
}

/** The access that an input describes, with the secrets of `before` where it leaves them out. */
function accessOf(input: RepositoryInput, before: Repository | undefined): Omit<NewRepository, 'hostKey'> {
  const fault = inputFault(input);
  if (fault) throw invalid(fault);
  const port = input.port ?? 22;
  const given = hostOf(input.host);
  // Earlier versions kept a host as it was written.
  const isSameHost = before !== undefined && (normaliseHost(before.host) ?? before.host) === given;
  const host = isSameHost ? before.host : given;
  const isElsewhere = before && (!isSameHost || before.port !== port);
  const stays = isElsewhere ? undefined : before;
  const password = input.password === undefined ? (stays?.password ?? null) : input.password;
  const privateKey = input.privateKey === undefined ? (stays?.privateKey ?? null) : input.privateKey;
  if (password === null && privateKey === null) {
    throw invalid(
      isElsewhere
        ? 'password: another host or port needs the password or the private key again'
        : 'password: a password or a privateKey is required',
    );
  }
  return {
    host,
    port,
    subfolder: normalSubfolder(input.subfolder),
    login: input.login,
    password,
    privateKey,
  };
}

/** Connects, looks at the folder, and returns the key that the server shows. @param pinned the one it must show */
async function shownKeyOf(
  app: App,
  access: Omit<NewRepository, 'hostKey'>,
  expected: ExpectedKey | undefined,
  pinned?: Repository,
): Promise<string> {
  const address = await addressOf(app, access.host);
  const connecting = pinned ? connectPinned(pinned, address) : connectFirst(access, address, expected);
  const connection = await connecting.catch(namingMember);
  await checkSubfolder(connection, access.subfolder).finally(() => connection.end());
  return connection.hostKey;
}

/** @throws 422 when the server has no such folder: it is mistyped, or is to be made first. */
async function checkSubfolder({ client }: SftpConnection, subfolder: string): Promise<void> {
  if (subfolder === '') return;
  const stats = await client.stat(subfolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw refused(`subfolder: the server cannot look at '${subfolder}': ${error.message}`);
  });
  if (!stats)
    throw refused(`subfolder: the server has no folder '${subfolder}'; create it, or correct the name`);
  if (!stats.isDirectory) throw refused(`subfolder: '${subfolder}' is not a folder on the server`);
}

/** Resolves a host that an administrator entered. @throws 422 with the property if it cannot be resolved or used */
async function addressOf(app: App, host: string): Promise<string> {
  return egressAddress(host, app.config.privateNetworks).catch((error: unknown) => {
    throw error instanceof Refusal && error.status === 503 ? refused(`host: ${error.message}`) : error;
  });
}

function namingMember(error: unknown): never {
  throw error instanceof CannotConnect ? refused(`${error.member}: ${error.message}`) : error;
}

async function known(app: App, db: SiteDb, id: number): Promise<KeptRepository> {
  return found(await findRepository(db, app.secrets, id), 'Repository');
}

/** Replaces what `before` was read as, long ago: a server was asked since. @throws 404, 409 when it is another now. */
async function replaced(
  app: App,
  db: SiteDb,
  before: KeptRepository,
  of: NewRepository,
): Promise<RepositoryShown> {
  const shown = await replaceRepository(db, app.secrets, before, of);
  if (shown) return shown;
  await known(app, db, before.id);
  throw conflict('Another request changed the repository; read it and try again');
}
