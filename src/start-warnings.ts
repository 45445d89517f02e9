import { routeOfUrl } from './accounts/route.ts';
import { routeHosts } from './accounts/route-store.ts';
import type { App } from './platform/app.ts';
import { readerAddress } from './sending/freeze.ts';

/** Returns what an operator should fix before mail leaves, in sentences; usually none. */
export async function startWarnings(app: App): Promise<string[]> {
  const { smtpUrl } = app.config;
  const hosts = [...(smtpUrl ? [routeOfUrl(smtpUrl).host] : []), ...(await routeHosts(app.control))];
  const { hasOneClick, isDead } = readerAddress(app.publicUrl, hosts);
  if (isDead) {
    return [
      `FACTEUR_PUBLIC_URL is not set to an address that readers can reach (${app.publicUrl}), and there is a relay: ` +
        'campaigns are refused (422) until it is; test mailings go out with links that lead nowhere.',
    ];
  }
  if (hasOneClick) return [];
  return [
    `FACTEUR_PUBLIC_URL is plain http (${app.publicUrl}): messages carry no List-Unsubscribe-Post, for which ` +
      'RFC 8058 requires https, and large mail providers demand it of senders.',
  ];
}
