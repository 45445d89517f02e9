import type { Dir } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { FolderError } from './folder-error.ts';

export type OpenFile = Extract<OpenThing, { kind: 'file' }>;
export type OpenThing =
  | {
      readonly kind: 'file';
      readonly file: FileHandle;
      /** Length of the file, as far as this handle knows: bytes behind it count as growth. */
      size: number;
      /** Offset of a write's position from its place in the file; undefined before the first write when appending. */
      shift: number | undefined;
      /** Ends the mark of a file that is open for writing. */
      readonly unmark: (() => Promise<void>) | undefined;
    }
  | { readonly kind: 'directory'; readonly dir: Dir; readonly name: string; done: boolean };

const maxHandles = 128;

/** The handles of one SFTP session; what it leaves open is closed with it. */
export class SftpHandles {
  /** The last request of each handle, which the next one waits for. */
  readonly #last = new Map<number, Promise<unknown>>();
  readonly #count: (by: 1 | -1) => boolean;
  readonly #open = new Map<number, OpenThing>();
  #next = 1;
  #reserved = 0;
  #closed = false;

  /** @param count of those of the whole account: whether there may be one more. */
  constructor(count: (by: 1 | -1) => boolean) {
    this.#count = count;
  }

  /** Opens by `make` and returns the handle's four bytes. */
  async add(make: () => Promise<OpenThing>): Promise<Buffer> {
    if (this.#open.size + this.#reserved >= maxHandles || !this.#count(1))
      throw new FolderError('failed', 'Too many open files');
    this.#reserved++;
    let isOpen = false;
    try {
      const thing = await make();
      // The session may have ended while the disk was asked.
      if (this.#closed) {
        await closeThing(thing);
        throw new FolderError('failed', 'Session ended');
      }
      isOpen = true;
      const id = this.#next++;
      this.#open.set(id, thing);
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(id);
      return handle;
    } finally {
      this.#reserved--;
      if (!isOpen) this.#count(-1);
    }
  }

  /** Runs a request after the earlier ones on its handle: OpenSSH's scp relies on the order, and writes build on it. */
  inOrder(handle: Buffer, work: () => Promise<void>): Promise<void> {
    const id = idOf(handle);
    if (!this.#open.has(id)) return work();
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(work, work);
    this.#last.set(id, turn);
    return turn;
  }

  file(handle: Buffer): OpenFile {
    const thing = this.#open.get(idOf(handle));
    if (thing?.kind !== 'file') throw new FolderError('failed', 'Invalid handle');
    return thing;
  }

  directory(handle: Buffer): Extract<OpenThing, { kind: 'directory' }> {
    const thing = this.#open.get(idOf(handle));
    if (thing?.kind !== 'directory') throw new FolderError('failed', 'Invalid handle');
    return thing;
  }

  async close(handle: Buffer): Promise<void> {
    const id = idOf(handle);
    const thing = this.#open.get(id);
    if (!thing) throw new FolderError('failed', 'Invalid handle');
    this.#open.delete(id);
    this.#last.delete(id);
    await this.#close(thing);
  }

  /** Closes all files and directories, each when its requests are answered. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#last.values());
    this.#last.clear();
    const things = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(things.map((thing) => this.#close(thing)));
  }

  async #close(thing: OpenThing): Promise<void> {
    await closeThing(thing).finally(() => this.#count(-1));
  }
}

function idOf(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE() : 0;
}

async function closeThing(thing: OpenThing): Promise<void> {
  if (thing.kind === 'directory') return thing.dir.close();
  await thing.file.close();
  await thing.unmark?.();
}
