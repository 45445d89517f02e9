import { api, dataOf } from '../api/client.ts';
import { lazyWords } from '../words/lazy.ts';

/** The sample data of a site, or null. */
export const sampleDataOf = (idsite: string) => ({
  queryKey: ['sample-data', idsite],
  staleTime: 60_000,
  queryFn: () => dataOf(api.GET('/v1/{idsite}/sample-data', { params: { path: { idsite } } })),
});

/** The texts about sample data. */
export const useSampleWords = lazyWords({
  en: async () => (await import('../words/en/sample.ts')).sample,
  fr: async () => (await import('../words/fr/sample.ts')).sample,
});
