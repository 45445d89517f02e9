import type { Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';

/** Bytes that the server holds for its clients. */
export interface MemoryLimits {
  /** Answers of one session, and of its connection, that are not sent yet. */
  readonly session: number;
  /** Maximum bytes for all connections of one account: responses, and the same again for requests. */
  readonly account: number;
  /** Maximum bytes for all accounts; each may have one response in addition, whatever the others hold. */
  readonly total: number;
  /** Requests of one connection that wait or are running, with what they want to write. */
  readonly requests: number;
  readonly handles: number;
  /** A client that reads nothing of what waits for it is cut off after this. */
  readonly stallMs: number;
}

const megabyte = 1024 * 1024;
export const usualMemory: MemoryLimits = {
  session: 4 * megabyte,
  account: 32 * megabyte,
  total: 256 * megabyte,
  requests: 4 * megabyte,
  handles: 512,
  stallMs: 60_000,
};

/** Requests of one session that wait or are running. */
const maxRequests = 1_024;
/** Bytes that a request or a response takes besides its content. */
const overheadBytes = 256;

interface Held {
  answers: number;
  requests: number;
}

/** The memory that is held for all clients, by account. A client over the limit waits until others have read. */
export class SftpMemory {
  readonly limits: MemoryLimits;
  readonly #total: Held = { answers: 0, requests: 0 };
  readonly #accounts = new Map<number, Held>();
  readonly #handles = new Map<number, number>();
  readonly #lines = new Set<SftpLine>();
  readonly #timer: NodeJS.Timeout;
  #peak = 0;

  constructor(limits: MemoryLimits = usualMemory) {
    this.limits = limits;
    this.#timer = setInterval(() => this.#look(), Math.min(1_000, limits.stallMs / 4)).unref();
  }

  /** Bytes held now, and at most since the start. */
  get held(): { readonly now: number; readonly peak: number } {
    return { now: this.#total.answers + this.#total.requests, peak: this.#peak };
  }

  add(line: SftpLine): void {
    this.#lines.add(line);
  }

  remove(line: SftpLine): void {
    this.#lines.delete(line);
    this.wake();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  change(idSite: number, answers: number, requests: number): void {
    const account = this.#accounts.get(idSite) ?? { answers: 0, requests: 0 };
    this.#accounts.set(idSite, account);
    for (const held of [account, this.#total]) {
      held.answers += answers;
      held.requests += requests;
    }
    if (account.answers === 0 && account.requests === 0) this.#accounts.delete(idSite);
    this.#peak = Math.max(this.#peak, this.held.now);
  }

  /** Whether an account may have another response of `bytes` bytes. */
  hasRoom(idSite: number, bytes: number): boolean {
    const held = this.#accounts.get(idSite)?.answers ?? 0;
    if (held === 0) return true;
    return held + bytes <= this.limits.account && this.#total.answers + bytes <= this.limits.total;
  }

  /** Whether an account has sent more requests than can be kept. */
  isFlooded(idSite: number): boolean {
    const held = this.#accounts.get(idSite)?.requests ?? 0;
    return held > this.limits.account || (held > 0 && this.#total.requests > this.limits.total);
  }

  /** Counts the open files and directories of an account: `by` 1 or -1. @returns whether one more may be. */
  countHandle(idSite: number, by: 1 | -1): boolean {
    const open = (this.#handles.get(idSite) ?? 0) + by;
    if (open > this.limits.handles) return false;
    if (open === 0) this.#handles.delete(idSite);
    else this.#handles.set(idSite, open);
    return true;
  }

  /** Something was released: anyone who waits for it continues. */
  wake(): void {
    for (const line of this.#lines) line.goOn();
  }

  #look(): void {
    const now = Date.now();
    for (const line of this.#lines) line.look(now);
    this.wake();
  }
}

/** One connection of a client that has signed in. */
export class SftpLine {
  readonly memory: SftpMemory;
  readonly idSite: number;
  readonly #socket: Socket;
  readonly #cutOff: (why: string) => void;
  readonly #flows = new Set<SftpFlow>();
  readonly #told: Held = { answers: 0, requests: 0 };
  #isPaused = false;
  #isClosed = false;
  #isCut = false;
  #flushed = { bytes: 0, at: Date.now() };

  constructor(memory: SftpMemory, idSite: number, socket: Socket, cutOff: (why: string) => void) {
    this.memory = memory;
    this.idSite = idSite;
    this.#socket = socket;
    this.#cutOff = cutOff;
    memory.add(this);
    // Room is made when the socket has sent, or (a message that comes in) when the client lets a session continue.
    socket.on('drain', () => this.changed());
    socket.on('data', () => this.#isWaiting && this.changed());
  }

  open(sftp: SFTPWrapper): SftpFlow {
    const flow = new SftpFlow(this, sftp);
    this.#flows.add(flow);
    sftp.once('close', () => {
      this.#flows.delete(flow);
      flow.close();
    });
    return flow;
  }

  close(): void {
    this.#isClosed = true;
    for (const flow of this.#flows) flow.close();
    this.#flows.clear();
    this.#tell(0, 0);
    this.memory.remove(this);
  }

  cutOff(why: string): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#cutOff(why);
  }

  /** An answer is being made. */
  reserve(bytes: number): void {
    this.#tell(this.#told.answers + bytes, this.#told.requests);
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  get #isWaiting(): boolean {
    return this.#isPaused || [...this.#flows].some((flow) => flow.isWaiting);
  }

  /** To be called when anything that is held has changed. */
  changed(): void {
    if (this.#isClosed) return;
    let [answers, requests, isBlocked] = [this.#socket.writableLength, 0, false];
    for (const flow of this.#flows) {
      answers += flow.answerBytes;
      requests += flow.requestBytes;
      isBlocked ||= flow.blockedBytes > 0;
    }
    const isLess = answers + requests < this.#told.answers + this.#told.requests;
    this.#tell(answers, requests);
    const { limits } = this.memory;
    const isFlooded = this.memory.isFlooded(this.idSite) && requests > 0;
    // Behind answers that the client has not asked to be sent yet, it must be heard; nothing else ends the waiting.
    if (isBlocked && (requests > 4 * limits.requests || isFlooded))
      this.cutOff('requests without reading answers');
    else this.#pause(!isBlocked && (requests > limits.requests || isFlooded));
    if (isLess) this.memory.wake();
    else this.goOn();
  }

  goOn(): void {
    for (const flow of this.#flows) flow.goOn();
    if (this.#isPaused) {
      const requests = [...this.#flows].reduce((sum, flow) => sum + flow.requestBytes, 0);
      const { limits } = this.memory;
      if (requests <= limits.requests && !(requests > 0 && this.memory.isFlooded(this.idSite)))
        this.#pause(false);
    }
  }

  look(now: number): void {
    this.changed();
    const flushed = this.#socket.bytesWritten - this.#socket.writableLength;
    if (flushed !== this.#flushed.bytes || this.#socket.writableLength === 0)
      this.#flushed = { bytes: flushed, at: now };
    const { stallMs } = this.memory.limits;
    const isStalled = now - this.#flushed.at > stallMs;
    if (isStalled || [...this.#flows].some((flow) => flow.isStalled(now, stallMs)))
      this.cutOff('answers are not read');
  }

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  #tell(answers: number, requests: number): void {
    this.memory.change(this.idSite, answers - this.#told.answers, requests - this.#told.requests);
    Object.assign(this.#told, { answers, requests });
  }
}

interface Request {
  readonly bytes: number;
  readonly answerBytes: number;
  readonly run: () => Promise<void>;
}

/** The requests of one session, begun in their order, each when there is room for its answer. */
export class SftpFlow {
  readonly #line: SftpLine;
  /** Output that ssh2 keeps until the client opens the session's window; its types omit it. */
  readonly #sftp: { readonly _buffer: readonly Buffer[] };
  readonly #waiting: Request[] = [];
  #inFlight = 0;
  #reserved = 0;
  #isClosed = false;
  #blocked = { bytes: 0, at: Date.now() };
  requestBytes = 0;

  constructor(line: SftpLine, sftp: SFTPWrapper) {
    this.#line = line;
    // The types omit what waits.
    this.#sftp = sftp as unknown as { _buffer: Buffer[] };
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Bytes that wait for the client to let them be sent. */
  get blockedBytes(): number {
    let bytes = 0;
    for (const { length } of this.#sftp._buffer) bytes += length + overheadBytes;
    return bytes;
  }

  get answerBytes(): number {
    return this.#reserved + this.blockedBytes;
  }

  /** @param answerBytes at most that many will be answered. */
  take(bytes: number, answerBytes: number, run: () => Promise<void>): void {
    if (this.#isClosed) return;
    if (++this.#inFlight > maxRequests) return void this.#line.cutOff('too many requests in flight');
    this.#waiting.push({ bytes: bytes + overheadBytes, answerBytes: answerBytes + overheadBytes, run });
    this.requestBytes += bytes + overheadBytes;
    this.#line.changed();
  }

  goOn(): void {
    for (let next = this.#waiting[0]; next && this.#hasRoom(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#run(next);
    }
  }

  isStalled(now: number, stallMs: number): boolean {
    const bytes = this.blockedBytes;
    if (bytes !== this.#blocked.bytes || bytes === 0) this.#blocked = { bytes, at: now };
    return now - this.#blocked.at > stallMs;
  }

  close(): void {
    this.#isClosed = true;
    for (const { bytes } of this.#waiting.splice(0)) this.requestBytes -= bytes;
    this.#line.changed();
  }

  #hasRoom({ answerBytes }: Request): boolean {
    const held = this.answerBytes + this.#line.unsentBytes;
    const { memory, idSite } = this.#line;
    return (held === 0 || held + answerBytes <= memory.limits.session) && memory.hasRoom(idSite, answerBytes);
  }

  #run({ bytes, answerBytes, run }: Request): void {
    this.#reserved += answerBytes;
    this.#line.reserve(answerBytes);
    void run().finally(() => {
      this.#inFlight--;
      this.#reserved -= answerBytes;
      this.requestBytes -= bytes;
      this.#line.changed();
    });
  }
}
