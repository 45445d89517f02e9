import type { Stats } from 'node:fs';
import type { Logger } from 'pino';
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2';
import { insideRoot, nameFault } from './file-name.ts';
import { FolderError } from './folder-error.ts';
import { writeWhole } from './nameless-file.ts';
import type { OpenUploads } from './open-uploads.ts';
import { SftpHandles } from './sftp-handles.ts';
import type { SftpLine } from './sftp-memory.ts';
import type { SiteFolder } from './site-folder.ts';

const { STATUS_CODE: status, OPEN_MODE: openMode } = ssh2.utils.sftp;

/** The most that one read returns: OpenSSH's packet limit, less its head. */
const maxReadBytes = 255 * 1024;
const entriesPerReaddir = 64;
/** At most: two names of 255 letters and what is around them, for each entry. */
const readdirBytes = entriesPerReaddir * 2_000;
/** Bytes of a path, which counts twice, and of any other response. */
const pathBytes = 4_096;
const otherBytes = 256;

/** The account and its folder, for a session. */
export interface Served {
  readonly folder: SiteFolder;
  /** Where files are marked that clients have open for writing. */
  readonly uploads: OpenUploads;
  readonly log: Logger;
}

/** Serves SFTP version 3 on one channel and one folder. Links are refused; permissions and owners are ignored. */
export function serveSftp(
  sftp: SFTPWrapper,
  { folder, uploads, line, log }: Served & { readonly line: SftpLine },
): void {
  const flow = line.open(sftp);
  const session = new SftpSession(sftp, { folder, uploads, log }, line);
  const on = (event: string, answer: (id: number, ...rest: never[]) => Promise<void>) =>
    sftp.on(event, (id: number, ...rest: never[]) =>
      flow.take(sizeOf(rest), answerSize(event, rest), () => session.run(id, () => answer(id, ...rest))),
    );
  /** A request on a handle: they are answered in the order in which they came. */
  const onHandle = (event: string, answer: (id: number, handle: Buffer, ...rest: never[]) => Promise<void>) =>
    sftp.on(event, (id: number, handle: Buffer, ...rest: never[]) =>
      flow.take(sizeOf(rest), answerSize(event, [handle, ...rest]), () =>
        session.handles.inOrder(handle, () => session.run(id, () => answer(id, handle, ...rest))),
      ),
    );
  on('OPEN', (id, name: string, flags: number) => session.open(id, name, flags));
  onHandle('READ', (id, handle, at: number, length: number) => session.read(id, handle, at, length));
  onHandle('WRITE', (id, handle, at: number, data: Buffer) => session.write(id, handle, at, data));
  onHandle('CLOSE', (id, handle) => session.done(id, session.handles.close(handle)));
  on('OPENDIR', (id, name: string) => session.openDirectory(id, name));
  onHandle('READDIR', (id, handle) => session.readDirectory(id, handle));
  on('STAT', (id, name: string) => session.stat(id, name));
  on('LSTAT', (id, name: string) => session.stat(id, name));
  onHandle('FSTAT', (id, handle) => session.statHandle(id, handle));
  on('SETSTAT', (id, name: string, attrs: Attributes) => session.setStat(id, name, attrs));
  onHandle('FSETSTAT', (id, handle, attrs: Attributes) => session.setStatHandle(id, handle, attrs));
  on('REALPATH', (id, name: string) => session.realPath(id, name));
  on('REMOVE', (id, name: string) => session.done(id, folder.removeFile(name)));
  on('MKDIR', (id, name: string) => session.done(id, folder.makeDirectory(name)));
  on('RMDIR', (id, name: string) => session.done(id, folder.removeDirectory(name)));
  on('RENAME', (id, from: string, to: string) => session.done(id, folder.rename(from, to, false)));
  on('READLINK', (id) => session.refuse(id));
  on('SYMLINK', (id) => session.refuse(id));
  on('EXTENDED', (id) => session.refuse(id));
  // Without this answer OpenSSH's client hangs on `bye`.
  sftp.on('end', () => void session.handles.closeAll().finally(() => endWell(sftp)));
  sftp.on('close', () => void session.handles.closeAll());
  sftp.on('error', (error: Error) => log.info({ err: error.message }, 'SFTP session broke the protocol'));
}

/** Ends a session like a program that succeeded: OpenSSH's scp fails without an exit status. */
function endWell(sftp: SFTPWrapper): void {
  // The types omit the channel below.
  const { _protocol, outgoing } = sftp as unknown as {
    readonly _protocol: { exitStatus(channel: number, status: number): void };
    readonly outgoing: { readonly id: number; readonly state: string };
  };
  if (outgoing.state === 'open') _protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}

/** Bytes of what a request brings along: names, and what is to be written. */
function sizeOf(given: readonly unknown[]): number {
  return given.reduce<number>((sum, one) => {
    if (typeof one === 'string') return sum + 2 * one.length;
    return sum + (one instanceof Buffer ? one.length : 0);
  }, 0);
}

function answerSize(event: string, given: readonly unknown[]): number {
  if (event === 'READ') return Math.min(Number(given[2]), maxReadBytes);
  if (event === 'READDIR') return readdirBytes;
  return event === 'REALPATH' ? pathBytes : otherBytes;
}

class SftpSession {
  readonly handles: SftpHandles;
  readonly #sftp: SFTPWrapper;
  readonly #folder: SiteFolder;
  readonly #uploads: OpenUploads;
  readonly #log: Logger;

  constructor(sftp: SFTPWrapper, { folder, uploads, log }: Served, line: SftpLine) {
    this.#uploads = uploads;
    this.handles = new SftpHandles((by) => line.memory.countHandle(line.idSite, by));
    this.#sftp = sftp;
    this.#folder = folder;
    this.#log = log;
  }

  /** Runs one request and turns its error into the status it is answered with. */
  async run(id: number, answer: () => Promise<void>): Promise<void> {
    await answer().catch((error: unknown) => {
      if (!(error instanceof FolderError)) this.#log.error({ err: error }, 'SFTP request failed');
      this.#sftp.status(id, statusOf(error), error instanceof FolderError ? error.message : 'Failure');
    });
  }

  async done(id: number, work: Promise<unknown>): Promise<void> {
    await work;
    this.#sftp.status(id, status.OK);
  }

  async refuse(id: number): Promise<void> {
    this.#sftp.status(id, status.OP_UNSUPPORTED);
  }

  async open(id: number, name: string, flags: number): Promise<void> {
    const has = (bit: number) => (flags & bit) !== 0;
    const isAppended = has(openMode.APPEND);
    const isWritten = has(openMode.WRITE) || isAppended;
    const handle = await this.handles.add(async () => {
      const file = await this.#folder.open(name, {
        read: has(openMode.READ),
        write: isWritten,
        create: has(openMode.CREAT),
        truncate: has(openMode.TRUNC),
        exclusive: has(openMode.EXCL),
      });
      try {
        const { size, ino } = await file.stat();
        const unmark = isWritten ? await this.#uploads.begin(ino) : undefined;
        return { kind: 'file', file, size, shift: isAppended ? undefined : 0, unmark };
      } catch (error) {
        await file.close();
        throw error;
      }
    });
    this.#sftp.handle(id, handle);
  }

  async read(id: number, handle: Buffer, at: number, length: number): Promise<void> {
    const thing = this.handles.file(handle);
    const buffer = Buffer.allocUnsafe(Math.min(length, maxReadBytes));
    const { bytesRead } = await thing.file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return void this.#sftp.status(id, status.EOF);
    this.#sftp.data(id, buffer.subarray(0, bytesRead));
  }

  async write(id: number, handle: Buffer, at: number, data: Buffer): Promise<void> {
    const thing = this.handles.file(handle);
    // Some clients count from the file's beginning when they append, some from its end: the first write goes to the
    // end, or to where it says behind it, and the others keep their distance from it.
    thing.shift ??= Math.max(0, thing.size - at);
    const place = at + thing.shift;
    const growth = Math.max(0, place + data.length - thing.size);
    await this.#folder.quota.grow(growth);
    await writeWhole(thing.file, data, place);
    thing.size += growth;
    this.#sftp.status(id, status.OK);
  }

  async openDirectory(id: number, name: string): Promise<void> {
    const handle = await this.handles.add(async () => {
      const dir = await this.#folder.openDirectory(name);
      return { kind: 'directory', dir, name: insideRoot(name), done: false };
    });
    this.#sftp.handle(id, handle);
  }

  async readDirectory(id: number, handle: Buffer): Promise<void> {
    const open = this.handles.directory(handle);
    const entries: FileEntry[] = [];
    while (!open.done && entries.length < entriesPerReaddir) {
      const found = await open.dir.read();
      if (!found) open.done = true;
      // What is neither a file nor a directory, or has a name that could not be requested, does not exist here.
      else if (!nameFault(found.name)) {
        const stats = await this.#folder.stat(`${open.name}/${found.name}`).catch(() => undefined);
        if (stats) entries.push(entryOf(found.name, stats));
      }
    }
    if (entries.length === 0) return void this.#sftp.status(id, status.EOF);
    this.#sftp.name(id, entries);
  }

  async stat(id: number, name: string): Promise<void> {
    this.#sftp.attrs(id, attributesOf(await this.#folder.stat(name)));
  }

  async statHandle(id: number, handle: Buffer): Promise<void> {
    this.#sftp.attrs(id, attributesOf(await this.handles.file(handle).file.stat()));
  }

  async setStat(id: number, name: string, attrs: Attributes): Promise<void> {
    if (attrs.size !== undefined) {
      const file = await this.#folder.open(name, { write: true });
      const { size } = await file.stat();
      await this.#folder.truncate(file, size, attrs.size).finally(() => file.close());
    }
    if (attrs.mtime !== undefined)
      await this.#folder.setTimes(name, timeOf(attrs.atime), timeOf(attrs.mtime));
    else await this.#folder.stat(name);
    this.#sftp.status(id, status.OK);
  }

  async setStatHandle(id: number, handle: Buffer, attrs: Attributes): Promise<void> {
    const thing = this.handles.file(handle);
    const { file } = thing;
    if (attrs.size !== undefined) {
      await this.#folder.truncate(file, (await file.stat()).size, attrs.size);
      thing.size = attrs.size;
    }
    if (attrs.mtime !== undefined) await file.utimes(timeOf(attrs.atime), timeOf(attrs.mtime));
    this.#sftp.status(id, status.OK);
  }

  async realPath(id: number, name: string): Promise<void> {
    const fault = nameFault(name || '/');
    if (fault) throw new FolderError('failed', `The name ${fault}`);
    // Purely by name, as clients ask it of places that do not exist yet.
    const path = insideRoot(name);
    this.#sftp.name(id, [{ filename: path, longname: path, attrs: {} as Attributes }]);
  }
}

function statusOf(error: unknown): number {
  if (!(error instanceof FolderError)) return status.FAILURE;
  if (error.code === 'missing') return status.NO_SUCH_FILE;
  return error.code === 'denied' ? status.PERMISSION_DENIED : status.FAILURE;
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
const timeOf = (value: number | Date | undefined) =>
  value instanceof Date ? value : new Date((value ?? 0) * 1000);

function attributesOf(stats: Stats): Attributes {
  return {
    mode: stats.mode,
    uid: 0,
    gid: 0,
    size: stats.size,
    atime: seconds(stats.atime),
    mtime: seconds(stats.mtime),
  };
}

/** A listing's line; `longname` is what `ls -l` would show, which some clients display as it is. */
function entryOf(name: string, stats: Stats): FileEntry {
  const kind = stats.isDirectory() ? 'drwx------' : '-rw-------';
  const when = stats.mtime.toISOString().slice(0, 16).replace('T', ' ');
  const longname = `${kind} 1 facteur facteur ${String(stats.size).padStart(12)} ${when} ${name}`;
  return { filename: name, longname, attrs: attributesOf(stats) };
}
