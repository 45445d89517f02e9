import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import type { Database } from './db/database.ts';
import type { SiteDb } from './db/site-db.ts';
import type { EventCounts } from './event-counts.ts';
import type { Secrets } from './secrets.ts';

/** The program's parts that operations and jobs are handed; made once in `serve`, and by the test kit. */
export interface App {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  /** Where readers reach this installation, without a trailing slash. */
  readonly publicUrl: string;
  readonly control: Database;
  /** The handle on one site, or undefined when no such site exists. */
  site(name: string): Promise<SiteDb | undefined>;
  siteById(id: number): Promise<SiteDb | undefined>;
  /** Counts for the metrics; absent where no metrics are read. */
  readonly counts?: EventCounts;
  /** For work that continues after the response; in the app for requests, whose statements are limited. */
  readonly background?: App;
}

/** The app with other parts. `publicUrl` stays a question to ask: the port may not be known yet. */
export function appWith(app: App, parts: Partial<App>): App {
  return Object.defineProperties({} as App, {
    ...Object.getOwnPropertyDescriptors(app),
    ...Object.getOwnPropertyDescriptors(parts),
  });
}
