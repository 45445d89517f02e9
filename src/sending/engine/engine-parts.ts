import type { Suspensions } from '../../alerts/suspensions.ts';
import type { App } from '../../platform/app.ts';
import type { Holder } from './lease.ts';
import type { HourlyPermits } from './permits.ts';
import type { Providers } from './providers.ts';
import type { RetryPolicy } from './retry.ts';

/** The parts that all jobs and routes of one engine share. */
export interface EngineParts {
  readonly app: App;
  readonly holder: Holder;
  readonly hourly: HourlyPermits;
  readonly providers: Providers;
  readonly suspensions: Suspensions;
  readonly retry: RetryPolicy;
}
