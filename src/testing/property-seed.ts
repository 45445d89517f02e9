import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** What properties draw from; none: each run draws its own. */
    propertySeed: number | null;
  }
}

const seed = inject('propertySeed');
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
