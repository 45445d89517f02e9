import { lazyPart } from '../parts/opened.tsx';

// The first screen does without the health of the relays.
export const RelayHealth = lazyPart(async () => (await import('./relay-health.tsx')).RelayHealth);
export const RelayHealthItem = lazyPart(async () => (await import('./relay-health.tsx')).RelayHealthItem);
