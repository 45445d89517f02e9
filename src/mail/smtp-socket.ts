import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Reply, ReplyParser, SmtpProtocolError } from './smtp-reply.ts';

/** The connection failed or a wait took too long. */
export class SmtpConnectionError extends Error {
  override readonly name = 'SmtpConnectionError';
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * A socket of commands and replies. Replies are returned in order; a few that no caller waits for are kept until
 * requested. Every failure is final: the socket is destroyed and all waits end.
 */
export class SmtpSocket {
  #socket: Socket;
  #parser = new ReplyParser();
  readonly #replies: Reply[] = [];
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  #onFailure: ((error: Error) => void)[] = [];
  readonly #ended = () => {
    this.fail(new SmtpConnectionError('The server closed the connection'));
  };

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /**
   * Opens a TCP connection, with TLS from the first byte if `tls` is given; its `onConnect` is called when TLS begins.
   */
  static async open(
    host: string,
    port: number,
    tls: { rejectUnauthorized: boolean; onConnect: () => void } | undefined,
    timeoutMs: number,
  ): Promise<SmtpSocket> {
    const socket = tls
      ? connectTls({
          host,
          port,
          servername: serverName(host),
          rejectUnauthorized: tls.rejectUnauthorized,
        }).once('connect', tls.onConnect)
      : connectTcp({ host, port, noDelay: true });
    socket.setNoDelay(true);
    await untilEvent(socket, tls ? 'secureConnect' : 'connect', timeoutMs);
    return new SmtpSocket(socket);
  }

  /** Switches the open connection to TLS (RFC 3207). */
  async secure(host: string, rejectUnauthorized: boolean, timeoutMs: number): Promise<void> {
    // A further plain-text reply after that to STARTTLS was injected in transit.
    if (this.#replies.length > 0 || !this.#parser.isEmpty) {
      throw this.fail(new SmtpProtocolError('The server sent more than the reply to STARTTLS'));
    }
    const plain = this.#socket;
    plain.removeAllListeners('data');
    plain.off('close', this.#ended).off('end', this.#ended);
    const secured = connectTls({ socket: plain, servername: serverName(host), rejectUnauthorized });
    try {
      await untilEvent(secured, 'secureConnect', timeoutMs);
    } catch (error) {
      throw this.fail(error as Error);
    }
    this.#socket = secured;
    this.#parser = new ReplyParser();
    this.#listen(secured);
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Whether there are replies that no caller has requested, for example a 421 on an idle connection. */
  get hasUnread(): boolean {
    return this.#replies.length > 0;
  }

  /** Returns the next reply. @throws SmtpConnectionError if none comes in time or the connection fails. */
  async reply(timeoutMs: number, step: string): Promise<Reply> {
    const ready = this.#replies.shift();
    if (ready) return ready;
    if (this.#failure) throw this.#failure;
    const timer = setTimeout(() => {
      this.fail(new SmtpConnectionError(`No reply to ${step} in ${timeoutMs / 1000} s`));
    }, timeoutMs);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        this.#waiting = { resolve, reject };
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Passes a command to the kernel without waiting. */
  write(data: string | Buffer): void {
    if (this.#failure) throw this.#failure;
    this.#socket.write(data);
  }

  /**
   * Writes and waits until the kernel has accepted all of it, so that a slow reader slows us down instead of filling
   * our memory.
   */
  async flush(data: Buffer, timeoutMs: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    // With an empty buffer the kernel already has everything: the common case, without a wait.
    if (this.#socket.write(data) && this.#socket.writableLength === 0) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(this.fail(new SmtpConnectionError(`The server accepted no data for ${timeoutMs / 1000} s`))),
        timeoutMs,
      );
      const done = () => {
        clearTimeout(timer);
        this.#socket.off('drain', check);
        this.#onFailure = this.#onFailure.filter((one) => one !== failed);
      };
      const failed = (error: Error) => {
        done();
        reject(error);
      };
      const check = () => {
        if (this.#socket.writableLength > 0) return;
        done();
        resolve();
      };
      this.#socket.on('drain', check);
      this.#onFailure.push(failed);
      // An empty write's callback comes after all earlier bytes were accepted.
      this.#socket.write('', check);
    });
  }

  /** Resolves when everything that the kernel has received so far is read, so that a disconnect is noticed. */
  async catchUp(): Promise<void> {
    // Sockets are polled between two turns of the event loop. The first one may end a poll that started before this
    // call.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Calls `listener` once when the connection fails. */
  onFailure(listener: (error: Error) => void): void {
    if (this.#failure) listener(this.#failure);
    else this.#onFailure.push(listener);
  }

  /** Ends the connection immediately; every wait ends with `error`. Returns the first error that ended it. */
  fail(error: Error): Error {
    if (this.#failure) return this.#failure;
    this.#failure = error;
    this.#socket.destroy();
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    const listeners = this.#onFailure;
    this.#onFailure = [];
    for (const listener of listeners) listener(error);
    return error;
  }

  /** Sends a farewell without waiting for the reply. */
  end(farewell: string): void {
    if (this.#failure) return;
    this.#failure = new SmtpConnectionError('The connection was ended');
    this.#socket.end(farewell);
    // A server that never closes its side must not keep the socket.
    setTimeout(() => this.#socket.destroy(), 2_000).unref();
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const reply of this.#parser.feed(chunk)) this.#arrived(reply);
      } catch (error) {
        this.fail(error as Error);
      }
    });
    socket.on('error', (error) => this.fail(new SmtpConnectionError(error.message)));
    // A server that has ended its side sends no reply. Unlike 'close', 'end' does not wait for our own bytes.
    socket.on('end', this.#ended).on('close', this.#ended);
  }

  #arrived(reply: Reply): void {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting.resolve(reply);
      return;
    }
    this.#replies.push(reply);
    if (this.#replies.length > 8)
      this.fail(new SmtpProtocolError('The server sends more replies than there were commands'));
  }
}

/** Resolves at the event; on an error or after the time limit the socket is destroyed. */
async function untilEvent(socket: Socket, event: string, timeoutMs: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => end(new SmtpConnectionError(`No connection in ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const onEvent = () => end();
    const onError = (error: Error) => end(new SmtpConnectionError(error.message));
    const onClose = () => end(new SmtpConnectionError('The server closed the connection'));
    const end = (error?: Error) => {
      clearTimeout(timer);
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
      if (!error) return resolve();
      // A late error of an abandoned socket must not end the process.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    socket.once(event, onEvent).once('error', onError).once('close', onClose);
  });
}

/** TLS server names are host names; none is sent for an address (RFC 6066 section 3). */
function serverName(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host;
}
