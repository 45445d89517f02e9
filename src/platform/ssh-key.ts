import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';

/** A public key as SSH writes it on the wire: its kind, and all of it. */
export interface SshPublicKey {
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, … */
  readonly type: string;
  readonly blob: Buffer;
}

/** The SHA-256 of a key as OpenSSH shows it: `SHA256:` and base64 without padding. */
export function fingerprintOf({ blob }: Pick<SshPublicKey, 'blob'>): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** A key in the form of `authorized_keys` and `known_hosts`: `ssh-ed25519 AAAA…`. */
export function lineOf({ type, blob }: SshPublicKey): string {
  return `${type} ${blob.toString('base64')}`;
}

/** The key of bytes from the wire, whose first field names the kind. */
export function keyOfBlob(blob: Buffer): SshPublicKey {
  const length = blob.length < 4 ? 0 : blob.readUInt32BE();
  return { type: blob.toString('latin1', 4, 4 + Math.min(length, 64)), blob };
}

/** Parses a public key of an `authorized_keys` or `known_hosts` line; undefined if none is usable. */
export function parsePublicKey(text: string): SshPublicKey | undefined {
  const words = text.trim().split(/\s+/);
  // A base64 text whose first field says what the word before it says.
  for (const [i, type] of words.entries()) {
    const key = keyOfBlob(Buffer.from(words[i + 1] ?? '', 'base64'));
    if (key.type !== type) continue;
    const parsed = ssh2.utils.parseKey(lineOf(key));
    return parsed instanceof Error || parsed.isPrivateKey() || key.type === 'ssh-dss' ? undefined : key;
  }
  return undefined;
}

/** Whether a text is a private key that can be used as it is: not encrypted, of a kind that we sign with. */
export function isPrivateKey(text: string): boolean {
  const parsed = ssh2.utils.parseKey(text);
  return !(parsed instanceof Error) && parsed.isPrivateKey() && parsed.type !== 'ssh-dss';
}
