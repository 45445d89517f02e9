import { lazy } from 'react';

const load = () => import('./sample-data.tsx');
export const SampleBar = lazy(async () => ({ default: (await load()).SampleBar }));
export const SampleCard = lazy(async () => ({ default: (await load()).SampleCard }));
