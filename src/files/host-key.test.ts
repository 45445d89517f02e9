import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { hostKey, newSshKey, type SshKey } from './host-key.ts';

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

describe('the host key', () => {
  it('names its file when that is damaged', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'facteur-host-key-'));
    const path = join(dataDir, 'sftp-host-key');
    writeFileSync(path, 'no key');
    expect(() => hostKey(dataDir)).toThrow(`The file ${path} is damaged`);
    rmSync(path);
    expect(hostKey(dataDir)).toBe(hostKey(dataDir));
    rmSync(dataDir, { recursive: true });
  });
});
