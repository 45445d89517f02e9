import { relaysOf } from '../accounts/route-store.ts';
import type { App } from '../platform/app.ts';
import { refused } from '../platform/http/refusal.ts';
import { isLoopbackHost } from '../platform/loopback.ts';

/** What the address of the installation is fit for, by the way that a site's mail leaves. */
export interface ReaderAddress {
  /** Whether mail programs may unsubscribe by one click: RFC 8058 requests HTTPS. A trial on one machine may too. */
  readonly hasOneClick: boolean;
  /** Do messages leave for real readers, who cannot reach us at this address? */
  readonly isDead: boolean;
}

/** What the public address is fit for, by the relays that a site's mail leaves by now. */
export async function readerAddressOf(app: App, idSite: number): Promise<ReaderAddress> {
  return readerAddress(
    app.publicUrl,
    (await relaysOf(app, idSite)).map(({ host }) => host),
  );
}

/** @param relays the hosts by which mail leaves; none: it stays in the built-in mailbox. */
export function readerAddress(publicUrl: string, relays: readonly string[]): ReaderAddress {
  const { protocol, hostname } = new URL(publicUrl);
  const isHere = isLoopbackHost(hostname);
  return {
    hasOneClick: protocol === 'https:' || isHere || relays.length === 0,
    isDead: isHere && relays.some((host) => !isLoopbackHost(host)),
  };
}

/** @throws 422 for messages whose links and way out would lead their readers nowhere */
export async function checkReachable(app: App, idSite: number): Promise<void> {
  if (!(await readerAddressOf(app, idSite)).isDead) return;
  throw refused(
    `Readers could not reach the links and the unsubscribe page at ${app.publicUrl}: set FACTEUR_PUBLIC_URL to ` +
      'the public address of this installation',
  );
}
