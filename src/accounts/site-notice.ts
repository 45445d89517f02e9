import type { App } from '../platform/app.ts';
import { type Notice, sendNotice } from '../platform/notice.ts';
import { relaysOf } from './route-store.ts';

/** Sends a notice by the first relay of a site's mail that accepts it, or to the mailbox. @throws if none does */
export async function sendSiteNotice(app: App, idSite: number, notice: Notice): Promise<void> {
  const relays = await relaysOf(app, idSite);
  await sendNotice(app, notice, relays);
}
