import { type DeliveryOutcome, type Envelope, type SmtpTimeouts, standardTimeouts } from './outcome.ts';
import { SmtpError, sayHello } from './smtp-handshake.ts';
import { hasOnlyCrlf, pathProblem, stuffDots } from './smtp-path.ts';
import { type Reply, replyText, SmtpProtocolError } from './smtp-reply.ts';
import type { SmtpServer, SmtpStep } from './smtp-server.ts';
import { SmtpConnectionError, SmtpSocket } from './smtp-socket.ts';

const finalDot = Buffer.from('.\r\n');

/**
 * A connection to a relay that delivers messages one after the other. With PIPELINING (RFC 2920) the envelope takes one
 * round trip and the message another.
 */
export class SmtpConnection {
  readonly #socket: SmtpSocket;
  readonly #timeouts: SmtpTimeouts;
  readonly #capabilities: ReadonlyMap<string, string>;
  readonly #onStep: ((step: SmtpStep) => void) | undefined;
  /** Whether a transaction was started and not completed: RSET precedes the next one. */
  #needsReset = false;
  #isBusy = false;

  private constructor(
    socket: SmtpSocket,
    { timeouts = standardTimeouts, onStep }: SmtpServer,
    capabilities: ReadonlyMap<string, string>,
  ) {
    this.#socket = socket;
    this.#timeouts = timeouts;
    this.#capabilities = capabilities;
    this.#onStep = onStep;
  }

  /**
   * Connects, starts TLS and signs in.
   * @throws SmtpConnectionError, SmtpProtocolError, or SmtpError with the server's reply (421, 535 …).
   */
  static async open(server: SmtpServer): Promise<SmtpConnection> {
    const timeouts = server.timeouts ?? standardTimeouts;
    const tls = {
      rejectUnauthorized: server.verifyCertificate ?? true,
      onConnect: () => server.onStep?.('tls'),
    };
    server.onStep?.('connection');
    const socket = await SmtpSocket.open(
      server.host,
      server.port,
      server.tls === 'tls' ? tls : undefined,
      timeouts.connect,
    );
    try {
      return new SmtpConnection(socket, server, await sayHello(socket, server, timeouts));
    } catch (error) {
      socket.fail(error as Error);
      throw error;
    }
  }

  /** Whether another message may be delivered on this connection. */
  get isUsable(): boolean {
    return this.#socket.isOpen && !this.#isBusy && !this.#socket.hasUnread;
  }

  /** Calls `listener` once when the connection fails, immediately if it already has. */
  onFailure(listener: (error: Error) => void): void {
    this.#socket.onFailure(listener);
  }

  /**
   * Delivers one message. `pieces` are its parts: CRLF line ends only, CRLF at the end, dots not doubled. The final dot
   * is written only when `beforeFinalDot` has resolved; if it rejects, the connection is closed and the outcome is
   * notAttempted. Never throws for what a server does.
   */
  async deliver(
    envelope: Envelope,
    pieces: readonly Buffer[],
    beforeFinalDot: () => Promise<void>,
  ): Promise<DeliveryOutcome> {
    if (this.#isBusy) throw new Error('A connection delivers one message at a time');
    const problem = this.#problemOf(envelope, pieces);
    if (problem) return { kind: 'refused', of: 'message', ...problem, enhanced: '' };
    this.#isBusy = true;
    let dotWritten = false;
    try {
      const failure = await this.#sendEnvelope(envelope);
      if (failure) return failure;
      for (const piece of pieces) await this.#socket.flush(stuffDots(piece), this.#timeouts.block);
      await beforeFinalDot();
      await this.#socket.catchUp();
      // A reply before the end of the data (552, 421 …) is not a reply to the message.
      if (this.#socket.hasUnread) throw new SmtpError(await this.#socket.reply(0, 'the data'));
      this.#socket.write(finalDot);
      dotWritten = true;
      return this.#judge(await this.#socket.reply(this.#timeouts.finalDot, 'the message'));
    } catch (error) {
      const text = (this.#socket.fail(error as Error) as Error).message;
      return { kind: dotWritten ? 'unknown' : 'notAttempted', text };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Sends QUIT without waiting for the reply. */
  close(): void {
    this.#socket.end('QUIT\r\n');
  }

  destroy(reason: string): void {
    this.#socket.fail(new SmtpConnectionError(reason));
  }

  #problemOf(envelope: Envelope, pieces: readonly Buffer[]): { code: number; text: string } | undefined {
    const utf8 = this.#capabilities.has('SMTPUTF8');
    const path = pathProblem(envelope.from, utf8) ?? pathProblem(envelope.to, utf8);
    if (path) return { code: 553, text: path };
    if (!pieces.every(hasOnlyCrlf))
      return { code: 554, text: 'The message contains a line end that is not CRLF' };
    const limit = Number(this.#capabilities.get('SIZE') ?? 0);
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (limit > 0 && size > limit)
      return { code: 552, text: `The message is larger than the relay's ${limit} bytes` };
    return undefined;
  }

  /** Sends MAIL, RCPT and DATA. Undefined if the server waits for the message. */
  async #sendEnvelope(envelope: Envelope): Promise<DeliveryOutcome | undefined> {
    const commands = this.#commands(envelope);
    const replies: Reply[] = [];
    if (this.#capabilities.has('PIPELINING')) this.#socket.write(commands.join(''));
    for (const [index, command] of commands.entries()) {
      if (!this.#capabilities.has('PIPELINING')) {
        // Without pipelining, a refused command ends the transaction before the next command.
        if (replies.some((reply) => reply.code >= 400)) break;
        this.#socket.write(command);
      }
      const step = steps[index - (commands.length - steps.length)];
      replies.push(await this.#replyTo(command, step));
    }
    if (this.#needsReset) this.#checkReset(replies.shift());
    this.#needsReset = true;
    const failed = replies.find((reply) => reply.code >= 400);
    const data = replies[2];
    if (!failed) {
      const [mail, rcpt] = replies;
      if (data?.code === 354 && mail?.code === 250 && (rcpt?.code === 250 || rcpt?.code === 251))
        return undefined;
      throw new SmtpProtocolError(`Unexpected reply: ${replies.map(replyText).join(' / ')}`);
    }
    this.#onStep?.(steps[replies.indexOf(failed)]!);
    // The server waits for a message without a recipient: the only safe action is to disconnect.
    if (data && data.code < 400)
      this.#socket.fail(new SmtpProtocolError('DATA accepted without a recipient'));
    // Replies about the connection or the client, not about the message, which is retried on another connection.
    if ([421, 503, 530, 538].includes(failed.code)) throw new SmtpError(failed);
    return outcomeOf(failed, steps[replies.indexOf(failed)]);
  }

  /** Waits for the reply to a command. @param step undefined for RSET */
  #replyTo(command: string, step: SmtpStep | undefined): Promise<Reply> {
    if (step) this.#onStep?.(step);
    const timeout = step === 'message' ? this.#timeouts.data : this.#timeouts.command;
    return this.#socket.reply(timeout, command.slice(0, 4));
  }

  #commands(envelope: Envelope): string[] {
    const utf8 = /[^\x00-\x7f]/.test(envelope.from + envelope.to) ? ' SMTPUTF8' : '';
    const body = this.#capabilities.has('8BITMIME') && utf8 ? ' BODY=8BITMIME' : '';
    const commands = [
      `MAIL FROM:<${envelope.from}>${body}${utf8}\r\n`,
      `RCPT TO:<${envelope.to}>\r\n`,
      'DATA\r\n',
    ];
    return this.#needsReset ? ['RSET\r\n', ...commands] : commands;
  }

  #checkReset(reply: Reply | undefined): void {
    if (reply?.code !== 250)
      throw new SmtpProtocolError(`RSET was answered ${reply ? replyText(reply) : 'not'}`);
  }

  /** The outcome of the reply to the message itself. */
  #judge(reply: Reply): DeliveryOutcome {
    if (reply.code < 200 || (reply.code >= 300 && reply.code < 400)) {
      throw new SmtpProtocolError(`The message was answered ${replyText(reply)}`);
    }
    // After 4xx and 5xx some servers leave the transaction open: RSET precedes the next one.
    this.#needsReset = reply.code >= 400;
    if (reply.code === 421) this.#socket.fail(new SmtpError(reply));
    return outcomeOf(reply);
  }
}

/** The subjects of the replies to MAIL, RCPT and DATA. */
const steps = ['sender', 'recipient', 'message'] as const;

function outcomeOf(reply: Reply, of: (typeof steps)[number] = 'message'): DeliveryOutcome {
  const said = { code: reply.code, enhanced: reply.enhanced, text: replyText(reply) };
  if (reply.code >= 500) return { kind: 'refused', of, ...said };
  return { kind: reply.code < 400 ? 'accepted' : 'deferred', ...said };
}
