import { lazy } from 'react';
import { loadPatiently } from '../parts/load-patiently.ts';
import './sample-data.css';

/** Loads what shows sample data. */
const load = () => loadPatiently(() => import('./sample-data.tsx'));

export const SampleBar = lazy(async () => ({ default: (await load()).SampleBar }));
export const SampleCard = lazy(async () => ({ default: (await load()).SampleCard }));
