import type { Readable } from 'node:stream';
import { Host } from '../platform/http/host.ts';
import {
  Bool,
  Closed,
  Count,
  Id,
  Line,
  Maybe,
  Nullable,
  ReadOnly,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { isPrivateKey } from '../platform/ssh-key.ts';

/** Stands for the site's own folder on the embedded SFTP server, where the id of a repository is requested. */
export const embeddedRepository = 0;

/** An account on an SFTP server elsewhere, with its secrets in plain: for connecting only. */
export interface Repository
  extends Readonly<Omit<RepositoryShown, 'hasPassword' | 'hasPrivateKey' | 'hostKeyFingerprint'>> {
  readonly password: string | null;
  readonly privateKey: string | null;
}

export type SftpAccess = Pick<Repository, 'host' | 'port' | 'login' | 'password' | 'privateKey'>;

export interface FileStat {
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Whether a file has not changed between two looks. */
export const isSameFile = (a: FileStat, b: FileStat): boolean =>
  a.size === b.size && a.modifiedAt.getTime() === b.modifiedAt.getTime();

export interface RepositoryEntry extends FileStat {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The files of one repository. Names are relative; those that leave it are refused (400). Close after use. */
export interface RepositoryFiles {
  /** Where the files are, in words that follow “in”. */
  readonly place: string;
  /** Resolution of change times, in milliseconds: a file that is changed this long after a look shows another time. */
  readonly settlesMs: number;
  /** Undefined for a directory or no file. @throws 503 while a client of the embedded server writes the file */
  stat(name: string): Promise<FileStat | undefined>;
  /** The file's bytes. @throws 404 when there is no such file. */
  read(name: string): Promise<Readable>;
  /**
   * Writes a file whole: to a temporary file first, which then replaces an existing file. A process that may die in
   * between, and wants to clean up, names the temporary file itself (`draft`, an unused name in the same directory). On
   * failure `source` is destroyed, however early, because nothing else reads it to its end.
   */
  write(name: string, source: Readable, draft?: string): Promise<void>;
  /** Whether there was such a file. @throws 503 as `stat`. */
  remove(name: string): Promise<boolean>;
  /**
   * Lists a directory ('' for the root) by name; empty if it does not exist.
   * @param most the maximum number of entries; default: no limit. The rest is not read.
   * @param signal ends the listing
   * @throws 422 if the directory has more; the signal's reason
   */
  list(directory: string, most?: number, signal?: AbortSignal): Promise<RepositoryEntry[]>;
  close(): Promise<void>;
}

const maxPort = 65_535;
const Port = () => Type.Integer({ title: 'Int32', minimum: 1, maximum: maxPort });
const Subfolder = () =>
  Line(500, 'Directory of all files; relative to the one that the login leads to, unless it starts with /');

export const RepositoryItem = Closed('Repository', {
  idRepository: Count("0 is the site's own folder on the embedded SFTP server"),
  port: Port(),
  host: Type.String({ title: 'String' }),
  subfolder: Type.String({ title: 'String' }),
});
export type RepositoryItem = Static<typeof RepositoryItem>;

export const RepositoryInput = Closed('RepositoryInput', {
  host: Host('sftp.example.com'),
  port: Type.Optional(Type.Integer({ title: 'Int32', minimum: 1, maximum: maxPort, default: 22 })),
  subfolder: Maybe(Subfolder()),
  login: Type.String({ ...Line(255), minLength: 1 }),
  password: Maybe(Text(1000)),
  privateKey: Maybe(Text(20_000, 'In the format of OpenSSH or PEM, not encrypted')),
  hostKey: Maybe(Line(2000, "The server's public key, or its SHA-256 fingerprint (SHA256:…)")),
  id: ReadOnly(),
  hasPassword: ReadOnly(),
  hasPrivateKey: ReadOnly(),
  hostKeyFingerprint: ReadOnly(),
  isDefault: ReadOnly(),
});
export type RepositoryInput = Static<typeof RepositoryInput>;

/** A repository as administration shows it; its secrets are never shown again. */
export const RepositoryShown = Closed('RegisteredRepository', {
  id: Id('repository'),
  host: Host('sftp.example.com'),
  port: Port(),
  /** Directory under which all names are looked up; '' for the one that the login leads to. */
  subfolder: Type.String(),
  login: Type.String(),
  hasPassword: Bool(),
  hasPrivateKey: Bool(),
  /** The server's public key as OpenSSH writes it; another one is refused. */
  hostKey: Type.String(),
  hostKeyFingerprint: Type.String(),
  isDefault: Bool(),
});
export type RepositoryShown = Static<typeof RepositoryShown>;

export const RepositoryTrial = Closed('RepositoryTrial', {
  nbEntries: Count('Files and directories in its folder'),
  canWrite: Bool(),
  writeError: Nullable(Type.String()),
});
export type RepositoryTrial = Static<typeof RepositoryTrial>;

/** The rule that an input breaks by itself, or undefined. */
export function inputFault(input: RepositoryInput): string | undefined {
  const { port, subfolder, privateKey, password } = input;
  if (port !== undefined && port > maxPort) return `port: must be at most ${maxPort}`;
  if (subfolder?.split('/').includes('..')) return "subfolder: must not hold '..'";
  if (subfolder?.includes('\\')) return 'subfolder: must not hold a back-slash';
  if (password === '') return 'password: must not be empty';
  if (typeof privateKey === 'string' && !isPrivateKey(privateKey))
    return 'privateKey: must be a private key in the format of OpenSSH or PEM, without a passphrase';
  return undefined;
}

/** Normalises a subfolder: no slashes at its end, except the root's own; linear, unlike a pattern. */
export function normalSubfolder(given: string | null | undefined): string {
  const text = given ?? '';
  let end = text.length;
  while (end > 1 && text[end - 1] === '/') end--;
  return text.slice(0, end);
}
