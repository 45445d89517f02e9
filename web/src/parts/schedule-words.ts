import { lazyWords } from '../words/lazy.ts';

/** The texts of schedules. */
export const useScheduleWords = lazyWords({
  en: async () => (await import('../words/en/schedule.ts')).schedule,
  fr: async () => (await import('../words/fr/schedule.ts')).schedule,
});
