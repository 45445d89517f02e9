import { createHash, timingSafeEqual } from 'node:crypto';

/** The proof that a client of the SFTP server sends. */
export type LoginProof =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'key'; readonly key: Buffer };

/** Whether a proof fits an account. No account takes as long as a wrong password: nobody learns which logins exist. */
export function fitsAccount(
  account: { readonly password: string; readonly publicKeys: readonly string[] } | undefined,
  proof: LoginProof,
): boolean {
  if (proof.kind === 'password') {
    const isSame = timingSafeEqual(digest(proof.password), digest(account?.password ?? ''));
    return isSame && account !== undefined;
  }
  return account?.publicKeys.some((line) => keyOfLine(line)?.equals(proof.key)) ?? false;
}

/** The key of a line in OpenSSH's form: `ssh-ed25519 AAAA… comment`. */
function keyOfLine(line: string): Buffer | undefined {
  const text = line.trim().split(/\s+/)[1];
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
