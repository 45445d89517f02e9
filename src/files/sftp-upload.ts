import { Writable } from 'node:stream';
import type { SFTPWrapper } from 'ssh2';
import { type SftpConnection, SftpLost } from './sftp-connection.ts';

/** Bytes that every server accepts in one write (draft-ietf-secsh-filexfer-02 requires packets of 34,000 bytes). */
const pieceBytes = 32 * 1024;
/** Unanswered writes: 8 MB. To loopback 82 MB/s with 64, 130 with 256; about 20 with one. */
const window = 256;
/** A server that answers none of our writes for this long is taken for gone. */
const stallMs = 60_000;

/** A new file of an SFTP server as a stream of concurrent writes; it ends when all are answered and it is closed. */
export class SftpUpload extends Writable {
  readonly #sftp: SFTPWrapper;
  readonly #path: string;
  #handle: Buffer | undefined;
  #position = 0;
  #inFlight = 0;
  /** Called when there is room for another piece. */
  #proceed: (() => void) | undefined;
  #stall: NodeJS.Timeout | undefined;
  /** Fails the upload when the session ends: requests after that never get a reply, not even an error. */
  readonly #lose = (): void => void this.destroy(new SftpLost(this.#host, 'the connection broke'));
  readonly #host: string;

  constructor({ sftp, host }: Pick<SftpConnection, 'sftp' | 'host'>, path: string) {
    super({ highWaterMark: 256 * 1024 });
    this.#sftp = sftp;
    this.#host = host;
    this.#path = path;
    sftp.once('end', this.#lose).once('close', this.#lose);
  }

  override _construct(done: (error?: Error | null) => void): void {
    this.#sftp.open(this.#path, 'w', (error, handle) => {
      this.#handle = handle;
      done(error);
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let at = 0;
    const next = (): void => {
      while (at < chunk.length && this.#inFlight < window) {
        const length = Math.min(pieceBytes, chunk.length - at);
        this.#send(chunk, at, length);
        at += length;
      }
      if (at < chunk.length) this.#proceed = next;
      else done();
    };
    next();
  }

  override _final(done: (error?: Error | null) => void): void {
    const finish = (): void => {
      if (this.#inFlight > 0) {
        this.#proceed = finish;
        return;
      }
      const handle = this.#handle!;
      this.#handle = undefined;
      this.#sftp.close(handle, done);
    };
    finish();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stall);
    this.#sftp.off('end', this.#lose).off('close', this.#lose);
    // The response is not awaited: on a lost connection it never comes.
    if (this.#handle) this.#sftp.close(this.#handle, () => undefined);
    this.#handle = undefined;
    done(error);
  }

  #send(chunk: Buffer, at: number, length: number): void {
    this.#inFlight++;
    this.#watch();
    this.#sftp.write(this.#handle!, chunk, at, length, this.#position, (error) => {
      this.#inFlight--;
      this.#watch();
      if (error) {
        this.destroy(error);
        return;
      }
      const proceed = this.#proceed;
      this.#proceed = undefined;
      proceed?.();
    });
    this.#position += length;
  }

  /** Counts the time from now, as long as an answer is waited for. */
  #watch(): void {
    if (this.#inFlight === 0 || this.destroyed) {
      clearTimeout(this.#stall);
      this.#stall = undefined;
    } else if (this.#stall) this.#stall.refresh();
    else this.#stall = setTimeout(() => this.destroy(new SftpLost(this.#host, silent)), stallMs);
  }
}

const silent = `it has not answered for ${stallMs / 1000} s`;
