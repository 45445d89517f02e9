import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const userPresentAndVerified = 0x05;
const withCredential = 0x40;

/** An authenticator with one passkey (ES256), and the browser that asks it for a page of `origin`. */
export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  readonly #origin: string;
  /** How many signatures it says that it has made; 0 as of authenticators that do not count. */
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Answers startPasskey: what createPasskey takes. */
  create({ secret, challenge, host }: { secret: string; challenge: string; host: string }) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    // COSE: an elliptic key, for ES256, on P-256.
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x!)],
      [-3, bytes(y!)],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const data = Buffer.concat([
      this.#data(host, userPresentAndVerified | withCredential),
      Buffer.alloc(16),
      length,
      this.#id,
      isoCBOR.encode(key),
    ]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(data)],
    ]);
    return {
      secret,
      credential: this.#id.toString('base64url'),
      clientData: this.#clientData('webauthn.create', challenge),
      attestation: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal'],
    };
  }

  /** Answers startPasskeySignIn: what signInWithPasskey takes. */
  sign({ secret, challenge, host }: { secret: string; challenge: string; host: string }) {
    if (this.counter > 0) this.counter++;
    const data = this.#data(host, userPresentAndVerified);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientData, 'base64url'))]);
    return {
      secret,
      credential: this.#id.toString('base64url'),
      clientData,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    };
  }

  #data(host: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin })).toString('base64url');
  }
}

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));
