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
  const made = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'facteur' }).private;
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

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
