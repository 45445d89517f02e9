import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, isPrivateKey, keyOfBlob, lineOf, parsePublicKey } from './ssh-key.ts';

// A known pair of key and fingerprint, as `ssh-keygen -l` shows it (GitHub's published host key).
const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU';
const ecdsa = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

describe('parsePublicKey', () => {
  it.each([line, `${line} ada@laptop`, `  ${line}\n`, `github.com ${line}`, `[h]:2222,1.2.3.4 ${line} x`])(
    'finds the key in %j',
    (text) => {
      const key = parsePublicKey(text)!;
      expect([lineOf(key), fingerprintOf(key)]).toEqual([line, fingerprint]);
      expect(keyOfBlob(key.blob)).toEqual(key);
    },
  );

  it('takes ECDSA and RSA keys', () => {
    expect(parsePublicKey(ecdsa.public)?.type).toBe('ecdsa-sha2-nistp256');
    const blob = (ssh2.utils.parseKey(rsa.privateKey) as ssh2.ParsedKey).getPublicSSH();
    expect(parsePublicKey(lineOf(keyOfBlob(blob)))?.type).toBe('ssh-rsa');
  });

  it.each([
    ...[
      '',
      'ssh-ed25519',
      'ssh-ed25519 AAAA',
      'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0d',
    ],
    ...[line.slice(0, 40), fingerprint, 'x'.repeat(100_000), ecdsa.private, rsa.publicKey, 'a\0b'],
  ])('finds none in %j', (text) => {
    expect(parsePublicKey(text)).toBeUndefined();
  });
});

it('isPrivateKey takes whole, unencrypted private keys only', () => {
  expect([ecdsa.private, rsa.privateKey].map(isPrivateKey)).toEqual([true, true]);
  const sealed = ssh2.utils.generateKeyPairSync('ecdsa', {
    bits: 256,
    passphrase: 'secret',
    cipher: 'aes256-ctr',
    rounds: 1,
  });
  const cut = ecdsa.private.slice(0, 60);
  expect([sealed.private, ecdsa.public, cut, '', 'secret'].map(isPrivateKey)).toEqual(Array(5).fill(false));
});
