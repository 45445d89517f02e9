import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import ssh2, { type FileEntryWithStats, type SFTPWrapper } from 'ssh2';
import { Refusal } from '../platform/http/refusal.ts';
import { type SftpConnection, SftpLost } from './sftp-connection.ts';

const pieceBytes = 32 * 1024;
/** Concurrent reads. At 20 ms to the server they make 100 MB/s, against 1.6 for the client's one at a time. */
const readsAhead = 64;

const broke = 'the connection broke';
const lostCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENET|ERR_NOT_CONNECTED)/;
/** Errors of ssh2 and its client, which have no codes. */
const lostMessages = /No response from server|Unexpected (end|close) event|Not connected|Keepalive timeout/i;

const isEnd = (error: Error) => (error as { code?: unknown }).code === ssh2.utils.sftp.STATUS_CODE.EOF;

/** The requests of one SFTP session. Unlike ssh2's, they fail after the session's end. */
export class SftpRequests {
  readonly #sftp: SFTPWrapper;
  readonly #host: string;
  #isClosed = false;

  constructor({ sftp, host }: Pick<SftpConnection, 'sftp' | 'host'>) {
    this.#sftp = sftp;
    this.#host = host;
    sftp.once('close', () => {
      this.#isClosed = true;
    });
  }

  /** @throws SftpLost when the session has ended. */
  checkOpen(): void {
    if (this.#isClosed) throw new SftpLost(this.#host, broke);
  }

  /** Marks a request's failure, so that its code is not read as PostgreSQL's. The server's replies do not change. */
  marked(error: unknown): unknown {
    const { code, message } = error as { code?: unknown; message?: string };
    if (error instanceof Refusal || typeof code === 'number' || code === 'ENOENT') return error;
    const isLost = this.#isClosed || lostCodes.test(String(code)) || lostMessages.test(message ?? '');
    return isLost ? new SftpLost(this.#host, broke, error) : error;
  }

  /** Reads a file. It is closed at its end, or when the reader stops. */
  download(path: string): Readable {
    return Readable.from(this.#blocksOf(path), { objectMode: false });
  }

  /** Reads a directory in the pieces that the server sends. It is closed at its end, or when the reader stops. */
  async *directory(path: string): AsyncGenerator<readonly FileEntryWithStats[]> {
    this.checkOpen();
    const opened = promisify(this.#sftp.opendir).call(this.#sftp, path) as Promise<Buffer>;
    const handle = await opened.catch((error) => Promise.reject(this.marked(error)));
    try {
      for (let piece = await this.#piece(handle); piece; piece = await this.#piece(handle)) yield piece;
    } catch (error) {
      throw this.marked(error);
    } finally {
      // As with files.
      this.#sftp.close(handle, () => undefined);
    }
  }

  /** The next entries of a directory; undefined after the last ones. */
  async #piece(handle: Buffer): Promise<readonly FileEntryWithStats[] | undefined> {
    this.checkOpen();
    return new Promise((resolve, reject) =>
      this.#sftp.readdir(handle, (error, entries) => {
        if (error && !isEnd(error)) reject(error);
        else resolve(error ? undefined : entries);
      }),
    );
  }

  async *#blocksOf(path: string): AsyncGenerator<Buffer> {
    this.checkOpen();
    const opened = promisify(this.#sftp.open).call(this.#sftp, path, 'r') as Promise<Buffer>;
    const handle = await opened.catch((error) => Promise.reject(this.marked(error)));
    const ahead: Promise<Buffer>[] = [];
    let next = 0;
    try {
      for (;;) {
        for (; ahead.length < readsAhead; next += pieceBytes) {
          const block = this.#wholeBlock(handle, next);
          // It is looked at when its turn comes.
          block.catch(() => undefined);
          ahead.push(block);
        }
        const block = await ahead.shift()!;
        if (block.length > 0) yield block;
        if (block.length < pieceBytes) return;
      }
    } catch (error) {
      throw this.marked(error);
    } finally {
      await Promise.allSettled(ahead);
      // The response is not awaited: on a lost connection there is none.
      this.#sftp.close(handle, () => undefined);
    }
  }

  /** A server may answer with less than it was requested; less than a block is only at the end of the file. */
  async #wholeBlock(handle: Buffer, at: number): Promise<Buffer> {
    let block = await this.#read(handle, pieceBytes, at);
    while (block.length > 0 && block.length < pieceBytes) {
      const more = await this.#read(handle, pieceBytes - block.length, at + block.length);
      if (more.length === 0) break;
      block = Buffer.concat([block, more]);
    }
    return block;
  }

  /** Reads as many bytes as the server returns, at most `length`; none at the file's end. */
  async #read(handle: Buffer, length: number, at: number): Promise<Buffer> {
    this.checkOpen();
    const into = Buffer.allocUnsafe(length);
    return new Promise((resolve, reject) =>
      this.#sftp.read(handle, into, 0, length, at, (error, bytes) => {
        if (error && !isEnd(error)) reject(error);
        else resolve(into.subarray(0, error ? 0 : bytes));
      }),
    );
  }
}
