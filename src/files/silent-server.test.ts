import { connect, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSshKey } from './host-key.ts';
import { RemoteRepository } from './remote-repository.ts';
import { connectFirst } from './sftp-connection.ts';

type Kind = 'sftp' | 'OPEN' | 'WRITE' | 'CLOSE' | 'RENAME' | 'STAT' | 'READ' | 'end';

/** A server that never answers one kind of request, and that keeps every connection alive. */
let silentOn: Kind;
let server: ssh2.Server;
/** In front of it: reports no closed side to the other. */
let relay: Server;
let sockets: Socket[];
const patience = { connectMs: 500, answerMs: 500, endMs: 200 };

beforeEach(async () => {
  sockets = [];
  server = new ssh2.Server({ hostKeys: [newSshKey().private] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => context.accept());
    connection.on('ready', () =>
      connection.on('session', (accept) =>
        accept().on('sftp', (acceptSftp) => silentOn !== 'sftp' && serve(acceptSftp())),
      ),
    );
  });
  const port = await listen(server);
  relay = createServer({ allowHalfOpen: true }, (client) => {
    const inner = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(client, inner);
    for (const [from, to] of [
      [client, inner],
      [inner, client],
    ] as const) {
      from.on('data', (data) => to.write(data));
      from.on('error', () => undefined);
    }
  });
  await listen(relay);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([server, relay].map((one) => new Promise<void>((done) => one.close(() => done()))));
});

const listen = (one: ssh2.Server | Server) =>
  new Promise<number>((resolve) => {
    one.listen(0, '127.0.0.1', () => resolve((one.address() as { port: number }).port));
  });

function serve(sftp: ssh2.SFTPWrapper): void {
  const answers = (kind: Kind) => silentOn !== kind;
  const { OK, EOF } = ssh2.utils.sftp.STATUS_CODE;
  sftp.on('OPEN', (id) => answers('OPEN') && sftp.handle(id, Buffer.alloc(4)));
  sftp.on('WRITE', (id) => answers('WRITE') && sftp.status(id, OK));
  sftp.on('READ', (id) => answers('READ') && sftp.status(id, EOF));
  sftp.on('CLOSE', (id) => answers('CLOSE') && sftp.status(id, OK));
  sftp.on('RENAME', (id) => answers('RENAME') && sftp.status(id, OK));
  sftp.on('REMOVE', (id) => sftp.status(id, OK));
  sftp.on('STAT', (id) => answers('STAT') && sftp.attrs(id, { mode: 0o100600, size: 0 } as ssh2.Attributes));
  sftp.on('LSTAT', (id) => sftp.attrs(id, { mode: 0o100600, size: 0 } as ssh2.Attributes));
}

const open = async () => {
  const { port } = relay.address() as { port: number };
  const account = { host: '127.0.0.1', port, login: 'us', password: 'x', privateKey: null };
  return new RemoteRepository(await connectFirst(account, account.host, undefined, patience), '');
};

test('a server that never starts SFTP is not waited for', async () => {
  silentOn = 'sftp';
  await expect(open()).rejects.toMatchObject({ status: 503 });
});

test.each(['OPEN', 'WRITE', 'CLOSE', 'RENAME'] as const)(
  'a server that does not answer %s ends the writing',
  async (kind) => {
    silentOn = kind;
    const files = await open();
    await expect(files.write('x.csv', Readable.from([Buffer.from('x')]))).rejects.toThrow();
    await files.close().catch(() => undefined);
  },
);

test.each(['STAT', 'READ'] as const)('a server that does not answer %s ends the reading', async (kind) => {
  silentOn = kind;
  const files = await open();
  await expect(files.read('x.csv').then(text)).rejects.toThrow();
  await files.close().catch(() => undefined);
});

test('a server that does not close its side is left', async () => {
  silentOn = 'end';
  const files = await open();
  await files.write('x.csv', Readable.from([Buffer.from('x')]));
  await files.close();
});
