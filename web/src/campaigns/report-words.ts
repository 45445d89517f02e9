import { lazyWords } from '../words/lazy.ts';

/** The texts of reports and of the people behind figures. */
export const useReportWords = lazyWords({
  en: async () => (await import('../words/en/report.ts')).report,
  fr: async () => (await import('../words/fr/report.ts')).report,
});

/** The texts of a sending while it runs. */
export const useRunWords = lazyWords({
  en: async () => (await import('../words/en/run.ts')).run,
  fr: async () => (await import('../words/fr/run.ts')).run,
});
