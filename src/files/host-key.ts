import ssh2 from 'ssh2';
import { keepOnce } from '../platform/data-dir.ts';

/** The SFTP server's private key (Ed25519, OpenSSH format): clients pin it, so it outlives every restart. */
export const hostKey = (dataDir: string): string =>
  keepOnce(dataDir, 'sftp-host-key', () => newSshKey().private);

/**
 * A new Ed25519 key pair in OpenSSH's format. ssh2 1.17 cuts leading zeros off the public key and so writes one pair
 * in 256 that nobody can read, itself included (its issue 1390; 18 of 4,000 here): such a pair is thrown away.
 */
export function newSshKey(make: () => SshKey = generate): SshKey {
  for (;;) {
    const made = make();
    if ([made.private, made.public].every((text) => !(ssh2.utils.parseKey(text) instanceof Error)))
      return made;
  }
}

export interface SshKey {
  readonly private: string;
  readonly public: string;
}

const generate = (): SshKey => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'facteur' });
