import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Bytes of a signature: 128 bits are out of reach of guessing and keep links short. */
export const signatureBytes = 16;

/** Derives a key for each purpose from the one secret, so that signatures of one kind of link fit no other. */
export class Secrets {
  readonly #root: Buffer;
  readonly #keys = new Map<string, Buffer>();

  /** @param root at least 32 random bytes, from FACTEUR_SECRET or `<data>/secret`. */
  constructor(root: Buffer) {
    if (root.length < 16) throw new Error('The secret must have at least 16 bytes');
    this.#root = root;
  }

  /** The 32-byte key of one purpose (HKDF-SHA256, RFC 5869). */
  key(purpose: string): Buffer {
    const known = this.#keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', this.#root, 'facteur', purpose, 32));
    this.#keys.set(purpose, key);
    return key;
  }

  /** The first 16 bytes of HMAC-SHA256 over `data` under the purpose's key. */
  sign(purpose: string, data: Uint8Array): Buffer {
    return createHmac('sha256', this.key(purpose)).update(data).digest().subarray(0, signatureBytes);
  }

  /** Whether `signature` is ours, in constant time. */
  verify(purpose: string, data: Uint8Array, signature: Uint8Array): boolean {
    return signature.length === signatureBytes && timingSafeEqual(this.sign(purpose, data), signature);
  }

  /** Encrypts a stored secret (an SFTP or relay password) with AES-256-GCM: nonce, tag, text. */
  encrypt(purpose: string, text: string): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** The text that `encrypt` was given; throws when the bytes were altered or the secret is another one. */
  decrypt(purpose: string, sealed: Buffer): string {
    const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
  }
}
