import type { PassThrough } from 'node:stream';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { keptIn, remembered } from '../platform/remembered.ts';
import { EventFeed, type ListenerOptions } from './event-feed.ts';

/** Maximum number of streams in this process: of one site, and of all. */
export const maxListeners = { ofSite: 100, ofAll: 1_000 };
const retryAfterS = 30;

const feedsOf = remembered((_: App) => new Map<string, EventFeed>());

/** Listens to the changes of a site. @throws 503 when too many streams are open */
export function listenToSite(app: App, db: SiteDb, options: ListenerOptions): PassThrough {
  const feeds = feedsOf(app);
  const feed = keptIn(feeds, db.site.schema, () => new EventFeed(db, app.log));
  const all = [...feeds.values()].reduce((sum, one) => sum + one.size, 0);
  if (feed.size >= maxListeners.ofSite || all >= maxListeners.ofAll)
    throw new Refusal(503, 'busy', 'Too many event streams are open; close some, or read the lists instead', {
      retryAfterS,
    });
  return feed.listen(options);
}
