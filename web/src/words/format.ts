/** The languages of the console. */
export type Language = 'en' | 'fr';

/** The site's time zone, in which every time is given. */
const timeZone = 'Europe/Paris';

/** Numbers and dates in one language. */
export interface Format {
  /** A whole count: 318,204. */
  count(value: number): string;
  /** Whether what is counted is in the singular: 1, and in French 0 too. An unknown number is not. */
  isOne(value: number | undefined): boolean;
  /**
   * A share of `whole`, or “3 of 14” below 20 people; an en dash if there is nobody. A share is not rounded to none
   * or to all: “under 0.01%”, “over 99.9%”.
   */
  share(part: number, whole: number): string;
  /** Date and time, without the year if it is this one: Tue 17 Nov, 09:00. */
  moment(value: Date | string): string;
  day(value: Date | string): string;
  /** Time of the day: 09:00. */
  time(value: Date | string): string;
  timeWithSeconds(value: Date | string): string;
  /** A length of time: 1 min 42 s. */
  length(seconds: number): string;
}

const locales = { en: 'en-GB', fr: 'fr-FR' } as const;
const of = { en: 'of', fr: 'sur' } as const;
const under = { en: 'under', fr: 'moins de' } as const;
const over = { en: 'over', fr: 'plus de' } as const;
/** Below so many people a share says less than its two numbers. */
const fewestForShare = 20;

/** Makes the formats of a language, once. */
export function makeFormat(language: Language): Format {
  const locale = locales[language];
  const counts = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const plurals = new Intl.PluralRules(locale);
  const shares = [1, 2].map(
    (digits) =>
      new Intl.NumberFormat(locale, {
        style: 'percent',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  );
  const day = { weekday: 'short', day: 'numeric', month: 'short', timeZone } as const;
  const clock = { hour: '2-digit', minute: '2-digit', timeZone } as const;
  const days = new Intl.DateTimeFormat(locale, day);
  const daysWithYear = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric' });
  const times = new Intl.DateTimeFormat(locale, clock);
  const seconds = new Intl.DateTimeFormat(locale, { ...clock, second: '2-digit' });
  const count = (value: number) => counts.format(value).replace('-', '−');
  const dayOf = (value: Date | string) => {
    const date = new Date(value);
    const isThisYear = date.getFullYear() === new Date().getFullYear();
    return (isThisYear ? days : daysWithYear).format(date).replace(/^(\w+),/, '$1');
  };
  return {
    count,
    isOne: (value) => value !== undefined && plurals.select(value) === 'one',
    share: (part, whole) => {
      if (whole === 0) return '–';
      if (whole < fewestForShare) return `${count(part)} ${of[language]} ${count(whole)}`;
      const value = part / whole;
      // None and all are said only when they are exact.
      if (value > 0 && value < 0.000_05) return `${under[language]} ${shares[1]!.format(0.0001)}`;
      if (value < 1 && value >= 0.9995) return `${over[language]} ${shares[0]!.format(0.999)}`;
      return shares[value > 0 && value < 0.01 ? 1 : 0]!.format(value);
    },
    moment: (value) => `${dayOf(value)}, ${times.format(new Date(value))}`,
    day: dayOf,
    time: (value) => times.format(new Date(value)),
    timeWithSeconds: (value) => seconds.format(new Date(value)),
    length: (value) => {
      const whole = Math.max(0, Math.round(value));
      const [h, min, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
      const parts = h > 0 ? [h && `${h} h`, min && `${min} min`] : [min && `${min} min`, s && `${s} s`];
      return parts.filter(Boolean).join(' ') || '0 s';
    },
  };
}
