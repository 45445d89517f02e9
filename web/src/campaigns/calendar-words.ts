import { lazyWords } from '../words/lazy.ts';

/** The texts of the calendar of campaigns. */
export const useCalendarWords = lazyWords({
  en: async () => (await import('../words/en/campaign-calendar.ts')).campaignCalendar,
  fr: async () => (await import('../words/fr/campaign-calendar.ts')).campaignCalendar,
});
