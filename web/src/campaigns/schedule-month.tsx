import { Calendar } from '@mantine/dates';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useScheduleWords } from '../parts/schedule-words.ts';
import { useWords } from '../words/words.tsx';
import { dayOf } from './calendar-days.ts';
import '@mantine/dates/styles.css';
import './schedule-month.css';

interface ScheduleMonthProps {
  /** The chosen days, `yyyy-MM-dd`; an empty one is not complete yet. */
  readonly days: readonly string[];
  /** Chooses a day, or no longer. */
  readonly toggle: (day: string) => void;
}

/** A month in which days are chosen, from today in Paris on; arrow keys move from day to day. */
export function ScheduleMonth({ days, toggle }: ScheduleMonthProps) {
  const texts = useScheduleWords();
  const format = useDayFormat();
  const today = dayOf(Date.now());
  const first = days.filter((day) => /^\d{4}-/.test(day) && day >= today).sort()[0] ?? today;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="schedule-month" role="group" aria-label={texts.calendar}>
      <Calendar
        size="md"
        defaultDate={first}
        minDate={today}
        maxLevel="month"
        hideOutsideDates
        weekdayFormat={(day) => format(day, { weekday: 'short' })}
        monthLabelFormat={(day) => format(day, { month: 'long', year: 'numeric' })}
        getDayAriaLabel={(day) => format(day, { day: 'numeric', month: 'long', year: 'numeric' })}
        getDayProps={(day) => ({
          selected: days.includes(day),
          onClick: () => toggle(day),
          'aria-pressed': days.includes(day),
          ...(day === today && { 'aria-current': 'date' as const }),
        })}
        previousIcon={<IconChevronLeft size={18} aria-hidden />}
        nextIcon={<IconChevronRight size={18} aria-hidden />}
        ariaLabels={{ previousMonth: texts.earlierMonth, nextMonth: texts.laterMonth }}
        classNames={{ weekday: 'month-weekday', day: 'month-day', calendarHeaderLevel: 'month-name' }}
      />
      <p className="small text-3">{texts.calendarText}</p>
    </div>
  );
}

/** Returns a function that says a day, `yyyy-MM-dd`, in the language of the reader. */
function useDayFormat(): (day: string, options: Intl.DateTimeFormatOptions) => string {
  const { language } = useWords();
  const locale = language === 'en' ? 'en-GB' : 'fr-FR';
  return (day, options) =>
    new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { ...options, timeZone: 'UTC' });
}
