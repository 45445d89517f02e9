import type { Readable } from 'node:stream';

/** A place where a site's files are: its own folder on the embedded SFTP server, or an account elsewhere. */
export interface Repository {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  /** Directory of the account under which all names are looked up; '' for its root. */
  readonly subfolder: string;
  readonly login: string;
  readonly password: string;
  /** SHA-256 of the server's key in base64, kept at the first connection; undefined before it. */
  readonly hostKey: string | undefined;
}

export interface FileStat {
  readonly size: number;
  readonly modifiedAt: Date;
}

export interface RepositoryEntry extends FileStat {
  readonly name: string;
  readonly isDirectory: boolean;
}

/**
 * The files of one repository. Names are relative, may hold sub-directories, and are refused (400) when they would
 * leave the repository. To be closed after use.
 */
export interface RepositoryFiles {
  /** Undefined when there is no such file, or it is a directory. */
  stat(name: string): Promise<FileStat | undefined>;
  /** The file's bytes. @throws 404 when there is no such file. */
  read(name: string): Promise<Readable>;
  /** Writes a file whole: under a temporary name first, then renamed over what had the name before. */
  write(name: string, source: Readable): Promise<void>;
  /** Whether there was such a file. */
  remove(name: string): Promise<boolean>;
  /** What a directory holds ('' for the root), by name; nothing when it does not exist. */
  list(directory: string): Promise<RepositoryEntry[]>;
  close(): Promise<void>;
}
