import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenHttp } from '../../listen.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { until } from '../../testing/until.ts';
import { sql } from '../db/sql.ts';
import { headBytesOfApi } from './connections.ts';

/** The data received on one of our connections, and whether the server has closed it. */
interface Talk {
  readonly socket: Socket;
  readonly answer: Promise<string>;
}

describe('connections', () => {
  let t: TestApp;
  let port: number;
  /** A server with short time limits for headers; the other's are long enough for a busy machine. */
  let hasty: TestApp;
  let portOfHasty: number;
  const open: Socket[] = [];
  beforeAll(async () => {
    const limits = { checkMs: 100, longHeads: 2, waitingHeads: 2 };
    t = await testApp({ limits });
    port = await listenHttp(t.server, 0);
    hasty = await testApp({ limits: { ...limits, headersMs: 1_000, restBytes: 100_000, restMs: 500 } });
    portOfHasty = await listenHttp(hasty.server, 0);
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await t.close();
    await hasty.close();
  });

  /** Says something on a connection of its own; the answer is all that comes until the server ends. */
  function talk(first: string, to = port): Talk {
    const socket = connect(to, '127.0.0.1');
    open.push(socket);
    socket.on('error', () => undefined);
    socket.write(first);
    return { socket, answer: text(socket).catch(() => 'reset') };
  }

  const get = async (path: string) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: t.token('sender') };
      const asked: ClientRequest = httpRequest({ port, path, headers, agent: false }, resolve);
      asked.once('error', reject);
      asked.end();
    });
    return { status: response.statusCode, headers: response.headers, ...JSON.parse(await text(response)) };
  };

  /** The envelope at the end of a raw answer, with what every answer carries. */
  function failureOf(answer: string) {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    expect(head).toMatch(/\r\nconnection: close/i);
    const { success, data, error, typeName, ...more } = JSON.parse(body);
    expect({ success, data, typeName, more }).toEqual({
      success: false,
      data: null,
      typeName: null,
      more: {},
    });
    return [Number(head.split(' ')[1]), /x-error-code: (\w+)/i.exec(head)?.[1], error];
  }

  const head = (path: string, of = t) =>
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${of.token('sender')}\r\n`;

  describe('long addresses', () => {
    // 64 characters before the @, each three bytes of an address, and as much behind it as 254 leave.
    const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(57)}.com`;
    const longest = (n: number) => `${String(n).padStart(64, '+')}@${domain}`;
    const lookup = (values: readonly string[], encoding = 'None') =>
      values.reduce(
        (path, value) => `${path}&filter.values=${encodeURIComponent(value)}`,
        `?filter.by=Email&filter.emailEncoding=${encoding}&filter.idFields=0,1`,
      );
    const numbers = Array.from({ length: 5_000 }, (_, n) => n);

    beforeAll(async () => {
      await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values (${longest(4_999)})`);
    });

    it.each(['/v1/demo/subscribers', '/v1/demo/subscribers/archived'])(
      '%s answers 5,000 of the longest values',
      async (path) => {
        expect(longest(1)).toHaveLength(254);
        const byEmail = await get(path + lookup(numbers.map(longest)));
        expect([byEmail.status, byEmail.error, byEmail.data?.length]).toEqual([200, null, 5_000]);
        const byHash = await get(
          path +
            lookup(
              numbers.map((n) => String(n).padStart(128, 'a')),
              'SHA2_512',
            ),
        );
        expect([byHash.status, byHash.data?.length]).toEqual([200, 5_000]);
      },
    );

    it('one value over the number is named', async () => {
      const reply = await get(`/v1/demo/subscribers${lookup([...numbers, 5_000].map(String))}`);
      expect(reply).toMatchObject({ status: 400, error: expect.stringMatching(/^filter\.values: .*5000/) });
    });

    it('what is longer than the limit gets the envelope and the end of the connection', async () => {
      const { answer } = talk(head(`/v1/demo/subscribers?${'a'.repeat(headBytesOfApi)}`));
      expect(failureOf(await answer)).toEqual([413, 'too_large', expect.stringContaining('2 MB')]);
    });
  });

  it.each([
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
    ['a method that is none', 'STEAL / HTTP/1.1\r\n\r\n'],
    ['two lengths', 'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
  ])('%s is rejected and closed', async (_what, first) => {
    expect(failureOf(await talk(first).answer)).toEqual([400, 'malformed', expect.any(String)]);
  });

  it('a header that never ends is rejected and closed', async () => {
    const { answer } = talk('GET /health/live HTTP/1.1\r\nhost: a\r\n', portOfHasty);
    expect(failureOf(await answer)).toEqual([408, 'timeout', expect.any(String)]);
  });

  it('a body that comes byte by byte is rejected and closed', async () => {
    const slow = await testApp({ limits: { headersMs: 500, requestMs: 1_000, checkMs: 100 } });
    const portOfSlow = await listenHttp(slow.server, 0);
    const first =
      `PUT /v1/demo/targets HTTP/1.1\r\nhost: a\r\nauthorization: ${slow.token('sender')}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{';
    const { socket, answer } = talk(first, portOfSlow);
    const drip = setInterval(() => socket.write(' '), 20);
    try {
      expect(failureOf(await answer)).toEqual([408, 'timeout', expect.any(String)]);
    } finally {
      clearInterval(drip);
      await slow.close();
    }
  });

  it('a connection that says nothing is ended', async () => {
    const socket = connect(portOfHasty, '127.0.0.1');
    open.push(socket);
    await text(socket);
    expect(socket.readableEnded).toBe(true);
  });

  it('reads few long heads at a time: others wait their turn, and what is too many is sent away', async () => {
    const path = `/v1/demo/subscribers?filter.by=Email&filter.values=${'a'.repeat(100_000)}`;
    const talks = Array.from({ length: 5 }, () => talk(head(path)));
    const answered = talks.map(async ({ answer }) => failureOf(await answer));
    expect(await Promise.race(answered)).toEqual([503, 'busy', expect.any(String)]);
    // Other clients are served in the meantime.
    expect((await get('/v1/demo/fields?type=Unspecified')).status).toBe(200);
    // The four kept connections get their responses once their header is complete, including those that waited.
    for (const { socket } of talks) socket.write('connection: close\r\n\r\n');
    const statuses = (await Promise.all(answered)).map(([status]) => status);
    expect(statuses.sort()).toEqual([400, 400, 400, 400, 503]);
  });

  it('gives a place back with its connection', async () => {
    const unfinished = () => talk(head(`/v1/demo/fields?${'a'.repeat(50_000)}`, hasty), portOfHasty);
    for (let round = 0; round < 3; round++) {
      const talks = [unfinished(), unfinished()];
      const late = talks.map(({ answer }) => answer.then(failureOf));
      for (const failure of await Promise.all(late)) expect(failure[0]).toBe(408);
    }
    // The rest of a head may come too late as well: then the next one is attempted.
    const statusOfWhole = async () => {
      const { socket, answer } = unfinished();
      await until(() => socket.writableLength === 0, 'the head');
      socket.write('connection: close\r\n\r\n');
      return (await answer).split(' ')[1];
    };
    await until(async () => (await statusOfWhole()) === '400', 'a head is read to its end');
  });

  it('a body behind a response is cut off at its limit of bytes, or of idle time', async () => {
    const head = (length: number) =>
      [
        'POST /v1/demo/thematics HTTP/1.1',
        'host: x',
        'content-type: application/json',
        `content-length: ${length}`,
        '\r\n',
      ].join('\r\n');
    const resting = talk(`${head(50_000)}{`, portOfHasty);
    expect(await resting.answer).toMatch(/^HTTP\/1.1 401 /);
    await until(() => resting.socket.closed, 'the end of the one that rests');
    const endless = talk(head(1_000_000_000), portOfHasty);
    let sent = 0;
    const more = () => {
      while (
        !endless.socket.destroyed &&
        endless.socket.writable &&
        endless.socket.write(Buffer.alloc(10_000))
      )
        sent++;
    };
    endless.socket.on('drain', more);
    more();
    await until(() => endless.socket.closed, 'the end of the one without end');
    expect(sent).toBeGreaterThan(10);
  });
});
