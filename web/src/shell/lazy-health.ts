import { lazy } from 'react';
import { loadPatiently } from '../parts/load-patiently.ts';

/** Loads what shows the health of the relays, which the first screen does without. */
const load = () => loadPatiently(() => import('./relay-health.tsx'));

export const RelayHealth = lazy(async () => ({ default: (await load()).RelayHealth }));
export const RelayHealthItem = lazy(async () => ({ default: (await load()).RelayHealthItem }));
