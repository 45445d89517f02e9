import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secrets } from '../platform/secrets.ts';
import { type LinkKind, makeToken, readToken } from './link-token.ts';

const secrets = new Secrets(Buffer.alloc(32, 7));
const kinds: readonly LinkKind[] = ['click', 'open', 'mirror', 'unsub', 'forward'];
const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const anyIds = fc.record({
  idSite: id,
  idSent: id,
  idSubscriber: id,
  idLink: fc.integer({ min: 1, max: 2 ** 52 }),
});
const ids = { idSite: 3, idSent: 40, idSubscriber: 1_000_000, idLink: 5 };

describe('link tokens', () => {
  it('come back as they were made', () => {
    fc.assert(
      fc.property(anyIds, fc.constantFrom(...kinds), ({ idLink, ...of }, kind) => {
        const token = { kind, ...of, ...(kind === 'click' && { idLink }) };
        expect(readToken(secrets, kind, makeToken(secrets, token))).toEqual(token);
      }),
    );
  });

  it('of forwarded messages come back with the forward, and those without it as they were', () => {
    fc.assert(
      fc.property(anyIds, id, fc.constantFrom(...kinds), ({ idLink, ...of }, idForward, kind) => {
        const plain = { kind, ...of, ...(kind === 'click' && { idLink }) };
        const text = makeToken(secrets, { ...plain, idForward });
        expect(readToken(secrets, kind, text)).toEqual({ ...plain, idForward });
        expect(text.length).toBeLessThanOrEqual(80);
      }),
    );
  });

  it('of single sends come back with the send', () => {
    fc.assert(
      fc.property(anyIds, id, fc.constantFrom(...kinds), ({ idLink, ...of }, idSingle, kind) => {
        const token = { kind, ...of, ...(kind === 'click' && { idLink }), idSingle };
        expect(readToken(secrets, kind, makeToken(secrets, token))).toEqual(token);
      }),
    );
  });

  it('of versions that knew no forwarded messages stay good', () => {
    expect(readToken(secrets, 'click', 'JAMowIQ9BYRQKPSzZXpuqvs-1QzeT5k')).toEqual({ kind: 'click', ...ids });
  });

  it('cannot be made viral, nor plain, by changing the mark, with the forward or without', () => {
    for (const idForward of [undefined, 9]) {
      const forward = idForward === undefined ? {} : { idForward };
      const bytes = Buffer.from(makeToken(secrets, { kind: 'click', ...ids, ...forward }), 'base64url');
      bytes[0] = bytes[0]! ^ 0x80;
      const cut = Buffer.concat([bytes.subarray(0, -17), bytes.subarray(-16)]);
      const longer = Buffer.concat([bytes.subarray(0, -16), Buffer.from([9]), bytes.subarray(-16)]);
      for (const forged of [bytes, cut, longer])
        expect(readToken(secrets, 'click', forged.toString('base64url'))).toBeUndefined();
    }
  });

  it('are worthless as another kind', () => {
    fc.assert(
      fc.property(anyIds, fc.constantFrom(...kinds), fc.constantFrom(...kinds), (of, made, read) => {
        const known = readToken(secrets, read, makeToken(secrets, { kind: made, ...of }));
        expect(known !== undefined).toBe(made === read);
      }),
    );
  });

  it('are worthless when one character is altered, omitted or added', () => {
    const text = makeToken(secrets, { kind: 'click', ...ids });
    for (let at = 0; at < text.length; at++) {
      for (const other of 'ABCxyz019-_') {
        if (other === text[at]) continue;
        expect(readToken(secrets, 'click', text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      }
      expect(readToken(secrets, 'click', text.slice(0, at))).toBeUndefined();
      expect(readToken(secrets, 'click', text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
      expect(readToken(secrets, 'click', `${text.slice(0, at)}A${text.slice(at)}`)).toBeUndefined();
    }
    expect(readToken(secrets, 'click', `${text}=`)).toBeUndefined();
    expect(readToken(secrets, 'click', `${text} `)).toBeUndefined();
  });

  it('cannot be moved to another site, sent, subscriber or link by changing the bytes', () => {
    const bytes = Buffer.from(makeToken(secrets, { kind: 'click', ...ids }), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(readToken(secrets, 'click', altered.toString('base64url'))).toBeUndefined();
    }
  });

  it('are those of one installation', () => {
    const text = makeToken(new Secrets(Buffer.alloc(32, 8)), { kind: 'open', ...ids });
    expect(readToken(secrets, 'open', text)).toBeUndefined();
  });

  it('never throw on what anybody sends', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(fc.property(texts, (text) => readToken(secrets, 'open', text) === undefined));
    expect(readToken(secrets, 'open', 'A'.repeat(1_000_000))).toBeUndefined();
  });

  it('are signed with HMAC-SHA256 under the key of the kind', () => {
    const bytes = Buffer.from(makeToken(secrets, { kind: 'unsub', ...ids }), 'base64url');
    const expected = createHmac('sha256', secrets.key('link:unsub')).update(bytes.subarray(0, -16)).digest();
    expect(bytes.subarray(-16)).toEqual(expected.subarray(0, 16));
  });

  it('of another version or of a key that is not in use are refused, however well they are signed', () => {
    const body = Buffer.from(makeToken(secrets, { kind: 'unsub', ...ids }), 'base64url').subarray(0, -16);
    const signed = (head: number) => {
      const data = Buffer.concat([Buffer.of(head), body.subarray(1)]);
      const signature = createHmac('sha256', secrets.key('link:unsub')).update(data).digest().subarray(0, 16);
      return Buffer.concat([data, signature]).toString('base64url');
    };
    const head = body[0]!;
    expect(readToken(secrets, 'unsub', signed(head))).toMatchObject({
      kind: 'unsub',
      idSubscriber: 1_000_000,
    });
    for (const other of [head ^ 1, head ^ 2, head ^ 3, head ^ 0x20, head ^ 0x40])
      expect(readToken(secrets, 'unsub', signed(other))).toBeUndefined();
  });

  it('stay short', () => {
    expect(makeToken(secrets, { kind: 'click', ...ids }).length).toBeLessThanOrEqual(36);
    const largest = {
      idSite: 2 ** 31 - 1,
      idSent: 2 ** 31 - 1,
      idSubscriber: 2 ** 31 - 1,
      idLink: 2 ** 53 - 1,
    };
    const text = makeToken(secrets, { kind: 'click', ...largest });
    expect(readToken(secrets, 'click', text)).toEqual({ kind: 'click', ...largest });
  });

  it('refuse to be made of what is no identifier', () => {
    for (const bad of [-1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => makeToken(secrets, { kind: 'open', ...ids, idSent: bad })).toThrow('Not an identifier');
    }
  });

  it('do not depend on how many secrets there are', () => {
    const others = [1, 2, 3].map(() => new Secrets(randomBytes(32)));
    const texts = others.map((one) => makeToken(one, { kind: 'open', ...ids }));
    others.forEach((one, i) => {
      expect(texts.map((text) => readToken(one, 'open', text) !== undefined)).toEqual(
        texts.map((_, j) => i === j),
      );
    });
  });
});
