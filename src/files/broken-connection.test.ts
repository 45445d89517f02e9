import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { StallingSftp } from '../testing/stalling-sftp.ts';
import { until } from '../testing/until.ts';
import { RemoteRepository } from './remote-repository.ts';
import { connectFirst } from './sftp-connection.ts';

let sftp: StallingSftp;
let files: RemoteRepository;
beforeAll(async () => {
  sftp = await StallingSftp.start();
});
afterAll(() => sftp.close());
beforeEach(async () => {
  sftp.unanswered = 0;
  sftp.files.set('a.csv', Buffer.from('email;name'));
  const { access } = sftp;
  files = new RemoteRepository(
    await connectFirst({ ...access, privateKey: null }, access.host, undefined),
    '',
  );
});

const broken = {
  status: 503,
  code: 'unavailable',
  message: 'The SFTP server 127.0.0.1 cannot be used: the connection broke',
};

test.each<['stat' | 'read' | 'write', () => Promise<unknown>]>([
  ['stat', () => files.stat('a.csv')],
  ['read', async () => text(await files.read('a.csv'))],
  ['write', () => files.write('b.csv', Readable.from([Buffer.from('x')]))],
])('a connection that is reset in a %s is the SFTP server of its host', async (what, work) => {
  sftp.stalls = (one) => one === what;
  const failed = expect(work()).rejects.toMatchObject(broken);
  await until(() => sftp.unanswered > 0, 'the server has the request');
  sftp.reset();
  await failed;
  // And what is asked afterwards.
  await expect(files.stat('a.csv')).rejects.toMatchObject(broken);
});

test('what a source fails by stays as it is, with whatever code', async () => {
  const theirs = Object.assign(new Error('the database went'), { code: 'ECONNRESET' });
  async function* rows() {
    yield Buffer.from('x');
    throw theirs;
  }
  sftp.stalls = () => false;
  await expect(files.write('b.csv', Readable.from(rows()))).rejects.toBe(theirs);
  expect(await files.stat('a.csv')).toMatchObject({ size: 10 });
  await files.close();
});
