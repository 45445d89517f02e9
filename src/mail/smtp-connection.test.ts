import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { listening } from '../testing/listening.ts';
import { type SinkOptions, type SmtpSink, smtpSink } from '../testing/smtp-sink.ts';
import { standardTimeouts } from './outcome.ts';
import { SmtpConnection } from './smtp-connection.ts';
import type { SmtpServer } from './smtp-server.ts';

const message = [Buffer.from('Message-ID: <1@x>\r\nSubject: hello\r\n'), Buffer.from('\r\n.dot\r\nbye\r\n')];
const to = (address: string) => ({ from: 'b@mail.test', to: address });
const now = async () => undefined;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function server(port: number, more: Partial<SmtpServer> = {}): SmtpServer {
  return { host: '127.0.0.1', port, tls: 'none', auth: undefined, clientName: 'mail.test', ...more };
}

async function withSink(
  options: SinkOptions = {},
  more: Partial<SmtpServer> = {},
): Promise<{ sink: SmtpSink; open: () => Promise<SmtpConnection> }> {
  const sink = await smtpSink({ keepRaw: true, ...options });
  closers.push(() => sink.close());
  return { sink, open: () => SmtpConnection.open(server(sink.port, more)) };
}

/** A server with a scripted reply for each line; `undefined` closes the connection. */
async function scripted(answer: (line: string) => string | undefined): Promise<number> {
  const server = createServer((socket) => {
    socket.write('220 x\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const said = answer(text.slice(0, end));
        text = text.slice(end + 2);
        if (said === undefined) socket.destroy();
        else if (said) socket.write(`${said}\r\n`);
      }
    });
  });
  const { port, close } = await listening(server);
  closers.push(close);
  return port;
}

describe.each([
  ['with pipelining', ['PIPELINING', 'ENHANCEDSTATUSCODES']],
  ['without pipelining', ['SIZE 1000000']],
])('delivery %s', (_, capabilities) => {
  it('hands over many messages on one connection', async () => {
    const { sink, open } = await withSink({ capabilities });
    const connection = await open();
    for (let i = 0; i < 20; i++) {
      const outcome = await connection.deliver(to(`r${i}@x.fr`), message, now);
      expect(outcome).toMatchObject({ kind: 'accepted', code: 250 });
    }
    expect(sink.messages.map((one) => one.to)).toEqual(Array.from({ length: 20 }, (__, i) => `r${i}@x.fr`));
    expect(sink.messages[0]).toMatchObject({ from: 'b@mail.test', messageId: '1@x' });
    expect(sink.messages[0]?.raw?.toString()).toBe(Buffer.concat(message).toString());
    expect(sink.peak()).toBe(1);
    connection.close();
  });

  it('resets after a refusal, and continues with the same connection', async () => {
    const misdeeds = ['refuse', undefined, 'defer', 'refuseData', undefined] as const;
    let at = 0;
    const { sink, open } = await withSink({ capabilities, misdeed: () => misdeeds[at++] });
    const connection = await open();
    const kinds: string[] = [];
    for (let i = 0; i < 5; i++) {
      const outcome = await connection.deliver(to(`r${i}@x.fr`), message, now);
      kinds.push(`${outcome.kind} ${'code' in outcome ? outcome.code : ''}`);
    }
    expect(kinds).toEqual(['refused 550', 'accepted 250', 'deferred 451', 'refused 554', 'accepted 250']);
    expect(sink.commands.filter((line) => line === 'RSET')).toHaveLength(3);
    expect(sink.peak()).toBe(1);
    connection.close();
  });

  it('classifies a dropped connection', async () => {
    for (const [misdeed, kind] of [
      ['tearData', 'notAttempted'],
      ['takeAndTear', 'unknown'],
    ] as const) {
      const { open } = await withSink({ capabilities, misdeed: () => misdeed });
      const connection = await open();
      // The tear is only known once it came: a caller that never allows the dot waits for it here.
      const torn = new Promise<void>((resolve) => connection.onFailure(() => resolve()));
      const before = misdeed === 'tearData' ? () => torn : now;
      expect(await connection.deliver(to('r@x.fr'), message, before)).toMatchObject({ kind });
      expect(connection.isUsable).toBe(false);
    }
  });
});

describe('the final dot', () => {
  it.each(['closeData', 'resetData', 'denyData'] as const)(
    'is not written to a relay that has hung up: %s',
    async (misdeed) => {
      let hungUp = () => {};
      // The kernel has the news when leave is given; nothing has read it yet.
      const leave = new Promise<void>((resolve) => {
        hungUp = resolve;
      });
      const { open } = await withSink({ misdeed: () => misdeed, onHangUp: () => hungUp() });
      const connection = await open();
      const outcome = await connection.deliver(to('r@x.fr'), message, () => leave);
      expect(outcome).toMatchObject({ kind: 'notAttempted' });
      expect(connection.isUsable).toBe(false);
    },
  );

  it('waits for leave, and is never written without it', async () => {
    const { sink, open } = await withSink();
    const connection = await open();
    let allow = () => {};
    const leave = new Promise<void>((resolve) => {
      allow = resolve;
    });
    let asked = () => {};
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const delivery = connection.deliver(to('r@x.fr'), message, () => {
      asked();
      return leave;
    });
    await wasAsked;
    expect(sink.messages).toHaveLength(0);
    allow();
    expect(await delivery).toMatchObject({ kind: 'accepted' });
    const denied = await connection.deliver(to('s@x.fr'), message, async () => {
      throw new Error('paused');
    });
    expect(denied).toEqual({ kind: 'notAttempted', text: 'paused' });
    expect(sink.messages.map((one) => one.to)).toEqual(['r@x.fr']);
    expect(connection.isUsable).toBe(false);
  });

  it('is not written after an answer that came too early', async () => {
    const said: string[] = [];
    const port = await scripted((line) => {
      said.push(line);
      if (/^(EHLO|MAIL|RCPT)/.test(line)) return '250 ok';
      // In one piece, so both are there when the message is.
      return line === 'DATA' ? '354 go\r\n552 too much' : '';
    });
    const connection = await SmtpConnection.open(server(port));
    const outcome = await connection.deliver(to('r@x.fr'), message, now);
    expect(outcome).toEqual({ kind: 'notAttempted', text: '552 too much' });
    expect(said).not.toContain('.');
  });

  it('without an answer in time leaves the outcome unknown', async () => {
    const timeouts = { ...standardTimeouts, finalDot: 50 };
    const { open } = await withSink({ misdeed: () => 'takeAndHang' }, { timeouts });
    const outcome = await (await open()).deliver(to('r@x.fr'), message, now);
    expect(outcome).toEqual({ kind: 'unknown', text: 'No reply to the message in 0.05 s' });
  });

  it('answered by anything but success or failure leaves the outcome unknown', async () => {
    for (const odd of ['354 what?', '250-a\r\n550 b', 'garbage']) {
      const port = await scripted((line) => {
        if (/^(EHLO|MAIL|RCPT)/.test(line)) return '250 ok';
        return line === 'DATA' ? '354 go' : line === '.' ? odd : '';
      });
      const connection = await SmtpConnection.open(server(port));
      expect(await connection.deliver(to('r@x.fr'), message, now)).toMatchObject({ kind: 'unknown' });
      expect(connection.isUsable).toBe(false);
    }
  });
});

describe('answers about the connection', () => {
  it.each(['421 closing', '530 sign in first', '503 out of order'])(
    '%s says nothing of the message',
    async (said) => {
      const port = await scripted((line) => (/^EHLO/.test(line) ? '250-x\r\n250 PIPELINING' : said));
      const connection = await SmtpConnection.open(server(port));
      expect(await connection.deliver(to('r@x.fr'), message, now)).toEqual({
        kind: 'notAttempted',
        text: said,
      });
      expect(connection.isUsable).toBe(false);
    },
  );

  it('leaves a server that takes DATA without a recipient', async () => {
    const port = await scripted((line) => {
      if (/^EHLO/.test(line)) return '250-x\r\n250 PIPELINING';
      return /^RCPT/.test(line) ? '550 no' : line === 'DATA' ? '354 go' : '250 ok';
    });
    const connection = await SmtpConnection.open(server(port));
    expect(await connection.deliver(to('r@x.fr'), message, now)).toMatchObject({
      kind: 'refused',
      code: 550,
    });
    expect(connection.isUsable).toBe(false);
  });

  it('refuses to start on a 421 banner, garbage, or a closed port', async () => {
    const { open } = await withSink({ banner: () => '421 busy' });
    await expect(open()).rejects.toThrow('421 busy');
    const { open: openOdd } = await withSink({ banner: () => 'SSH-2.0-OpenSSH' });
    await expect(openOdd()).rejects.toThrow('not SMTP');
    await expect(SmtpConnection.open(server(1))).rejects.toThrow('ECONNREFUSED');
  });

  it('bears a server that answers byte by byte', async () => {
    const { open } = await withSink({ dripMs: 1 });
    expect(await (await open()).deliver(to('r@x.fr'), message, now)).toMatchObject({ kind: 'accepted' });
  });
});

describe('what is refused before a byte is sent', () => {
  it('an address or a message that could change the dialogue', async () => {
    const { sink, open } = await withSink();
    const connection = await open();
    const evil = await connection.deliver(to('a@b>\r\nRCPT TO:<c@d'), message, now);
    expect(evil).toMatchObject({ kind: 'refused', code: 553 });
    const bare = await connection.deliver(to('a@b.fr'), [Buffer.from('a: b\r\n\r\nx\n.\r\ny\r\n')], now);
    expect(bare).toMatchObject({ kind: 'refused', code: 554 });
    expect(sink.commands).toEqual(['EHLO mail.test']);
    expect(connection.isUsable).toBe(true);
    connection.close();
  });
});

describe('TLS and signing in', () => {
  async function relay(options: ConstructorParameters<typeof SMTPServer>[0]): Promise<number> {
    const listening = new SMTPServer({
      ...options,
      logger: false,
      onAuth: (auth, _, done) =>
        auth.username === 'mailbox' && auth.password === 'pass'
          ? done(null, { user: 'mailbox' })
          : done(new Error('no')),
      onData: (stream, _, done) => {
        stream.resume().on('end', () => done());
      },
    });
    listening.on('error', () => undefined);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise<void>((resolve) => listening.close(() => resolve())));
    return (listening.server.address() as AddressInfo).port;
  }
  const auth = { user: 'mailbox', password: 'pass' };

  it.each([
    ['PLAIN', 'starttls', {}],
    ['LOGIN', 'starttls', {}],
    ['PLAIN', 'tls', { secure: true }],
    ['LOGIN', 'none', { hideSTARTTLS: true, allowInsecureAuth: true }],
  ] as const)('AUTH %s with %s', async (method, tls, options) => {
    const port = await relay({ authMethods: [method], ...options });
    const connection = await SmtpConnection.open(server(port, { tls, auth, verifyCertificate: false }));
    expect(await connection.deliver(to('r@x.fr'), message, now)).toMatchObject({ kind: 'accepted' });
    connection.close();
  });

  it('stops at a wrong password, an unknown certificate or without the requested TLS', async () => {
    const port = await relay({});
    const wrong = { ...auth, password: 'x' };
    await expect(
      SmtpConnection.open(server(port, { tls: 'starttls', auth: wrong, verifyCertificate: false })),
    ).rejects.toThrow('535');
    await expect(SmtpConnection.open(server(port, { tls: 'starttls' }))).rejects.toThrow(/certificate/);
    const plain = await relay({ hideSTARTTLS: true });
    await expect(SmtpConnection.open(server(plain, { tls: 'starttls' }))).rejects.toThrow(
      'does not offer STARTTLS',
    );
  });

  it('refuses what is injected after the reply to STARTTLS', async () => {
    const port = await scripted((line) =>
      /^EHLO/.test(line) ? '250-x\r\n250 STARTTLS' : '220 go\r\n250-injected',
    );
    await expect(SmtpConnection.open(server(port, { tls: 'starttls' }))).rejects.toThrow(
      'more than the reply',
    );
  });
});
