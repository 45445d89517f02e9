import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secrets } from '../platform/secrets.ts';
import { makeToken } from './link-token.ts';
import { makeReturnPath, readReturnPath } from './return-path.ts';

const secrets = new Secrets(Buffer.alloc(32, 7));
const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const anyIds = fc.record({ idSite: id, idSent: id, idSubscriber: id });
const ids = { idSite: 3, idSent: 40, idSubscriber: 1_000_000 };

describe('return paths', () => {
  it('come back as they were made, in either case', () => {
    fc.assert(
      fc.property(anyIds, (of) => {
        const address = makeReturnPath(secrets, of, 'mail.example.com');
        expect(readReturnPath(secrets, address)).toEqual(of);
        expect(readReturnPath(secrets, address.toUpperCase())).toEqual(of);
        expect(address).toMatch(/^b-[a-z2-7]+@mail\.example\.com$/);
        expect(address.indexOf('@')).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('of forwarded messages name the forward, and have room for the highest numbers', () => {
    const most = 2 ** 31 - 1;
    const of = { idSite: most, idSent: most, idSubscriber: most, idForward: most };
    const address = makeReturnPath(secrets, of, 'mail.example.com');
    expect(readReturnPath(secrets, address)).toEqual(of);
    expect(address.indexOf('@')).toBe(62);
  });

  it('are worthless when altered or cut', () => {
    const local = makeReturnPath(secrets, ids, 'x').split('@')[0] ?? '';
    for (let at = 0; at < local.length; at++) {
      for (const other of 'aq27z-') {
        if (other === local[at]) continue;
        expect(readReturnPath(secrets, local.slice(0, at) + other + local.slice(at + 1))).toBeUndefined();
      }
      expect(readReturnPath(secrets, local.slice(0, at))).toBeUndefined();
    }
  });

  it('are not made of the links of the same message', () => {
    const bytes = Buffer.from(makeToken(secrets, { kind: 'open', ...ids }), 'base64url');
    expect(readReturnPath(secrets, `b-${bytes.toString('hex')}@x`)).toBeUndefined();
  });

  it('never throw on what anybody sends', () => {
    fc.assert(fc.property(fc.string(), (text) => readReturnPath(secrets, `b-${text}@x`) === undefined));
    for (const text of ['', '@', 'b-', 'b-@', 'postmaster@x', `b-${'a'.repeat(100_000)}@x`]) {
      expect(readReturnPath(secrets, text)).toBeUndefined();
    }
  });
});
