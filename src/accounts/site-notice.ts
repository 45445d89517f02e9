import type { App } from '../platform/app.ts';
import { type Notice, sendNotice } from '../platform/notice.ts';
import { relaysOf } from './route-store.ts';

/**
 * Sends a notice about a site by the relays that the site's mail leaves by, the first that takes it; else into the
 * built-in mailbox. To be called from a task, which retries when this throws.
 * @throws Error when no relay takes it.
 */
export async function sendSiteNotice(app: App, idSite: number, notice: Notice): Promise<void> {
  const relays = await relaysOf(app, idSite);
  await sendNotice(app, notice, relays);
}
