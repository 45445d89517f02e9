import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Heads above this are long: many times what a reader's mail program or browser sends. */
const ordinaryBytes = 16 * 1024;
const lookMs = 50;
/** A long head is read a piece (64 kB at most) at a time, with this between two of them. */
const betweenPiecesMs = 10;

interface Incoming {
  /** Bytes that had come when the last request was whole: what came after them is the head of the next one. */
  before: number;
  /** A body is coming in, which has a limit of its own. */
  isBody: boolean;
  state: 'ordinary' | 'reading' | 'waiting' | 'refused';
  stop: () => void;
}

/**
 * Keeps what strangers can do with long heads small, since a head is long before it says who asks. Node's parser
 * keeps the head in memory until it is whole, and copies all of it for each piece that arrives: a megabyte that
 * continues byte by byte would take a processor. So only a few long heads are read at a time, in pieces; other
 * connections with one are not read from until it is their turn, and are refused when too many wait.
 *
 * Connections are looked at from time to time: to see each piece costs a quarter of the requests a second.
 */
export class LongHeads {
  readonly #connections = new Map<Socket, Incoming>();
  readonly #maxReading: number;
  readonly #maxWaiting: number;
  readonly #refuse: (socket: Socket) => void;
  readonly #waiting = new Set<Socket>();
  #reading = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxReading: number, maxWaiting: number, refuse: (socket: Socket) => void) {
    this.#maxReading = maxReading;
    this.#maxWaiting = maxWaiting;
    this.#refuse = refuse;
  }

  watch(socket: Socket): void {
    const incoming: Incoming = { before: 0, isBody: false, state: 'ordinary', stop: () => undefined };
    this.#connections.set(socket, incoming);
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#leave(socket, incoming);
      if (this.#connections.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** To be called for each request: its head has come in. */
  isWhole(request: IncomingMessage): void {
    const { socket, headers } = request;
    const incoming = this.#connections.get(socket);
    if (!incoming) return;
    incoming.before = socket.bytesRead;
    this.#leave(socket, incoming);
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    incoming.isBody = true;
    request.once('close', () => {
      incoming.isBody = false;
      incoming.before = socket.bytesRead;
    });
  }

  #look(): void {
    for (const [socket, incoming] of this.#connections) {
      if (incoming.isBody || incoming.state !== 'ordinary') continue;
      if (socket.bytesRead - incoming.before > ordinaryBytes) this.#isLong(socket, incoming);
    }
  }

  #isLong(socket: Socket, incoming: Incoming): void {
    if (this.#reading >= this.#maxReading && this.#waiting.size >= this.#maxWaiting) {
      incoming.state = 'refused';
      this.#refuse(socket);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const rest = (): void => {
      // The last piece, which has made the head whole, comes by as well.
      if (incoming.state === 'ordinary') return;
      socket.pause();
      timer = setTimeout(() => incoming.state === 'reading' && socket.resume(), betweenPiecesMs);
    };
    incoming.stop = () => {
      clearTimeout(timer);
      socket.off('data', rest);
      socket.resume();
    };
    // Before it is paused: with a listener the pieces come through the stream, which can be paused and resumed.
    socket.on('data', rest);
    if (this.#reading < this.#maxReading) this.#read(socket, incoming);
    else {
      incoming.state = 'waiting';
      this.#waiting.add(socket);
      socket.pause();
    }
  }

  #read(socket: Socket, incoming: Incoming): void {
    this.#reading++;
    incoming.state = 'reading';
    socket.resume();
  }

  /** The head is whole, or its connection no longer exists: its place is another's. */
  #leave(socket: Socket, incoming: Incoming): void {
    const { state } = incoming;
    if (state === 'ordinary') return;
    this.#waiting.delete(socket);
    incoming.state = 'ordinary';
    incoming.stop();
    if (state !== 'reading') return;
    this.#reading--;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    this.#read(next, this.#connections.get(next)!);
  }
}
