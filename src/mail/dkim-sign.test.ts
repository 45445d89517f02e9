import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, it } from 'vitest';
import { headerFields, relaxedBody, relaxedHeader } from './dkim-canonical.ts';
import { type DkimAlgorithm, dkimKey, signMessage } from './dkim-sign.ts';

const at = new Date('2026-11-20T10:00:00Z');

function keyPair(algorithm: DkimAlgorithm) {
  const pair =
    algorithm === 'rsa-sha256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ed25519');
  const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const der = pair.publicKey.export({ type: 'spki', format: 'der' });
  // RFC 8463: the record holds the bare 32 bytes of an Ed25519 key.
  const record =
    algorithm === 'rsa-sha256'
      ? `v=DKIM1; k=rsa; p=${der.toString('base64')}`
      : `v=DKIM1; k=ed25519; p=${der.subarray(-32).toString('base64')}`;
  return { key: dkimKey('example.org', 's1', algorithm, pem), record };
}

const pairs = { 'rsa-sha256': keyPair('rsa-sha256'), 'ed25519-sha256': keyPair('ed25519-sha256') };

async function verdict(message: Buffer, record: string): Promise<string> {
  const result = await dkimVerify(message, {
    resolver: async (name: string, type: string) => {
      if (name === 's1._domainkey.example.org' && type === 'TXT') return [[record]];
      throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
    },
  });
  return result.results.map((one: { status: { result: string } }) => one.status.result).join();
}

const headers = Buffer.from(
  [
    'From: =?utf-8?Q?Ad=C3=A8le?= <news@example.org>',
    'To:  "A  B"\t<a@b.fr>',
    'Subject: A long subject that is folded',
    '\tonce  and again ',
    'Date: Fri, 20 Nov 2026 11:00:00 +0100',
    'Expires: Sat, 5 Dec 2026 11:00:00 +0100',
    'Message-ID: <demo.1.2@example.org>',
    'List-Unsubscribe: <https://mail.test/u/abc>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'X-Other: not signed',
    '',
  ].join('\r\n'),
);

const bodies = {
  usual: 'Bonjour \tà  tous \r\n\r\n  indented=20\r\n.dot\r\n',
  empty: '',
  'only empty lines': '\r\n\r\n',
  'empty lines at the end': 'x\r\n\r\n \r\n\r\n',
  'without the last line end': 'x',
};

describe.each(['rsa-sha256', 'ed25519-sha256'] as const)('%s', (algorithm) => {
  const { key, record } = pairs[algorithm];

  it.each(Object.entries(bodies))('is verified by another program: %s', async (_, text) => {
    const body = Buffer.from(text);
    const [signature] = (await signMessage(headers, body, [key], at)) as [Buffer];
    expect(signature.toString()).toMatch(/^DKIM-Signature: v=1; a=.*\r\n$/s);
    expect(
      Math.max(
        ...signature
          .toString()
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(80);
    const message = Buffer.concat([signature, headers, Buffer.from('\r\n'), body]);
    expect(await verdict(message, record)).toBe('pass');
  });

  it('breaks when a signed header is changed or a second From is added, not when a relay adds its trace', async () => {
    const body = Buffer.from(bodies.usual);
    const signature = String((await signMessage(headers, body, [key], at))[0]);
    const build = (head: string) => Buffer.concat([Buffer.from(`${signature}${head}\r\n`), body]);
    const text = headers.toString();
    expect(await verdict(build(`Received: from x\r\n${text}`), record)).toBe('pass');
    expect(await verdict(build(text.replace('once', 'twice')), record)).not.toBe('pass');
    expect(await verdict(build(text.replace('5 Dec 2026', '5 Dec 2025')), record)).not.toBe('pass');
    expect(await verdict(build(`From: evil@example.org\r\n${text}`), record)).not.toBe('pass');
    expect(await verdict(build(`${text}Subject: other\r\n`), record)).not.toBe('pass');
    const other = Buffer.concat([Buffer.from(`${signature}${text}\r\n`), body, Buffer.from('more\r\n')]);
    expect(await verdict(other, record)).not.toBe('pass');
  });
});

it('signs with two keys, each verified by another program, whichever one it knows', async () => {
  const ed25519 = { ...pairs['ed25519-sha256'].key, selector: 's2' };
  const keys = [pairs['rsa-sha256'].key, ed25519];
  const body = Buffer.from(bodies.usual);
  const signatures = await signMessage(headers, body, keys, at);
  const message = Buffer.concat([...signatures, headers, Buffer.from('\r\n'), body]);
  const records = new Map([
    ['s1._domainkey.example.org', pairs['rsa-sha256'].record],
    ['s2._domainkey.example.org', pairs['ed25519-sha256'].record],
  ]);
  const { results } = await dkimVerify(message, { resolver: async (name: string) => [[records.get(name)!]] });
  expect(results).toMatchObject([
    { algo: 'rsa-sha256', status: { result: 'pass' } },
    { algo: 'ed25519-sha256', status: { result: 'pass' } },
  ]);
  expect(await verdict(message, pairs['rsa-sha256'].record)).toContain('pass');
});

it('makes no signature without a key', async () => {
  expect(await signMessage(headers, Buffer.from(''), [], at)).toEqual([]);
});

it('refuses a key of another kind', () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(() => dkimKey('example.org', 's1', 'rsa-sha256', pem)).toThrow('not rsa');
});

describe('relaxed forms', () => {
  it('of RFC 6376 section 3.4.5', () => {
    const fields = headerFields(Buffer.from('A: X\r\nB : Y\t\r\n\tZ  \r\n'));
    expect(fields.map((field) => relaxedHeader(field.name, field.value))).toEqual(['a:X', 'b:Y Z']);
    expect(relaxedBody(Buffer.from(' C \r\nD \t E\r\n\r\n\r\n')).toString()).toBe(' C\r\nD E\r\n');
  });

  it('agree with a plain definition', () => {
    const text = fc.string({ unit: fc.constantFrom('\r\n', ' ', '\t', 'a', '\r', '\n') });
    fc.assert(
      fc.property(text, (body) => {
        let plain = body
          .split('\r\n')
          .map((line) => line.replace(/[ \t]+$/, '').replace(/[ \t]+/g, ' '))
          .join('\r\n')
          .replace(/(\r\n)+$/, '');
        if (plain !== '') plain += '\r\n';
        expect(relaxedBody(Buffer.from(body)).toString()).toBe(plain);
      }),
    );
  });
});
