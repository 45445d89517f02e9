/**
 * The cheapest SMTP server that could be written: it looks for the ends of messages and answers, and keeps nothing
 * but their number. One process of its own, so that it is not what is measured. Prints its port; at each line on its
 * input, the number of messages so far.
 */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

const end = Buffer.from('\r\n.\r\n');
let messages = 0;

const server = createServer({ noDelay: true }, (socket) => {
  let isData = false;
  let text = '';
  let tail: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    let out = '';
    let rest = chunk;
    while (rest.length > 0) {
      if (isData) {
        const seen = tail.length > 0 ? Buffer.concat([tail, rest]) : rest;
        const at = seen.indexOf(end);
        if (at < 0) {
          tail = Buffer.from(seen.subarray(-4));
          break;
        }
        rest = seen.subarray(at + end.length);
        tail = Buffer.alloc(0);
        isData = false;
        messages += 1;
        out += '250 2.0.0 ok\r\n';
        continue;
      }
      const line = rest.indexOf(10);
      text += rest.toString('latin1', 0, line < 0 ? rest.length : line);
      if (line < 0) break;
      rest = rest.subarray(line + 1);
      const verb = text.slice(0, 4).toUpperCase();
      text = '';
      if (verb === 'EHLO') out += '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
      else if (verb === 'DATA') {
        isData = true;
        out += '354 go\r\n';
      } else out += verb === 'QUIT' ? '221 bye\r\n' : '250 2.1.0 ok\r\n';
    }
    if (out) socket.write(out);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.on('data', () => process.stdout.write(`${messages}\n`));
process.stdin.on('end', () => process.exit(0));
