import type { SmtpTimeouts } from './outcome.ts';
import { type Reply, replyText, SmtpProtocolError } from './smtp-reply.ts';
import type { SmtpServer } from './smtp-server.ts';
import type { SmtpSocket } from './smtp-socket.ts';

/** The server refused; its reply says why. */
export class SmtpError extends Error {
  override readonly name = 'SmtpError';
  readonly code: number;

  constructor(reply: Reply) {
    super(replyText(reply));
    this.code = reply.code;
  }
}

type Capabilities = ReadonlyMap<string, string>;

/**
 * Performs greeting, EHLO, STARTTLS and AUTH. Returns the server's extensions, keyword to parameters, as announced
 * after TLS.
 * @throws SmtpError for a reply that ends the attempt, SmtpProtocolError when a required TLS is not offered.
 */
export async function sayHello(
  socket: SmtpSocket,
  server: SmtpServer,
  timeouts: SmtpTimeouts,
): Promise<Capabilities> {
  server.onStep?.('greeting');
  expect(await socket.reply(timeouts.greeting, 'the connection'), 220);
  let capabilities = await hello(socket, server, timeouts);
  if (server.tls === 'starttls') {
    server.onStep?.('tls');
    if (!capabilities.has('STARTTLS')) throw new SmtpProtocolError('The relay does not offer STARTTLS');
    socket.write('STARTTLS\r\n');
    expect(await socket.reply(timeouts.command, 'STARTTLS'), 220);
    await socket.secure(server.host, server.verifyCertificate ?? true, timeouts.connect);
    // Extensions announced before TLS are discarded (RFC 3207 section 4.2).
    capabilities = await hello(socket, server, timeouts);
  }
  if (server.auth) {
    server.onStep?.('signIn');
    await signIn(socket, capabilities, server.auth, timeouts);
  }
  return capabilities;
}

async function hello(socket: SmtpSocket, server: SmtpServer, timeouts: SmtpTimeouts): Promise<Capabilities> {
  socket.write(`EHLO ${server.clientName}\r\n`);
  const reply = await socket.reply(timeouts.command, 'EHLO');
  if (reply.code === 500 || reply.code === 502) {
    socket.write(`HELO ${server.clientName}\r\n`);
    expect(await socket.reply(timeouts.command, 'HELO'), 250);
    return new Map();
  }
  expect(reply, 250);
  return new Map(
    reply.lines.slice(1).map((line) => {
      const [keyword = '', ...parameters] = line.trim().split(' ');
      return [keyword.toUpperCase(), parameters.join(' ').toUpperCase()];
    }),
  );
}

async function signIn(
  socket: SmtpSocket,
  capabilities: Capabilities,
  auth: { user: string; password: string },
  timeouts: SmtpTimeouts,
): Promise<void> {
  const offered = (capabilities.get('AUTH') ?? '').split(' ');
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  if (offered.includes('PLAIN')) {
    socket.write(`AUTH PLAIN ${base64(`\0${auth.user}\0${auth.password}`)}\r\n`);
  } else if (offered.includes('LOGIN')) {
    socket.write('AUTH LOGIN\r\n');
    expect(await socket.reply(timeouts.command, 'AUTH'), 334);
    socket.write(`${base64(auth.user)}\r\n`);
    expect(await socket.reply(timeouts.command, 'AUTH'), 334);
    socket.write(`${base64(auth.password)}\r\n`);
  } else {
    throw new SmtpProtocolError('The relay offers neither AUTH PLAIN nor AUTH LOGIN');
  }
  expect(await socket.reply(timeouts.command, 'AUTH'), 235);
}

function expect(reply: Reply, code: number): void {
  if (reply.code >= 400) throw new SmtpError(reply);
  if (reply.code !== code) throw new SmtpProtocolError(`Unexpected reply: ${replyText(reply)}`);
}
