import type { App } from '../platform/app.ts';
import { type Notice, sendNotice } from '../platform/notice.ts';
import { relaysOf } from './route-store.ts';

/**
 * Sends a notice about a site by the first of its mail's relays that accepts it, or to the built-in mailbox. Called
 * from a task, which retries when this throws.
 * @throws Error if no relay accepts it
 */
export async function sendSiteNotice(app: App, idSite: number, notice: Notice): Promise<void> {
  const relays = await relaysOf(app, idSite);
  await sendNotice(app, notice, relays);
}
