/**
 * The cheapest SMTP server that could be written: it looks for the ends of messages and answers, and keeps nothing
 * but their number. One process of its own, so that it is not what is measured. Prints its port; at each line on its
 * input, the number of messages so far.
 */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

const end = Buffer.from('\r\n.\r\n');
let messages = 0;

/** One connection's dialogue; only as much of SMTP as the senders of the benchmarks speak. */
class Dialogue {
  #isData = false;
  #text = '';
  #tail: Buffer = Buffer.alloc(0);

  /** The answers to what came. */
  feed(chunk: Buffer): string {
    let out = '';
    for (let rest: Buffer | undefined = chunk; rest && rest.length > 0; ) {
      const at: number = this.#isData ? this.#endOfMessage(rest) : rest.indexOf(10) + 1;
      if (at <= 0) {
        if (!this.#isData) this.#text += rest.toString('latin1');
        break;
      }
      out += this.#isData ? this.#taken() : this.#answer(this.#text + rest.toString('latin1', 0, at));
      rest = rest.subarray(at);
    }
    return out;
  }

  /** Where the message ends in `rest`, behind its final dot; 0 when it continues. */
  #endOfMessage(rest: Buffer): number {
    const seen = this.#tail.length > 0 ? Buffer.concat([this.#tail, rest]) : rest;
    const at = seen.indexOf(end);
    if (at >= 0) return at + end.length - this.#tail.length;
    this.#tail = Buffer.from(seen.subarray(-4));
    return 0;
  }

  #taken(): string {
    this.#isData = false;
    this.#tail = Buffer.alloc(0);
    messages += 1;
    return '250 2.0.0 ok\r\n';
  }

  #answer(line: string): string {
    this.#text = '';
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
    this.#isData = verb === 'DATA';
    if (this.#isData) return '354 go\r\n';
    return verb === 'QUIT' ? '221 bye\r\n' : '250 2.1.0 ok\r\n';
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  const dialogue = new Dialogue();
  socket.on('error', () => socket.destroy());
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    const out = dialogue.feed(chunk);
    if (out) socket.write(out);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.on('data', () => process.stdout.write(`${messages}\n`));
process.stdin.on('end', () => process.exit(0));
