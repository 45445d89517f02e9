import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { newSshKey, type SshKey } from './host-key.ts';

describe('a new SSH key', () => {
  it('is never one that cannot be read', () => {
    const whole = newSshKey();
    // What ssh2 writes once in 256 times: a public key that has lost a byte.
    const cut: SshKey = { ...whole, private: whole.private.replace(/\n.{40}/, '\n') };
    expect(ssh2.utils.parseKey(cut.private)).toBeInstanceOf(Error);
    const made = [cut, cut, whole];
    expect(newSshKey(() => made.shift()!)).toBe(whole);
  });
});
