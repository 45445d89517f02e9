import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How often a process shows that its marks still hold. */
const beatMs = 5_000;
/** A mark that was not renewed for so long is of a process that was killed. */
const forgottenMs = 30_000;

/** The folder of the marks, beside the folders of the sites. */
export const openUploadsBeside = (siteFolder: string) => join(dirname(siteFolder), '.uploads');

/**
 * Files that clients have open for writing on the embedded SFTP server, for the other processes that share its folder:
 * half a file must not be read for the whole. Each is a mark on the disk, named after the file's inode, which a rename
 * does not change, and renewed every few seconds. The time of a killed process runs out by the clock of the disk, which
 * all processes share.
 */
export class OpenUploads {
  readonly #folder: string;
  #beating: Promise<unknown> = Promise.resolve();
  readonly #marks = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /** Marks a file as open until the returned function is called. */
  async begin(inode: number): Promise<() => Promise<void>> {
    const path = join(this.#folder, `${inode}-${randomUUID()}`);
    await renew(path);
    this.#marks.add(path);
    return async () => {
      this.#marks.delete(path);
      // It might write the mark again.
      await this.#beating;
      await unlink(path).catch(ignoreMissing);
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    // A full disk takes no mark; the next one may do.
    this.#beating = Promise.allSettled([...this.#marks].map(renew));
  }
}

/** Whether a client has a file open for writing on the embedded SFTP server, in whichever process. */
export async function isBeingUploaded(folder: string, inode: number): Promise<boolean> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  const marks = names.filter((name) => name.startsWith(`${inode}-`)).map((name) => join(folder, name));
  if (marks.length === 0) return false;
  const now = await timeOfDisk(folder);
  for (const mark of marks) {
    const renewedAt = (await stat(mark).catch(ignoreMissing))?.mtimeMs;
    if (renewedAt === undefined) continue;
    if (now - renewedAt < forgottenMs) return true;
    await unlink(mark).catch(ignoreMissing);
  }
  return false;
}

async function timeOfDisk(folder: string): Promise<number> {
  const probe = join(folder, `now-${randomUUID()}`);
  await renew(probe);
  try {
    return (await stat(probe)).mtimeMs;
  } finally {
    await unlink(probe).catch(ignoreMissing);
  }
}

/** Written to, a file gets the time of the disk's clock. */
async function renew(path: string): Promise<void> {
  await writeFile(path, '\n', { mode: 0o600 });
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
