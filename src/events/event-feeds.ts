import type { PassThrough } from 'node:stream';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { EventFeed, type ListenerOptions } from './event-feed.ts';

/** Maximum number of streams in this process: of one site, and of all. */
export const maxListeners = { ofSite: 100, ofAll: 1_000 };
const retryAfterS = 30;

const feedsOf = new WeakMap<App, Map<string, EventFeed>>();

/** Listens to the changes of a site. @throws 503 when too many streams are open */
export function listenToSite(app: App, db: SiteDb, options: ListenerOptions): PassThrough {
  const feeds = feedsOf.get(app) ?? new Map<string, EventFeed>();
  feedsOf.set(app, feeds);
  const { schema } = db.site;
  const feed = feeds.get(schema) ?? new EventFeed(db, app.log);
  feeds.set(schema, feed);
  const all = [...feeds.values()].reduce((sum, one) => sum + one.size, 0);
  if (feed.size >= maxListeners.ofSite || all >= maxListeners.ofAll)
    throw new Refusal(503, 'busy', 'Too many event streams are open; close some, or read the lists instead', {
      retryAfterS,
    });
  return feed.listen(options);
}
