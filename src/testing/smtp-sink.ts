import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from './listening.ts';

/** One message as it was taken. */
export interface SunkMessage {
  /** The sender's name in EHLO. */
  readonly client: string;
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  /** The raw message, dots undoubled; kept only when the sink was asked to. */
  readonly raw: Buffer | undefined;
}

/** A fault of the sink, instead of accepting a message. */
export type Misdeed =
  | 'defer' // 451 after the message
  | 'refuse' // 550 to RCPT
  | 'refuseData' // 554 after the message
  | 'tearData' // closes within the message
  | 'closeData' // the same, in order (FIN) once it has read the bytes that came
  | 'resetData' // the same, with a reset (RST)
  | 'denyData' // replies 421 within the message, and closes
  | 'stall' // no longer replies from RCPT on
  | 'takeAndTear' // takes it, and closes without an answer
  | 'takeAndHang' // takes it, and never answers
  | { readonly rcpt: string }; // this answer to RCPT

export interface SinkOptions {
  readonly port?: number;
  readonly keepRaw?: boolean;
  readonly capabilities?: readonly string[];
  /** Decides for each recipient; `attempt` counts from 1. */
  readonly misdeed?: (to: string, attempt: number) => Misdeed | undefined;
  /** Answers AUTH PLAIN, given the whole line; by default it accepts any login. */
  readonly signIn?: (line: string) => string;
  /** Answer at connection time instead of 220, e.g. '421 busy'. */
  readonly banner?: () => string | undefined;
  /** Milliseconds between taking a message and saying so. */
  readonly delayMs?: number;
  /** Delays the reply to a message that was accepted. */
  readonly answerAfter?: Promise<unknown>;
  /** Milliseconds between bytes, which are then written one by one. */
  readonly dripMs?: number;
  /** Called when it has hung up within a message: tearData, closeData, resetData, denyData. */
  readonly onHangUp?: () => void;
  /** Called when a message was taken, before the answer. */
  readonly onMessage?: (message: SunkMessage) => void;
}

export interface SmtpSink {
  readonly port: number;
  /** Messages taken, in order; one that was taken twice is here twice. */
  readonly messages: SunkMessage[];
  connections(): number;
  /** The most connections that were open at one time. */
  peak(): number;
  /** The most messages that were running at one time, from the answer to RCPT to the answer to the message. */
  peakMessages(): number;
  /** The commands of all connections in order, for tests of the protocol. */
  readonly commands: string[];
  close(): Promise<void>;
}

const endOfData = Buffer.from('\r\n.\r\n');

interface Sinking {
  readonly options: SinkOptions;
  readonly messages: SunkMessage[];
  readonly commands: string[];
  readonly attempts: Map<string, number>;
  underWay: number;
  peakUnderWay: number;
}

/**
 * A real SMTP server on loopback that takes what it is sent, keeps envelope and Message-ID, and can misbehave in
 * the ways that relays do. It is cheap, so that it is not what a benchmark measures.
 */
export async function smtpSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const kept = { messages: [], commands: [], attempts: new Map() };
  const state: Sinking = { options, ...kept, underWay: 0, peakUnderWay: 0 };
  let open = 0;
  let peak = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    open += 1;
    peak = Math.max(peak, open);
    socket.once('close', () => {
      open -= 1;
    });
    const banner = options.banner?.();
    if (banner) socket.end(`${banner}\r\n`);
    else new SinkSession(socket, state);
  });
  const { port, close } = await listening(server, options.port);
  return {
    ...{ port, close },
    messages: state.messages,
    commands: state.commands,
    connections: () => open,
    peak: () => peak,
    peakMessages: () => state.peakUnderWay,
  };
}

class SinkSession {
  readonly #socket: Socket;
  readonly #state: Sinking;
  #input: Buffer = Buffer.alloc(0);
  #data: Buffer[] | undefined;
  #tail = Buffer.alloc(0);
  #client = '';
  #from = '';
  #to: string | undefined;
  #misdeed: Misdeed | undefined;
  #output = '';
  #isUnderWay = false;
  #dripping = Promise.resolve();

  constructor(socket: Socket, state: Sinking) {
    this.#socket = socket;
    this.#state = state;
    socket.on('data', (chunk: Buffer) => this.#feed(chunk)).once('close', () => this.#count(false));
    this.#say('220 sink ESMTP');
    this.#send();
  }

  #feed(chunk: Buffer): void {
    this.#input = this.#input.length > 0 ? Buffer.concat([this.#input, chunk]) : chunk;
    while (this.#input.length > 0) {
      if (!(this.#data ? this.#takeData() : this.#takeLine())) break;
    }
    this.#send();
  }

  #takeLine(): boolean {
    const end = this.#input.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#input.toString('utf8', 0, end);
    this.#input = this.#input.subarray(end + 2);
    this.#command(line);
    return true;
  }

  /** Collects the message; true when it ended inside what has come so far. */
  #takeData(): boolean {
    const tail = this.#tail;
    const seen = tail.length > 0 ? Buffer.concat([tail, this.#input]) : this.#input;
    if (this.#hangsUp()) return false;
    const end = seen.indexOf(endOfData);
    if (end < 0) {
      this.#data!.push(this.#input);
      // The end may span two chunks.
      this.#tail = Buffer.from(seen.subarray(Math.max(0, seen.length - 4)));
      this.#input = Buffer.alloc(0);
      return false;
    }
    const used = end + endOfData.length - tail.length;
    this.#data!.push(this.#input.subarray(0, used));
    this.#input = this.#input.subarray(used);
    this.#taken(this.#data!.length === 1 ? this.#data![0]! : Buffer.concat(this.#data!));
    return true;
  }

  /** Hangs up on the bytes of a message that have come, if that is its misdeed. */
  #hangsUp(): boolean {
    const done = this.#state.options.onHangUp ?? (() => undefined);
    if (this.#misdeed === 'tearData') this.#socket.once('close', done).destroy();
    else if (this.#misdeed === 'resetData') this.#socket.once('close', done).resetAndDestroy();
    else if (this.#misdeed === 'closeData') this.#socket.end(done);
    else if (this.#misdeed === 'denyData') this.#socket.end('421 4.3.2 not now\r\n', done);
    else return false;
    this.#input = Buffer.alloc(0);
    return true;
  }

  #command(line: string): void {
    if (this.#state.commands.length < 10_000) this.#state.commands.push(line);
    this.#say(this.#answer(line));
    if (line.toUpperCase() !== 'QUIT') return;
    this.#send();
    this.#socket.end();
  }

  #answer(line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        this.#client = line.slice(5);
        return this.#hello();
      case 'AUTH':
        return this.#state.options.signIn?.(line) ?? '235 2.7.0 signed in';
      case 'MAIL':
        if (this.#from) return '503 5.5.1 nested MAIL command';
        this.#from = pathOf(line);
        return '250 2.1.0 ok';
      case 'RCPT':
        return this.#recipient(pathOf(line));
      case 'DATA':
        if (this.#to === undefined) return '503 5.5.1 no recipient';
        this.#data = [];
        // So that a message of only “.” is seen as one.
        this.#tail = Buffer.from('\r\n');
        return '354 go on';
      case 'RSET':
        this.#reset();
        this.#count(false);
        return '250 ok';
      default:
        return /^(NOOP|HELO|QUIT)/i.test(line) ? '250 ok' : '502 5.5.2 unknown';
    }
  }

  #hello(): string {
    const offered = this.#state.options.capabilities ?? ['PIPELINING', 'ENHANCEDSTATUSCODES', '8BITMIME'];
    const lines = ['sink', ...offered];
    return lines.map((line, at) => `250${at < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n');
  }

  #recipient(to: string): string {
    const attempt = (this.#state.attempts.get(to) ?? 0) + 1;
    if (this.#state.options.misdeed) this.#state.attempts.set(to, attempt);
    this.#misdeed = this.#state.options.misdeed?.(to, attempt);
    if (this.#misdeed === 'refuse') return '550 5.1.1 no such user';
    if (typeof this.#misdeed === 'object') return this.#misdeed.rcpt;
    this.#to = to;
    this.#count(true);
    return '250 2.1.5 ok';
  }

  #taken(data: Buffer): void {
    const misdeed = this.#misdeed;
    const message = {
      client: this.#client,
      from: this.#from,
      to: this.#to!,
      messageId: messageIdOf(data),
      raw: this.#state.options.keepRaw ? undotted(data.subarray(0, data.length - 3)) : undefined,
    };
    this.#reset();
    if (misdeed === 'defer' || misdeed === 'refuseData') this.#count(false);
    if (misdeed === 'defer') this.#say('451 4.3.0 try later');
    else if (misdeed === 'refuseData') this.#say('554 5.7.1 not wanted');
    else this.#keep(message, misdeed);
  }

  #keep(message: SunkMessage, misdeed: Misdeed | undefined): void {
    this.#state.messages.push(message);
    this.#state.options.onMessage?.(message);
    if (misdeed === 'takeAndTear') this.#socket.destroy();
    if (misdeed) return;
    const say = () => {
      this.#count(false);
      this.#say('250 2.0.0 taken');
      this.#send();
    };
    const { delayMs, answerAfter } = this.#state.options;
    if (answerAfter) void answerAfter.then(say);
    else if (delayMs) setTimeout(say, delayMs);
    else say();
  }

  #count(isUnderWay: boolean): void {
    if (isUnderWay === this.#isUnderWay) return;
    this.#isUnderWay = isUnderWay;
    this.#state.underWay += isUnderWay ? 1 : -1;
    this.#state.peakUnderWay = Math.max(this.#state.peakUnderWay, this.#state.underWay);
  }

  #reset(): void {
    this.#data = undefined;
    this.#tail = Buffer.alloc(0);
    this.#from = '';
    this.#to = undefined;
    this.#misdeed = undefined;
  }

  #say(line: string): void {
    this.#output += `${line}\r\n`;
  }

  /** Answers of one chunk leave together. */
  #send(): void {
    if (this.#output === '' || this.#socket.destroyed) return;
    const output = this.#output;
    this.#output = '';
    if (this.#misdeed === 'stall') return;
    const drip = this.#state.options.dripMs;
    if (!drip) this.#socket.write(output);
    // One answer after the other: their bytes must not mix.
    else this.#dripping = this.#dripping.then(() => this.#drip(output, drip));
  }

  async #drip(output: string, ms: number): Promise<void> {
    for (const char of output) {
      if (this.#socket.destroyed) return;
      this.#socket.write(char);
      await sleep(ms);
    }
  }
}

function pathOf(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}

function messageIdOf(data: Buffer): string {
  const head = data.toString('latin1', 0, Math.min(data.length, 8192));
  return /^message-id:\s*<([^>]*)>/im.exec(head)?.[1] ?? '';
}

function undotted(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').replace(/(^|\r\n)\./g, '$1'), 'latin1');
}
