import type { Server, Socket } from 'node:net';
import ssh2 from 'ssh2';
import { newSshKey } from '../files/host-key.ts';

const { STATUS_CODE } = ssh2.utils.sftp;

const attributes = { mode: 0o100600, uid: 0, gid: 0, atime: 1e9, mtime: 1e9 };

/**
 * An SFTP server on loopback with its files in memory, that stops answering what a test says: login `us`, any
 * password. Connections stay open in the meantime.
 */
export class StallingSftp {
  readonly files = new Map<string, Buffer>();
  /** The names in one piece of the listing of its only directory, by the piece's number; undefined at the end. */
  listing: ((piece: number) => readonly string[] | undefined) | undefined;
  /** Pieces of listings that were requested. */
  pieces = 0;
  /** Requests that get no reply: stat, opening, reading or writing the files of these names. */
  stalls: (what: 'stat' | 'open' | 'read' | 'write', name: string) => boolean = () => false;
  /** Requests that were not answered. */
  unanswered = 0;
  readonly #open = new Set<ssh2.Connection>();
  readonly #server: ssh2.Server;

  private constructor() {
    this.#server = new ssh2.Server({ hostKeys: [newSshKey().private] }, (connection) => {
      this.#open.add(connection);
      connection.on('error', () => undefined);
      connection.on('close', () => this.#open.delete(connection));
      connection.on('authentication', (context) => context.accept());
      connection.on('ready', () =>
        connection.on('session', (accept) => accept().on('sftp', (acceptSftp) => this.#serve(acceptSftp()))),
      );
    });
  }

  static async start(): Promise<StallingSftp> {
    const one = new StallingSftp();
    await new Promise<void>((resolve) => void one.#server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get access() {
    const { port } = (this.#server as unknown as Server).address() as { port: number };
    return { host: '127.0.0.1', port, login: 'us', password: 'secret' };
  }

  async close(): Promise<void> {
    for (const connection of this.#open) connection.end();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  /** Breaks all connections off, as a machine does that has forgotten them. */
  reset(): void {
    // The types omit the connection's socket.
    for (const one of this.#open) (one as unknown as { _sock: Socket })._sock.resetAndDestroy();
  }

  #isStalled(what: 'stat' | 'open' | 'read' | 'write', name: string): boolean {
    if (!this.stalls(what, name)) return false;
    this.unanswered++;
    return true;
  }

  #serve(sftp: ssh2.SFTPWrapper): void {
    const names: string[] = [];
    const nameOf = (handle: Buffer) => names[handle.readUInt32BE(0)]!;
    const stat = (id: number, name: string) => {
      if (this.#isStalled('stat', name)) return;
      if (name === '.' && this.listing) return sftp.attrs(id, { ...attributes, mode: 0o40700, size: 0 });
      const content = this.files.get(name.replace(/^\.\//, ''));
      if (!content) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      sftp.attrs(id, { ...attributes, size: content.length });
    };
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('FSTAT', (id, handle) => stat(id, nameOf(handle)));
    sftp.on('REALPATH', (id) =>
      sftp.name(id, [{ filename: '/', longname: '/', attrs: {} as ssh2.Attributes }]),
    );
    sftp.on('OPEN', (id, name, flags) => {
      if (this.#isStalled('open', name)) return;
      if (flags & ssh2.utils.sftp.OPEN_MODE.CREAT) this.files.set(name, Buffer.alloc(0));
      if (!this.files.has(name)) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(names.push(name) - 1);
      sftp.handle(id, handle);
    });
    sftp.on('READ', (id, handle, offset, length) => {
      if (this.#isStalled('read', nameOf(handle))) return;
      const bytes = this.files.get(nameOf(handle))!.subarray(offset, offset + length);
      if (bytes.length > 0) sftp.data(id, bytes);
      else sftp.status(id, STATUS_CODE.EOF);
    });
    sftp.on('WRITE', (id, handle, offset, data) => {
      const name = nameOf(handle);
      if (this.#isStalled('write', name)) return;
      this.files.set(name, Buffer.concat([this.files.get(name)!.subarray(0, offset), data]));
      sftp.status(id, STATUS_CODE.OK);
    });
    sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.alloc(4)));
    sftp.on('READDIR', (id) => {
      const names = this.listing?.(this.pieces++);
      if (!names) return sftp.status(id, STATUS_CODE.EOF);
      const attrs = { ...attributes, size: 1 };
      sftp.name(
        id,
        names.map((filename) => ({ filename, longname: `-rw------- 1 us us 1 ${filename}`, attrs })),
      );
    });
    sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK));
    sftp.on('REMOVE', (id, name) => {
      sftp.status(id, this.files.delete(name) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE);
    });
    sftp.on('RENAME', (id, from, to) => {
      const content = this.files.get(from);
      if (!content || this.files.has(to)) return sftp.status(id, STATUS_CODE.FAILURE);
      this.files.delete(from);
      this.files.set(to, content);
      sftp.status(id, STATUS_CODE.OK);
    });
    sftp.on('EXTENDED', (id) => sftp.status(id, STATUS_CODE.OP_UNSUPPORTED));
  }
}
