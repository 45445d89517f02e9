import { join } from 'node:path';
import ssh2 from 'ssh2';
import { keepOnce } from '../platform/data-dir.ts';

const hostKeyFile = 'sftp-host-key';

/** Returns the SFTP server's private key, which clients pin. @throws Error that names the file if it is damaged */
export function hostKey(dataDir: string): string {
  const kept = keepOnce(dataDir, hostKeyFile, () => newSshKey().private);
  if (!(ssh2.utils.parseKey(kept) instanceof Error)) return kept;
  throw new Error(
    `The file ${join(dataDir, hostKeyFile)} is damaged; restore it, or remove it and start again: clients will then ` +
      'warn of a new host key',
  );
}

/** Creates an Ed25519 key pair. One in 256 of ssh2 1.17 is unreadable (its issue 1390), and is discarded. */
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
