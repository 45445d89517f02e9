import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that can answer a click: what the tracking server is measured against. */
const server = createServer((_request, response) => {
  response.writeHead(302, { location: 'https://shop.example.com/spring?id=1', 'content-length': 0 });
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
