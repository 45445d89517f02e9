import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The seed of properties; null: each run draws its own. */
    propertySeed: number | null;
  }
}

const seed = inject('propertySeed');
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
