import { join } from 'node:path';
import ssh2 from 'ssh2';
import { keepOnce } from '../platform/data-dir.ts';

/** Name of the file in the data directory that holds the SFTP server's private key. */
const hostKeyFile = 'sftp-host-key';

/**
 * The SFTP server's private key (Ed25519, OpenSSH format): clients pin it, so it outlives every restart.
 * @throws Error that names the file when it is damaged.
 */
export function hostKey(dataDir: string): string {
  const kept = keepOnce(dataDir, hostKeyFile, () => newSshKey().private);
  if (!(ssh2.utils.parseKey(kept) instanceof Error)) return kept;
  throw new Error(
    `The file ${join(dataDir, hostKeyFile)} is damaged; restore it, or remove it and start again: clients will then ` +
      'warn of a new host key',
  );
}

/**
 * Creates an Ed25519 key pair in OpenSSH's format. ssh2 1.17 cuts leading zeros off the public key, so one pair in 256
 * is unreadable, even for ssh2 (its issue 1390; 18 of 4,000 here): such a pair is discarded.
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
