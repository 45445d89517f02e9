import type { Suspensions } from '../../alerts/suspensions.ts';
import type { App } from '../../platform/app.ts';
import type { Holder } from './lease.ts';
import type { Providers } from './providers.ts';
import type { ProviderPauses, RateLimits } from './rate-limit.ts';
import type { RetryPolicy } from './retry.ts';

/** What all jobs and routes of one engine share. */
export interface EngineParts {
  readonly app: App;
  readonly holder: Holder;
  readonly limits: RateLimits;
  readonly providers: Providers;
  readonly pauses: ProviderPauses;
  readonly suspensions: Suspensions;
  readonly retry: RetryPolicy;
}
