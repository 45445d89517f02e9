import { lazy } from 'react';
import './sample-data.css';

const retryMs = 10_000;

/** Loads what shows sample data. While the service is away it tries again, and the screen stays as it is. */
async function load(): Promise<typeof import('./sample-data.tsx')> {
  for (;;) {
    try {
      return await import('./sample-data.tsx');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

export const SampleBar = lazy(async () => ({ default: (await load()).SampleBar }));
export const SampleCard = lazy(async () => ({ default: (await load()).SampleCard }));
