import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import ssh2 from 'ssh2';

/**
 * The server's private key (Ed25519, OpenSSH format), made once and kept in `path` with mode 0600: clients pin it,
 * so it must outlive every restart. Two processes starting at once end with the same key.
 */
export async function hostKey(path: string): Promise<string> {
  const known = await readIfThere(path);
  if (known) return known;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const made = newSshKey().private;
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(made);
    await file.sync();
  } finally {
    await file.close();
  }
  // link fails when another process was first; its key is then the one.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
  return readFile(path, 'utf8');
}

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

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
