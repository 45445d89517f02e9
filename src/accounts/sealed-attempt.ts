import type { Secrets } from '../platform/secrets.ts';

/** Data that the end of an attempt to sign in needs. The client carries it, sealed: open attempts are free. */
export class SealedAttempt<T extends object> {
  readonly #purpose: string;
  readonly #lastsMs: number;

  /** @param purpose names the kind of attempt: one kind cannot be opened as another. */
  constructor(purpose: string, lastsMs: number) {
    this.#purpose = purpose;
    this.#lastsMs = lastsMs;
  }

  seal(secrets: Secrets, attempt: T, at: Date): string {
    const text = JSON.stringify({ ...attempt, at: at.getTime() });
    return secrets.encrypt(this.#purpose, text).toString('base64url');
  }

  /** The attempt, and when it was made; undefined for what is altered, of another kind or too old. */
  open(secrets: Secrets, sealed: string, now: Date): (T & { readonly at: number }) | undefined {
    try {
      const opened = JSON.parse(secrets.decrypt(this.#purpose, Buffer.from(sealed, 'base64url')));
      return now.getTime() - opened.at <= this.#lastsMs ? opened : undefined;
    } catch {
      return undefined;
    }
  }
}
