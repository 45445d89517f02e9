import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import { Choice } from './choice.tsx';
import {
  comingDates,
  type DailyRule,
  faultOf,
  placedDayOf,
  places,
  ruleOf,
  shortTime,
  type TypedRule,
  units,
  type WeekDay,
  weekDays,
} from './daily-rule.ts';
import { useFieldOf } from './fields.tsx';
import { OwnTime } from './own-time.tsx';
import { useScheduleWords } from './schedule-words.ts';
import './forms.css';

interface DailyFieldsProps {
  readonly value: TypedRule;
  readonly change: (part: Partial<TypedRule>) => void;
  /** The stored rule that is changed. */
  readonly stored?: DailyRule | undefined;
  /** Whether hours, weeks and months can be chosen as well. Default: days only. */
  readonly hasUnits?: boolean;
}

/** The fields of a schedule that repeats, and the dates that follow from them. */
export function DailyFields({ value, change, stored, hasUnits }: DailyFieldsProps) {
  const texts = useScheduleWords();
  const time = useFieldOf('time');
  const fault = faultOf(value, stored);
  const { unit = 'Day' } = value;
  const field = (name: 'from' | 'days' | 'time' | 'until') => ({
    value: value[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: event.currentTarget.value }),
  });
  const of = (...faults: readonly (typeof fault)[]) =>
    fault && fault !== 'noInterval' && faults.includes(fault) && texts[fault];
  return (
    <>
      {hasUnits && (
        <Choice
          label={texts.unit}
          options={units.map((one) => [one, texts.units[one]] as const)}
          value={unit}
          choose={(one) =>
            change({
              unit: one,
              ...(one === 'Week' && !value.weekDays?.length && { weekDays: ['Monday'] }),
              ...(one === 'Month' &&
                !value.monthDay && { monthDay: String(Number(value.from.slice(8)) || 1) }),
            })
          }
        />
      )}
      {unit === 'Week' && (
        <Checkbox.Group
          label={texts.weekDay}
          error={of('noWeekDay')}
          value={[...(value.weekDays ?? [])]}
          onChange={(days) => change({ weekDays: days as WeekDay[] })}
        >
          <div className="row week-days">
            {weekDays.map((day) => (
              <Checkbox key={day} value={day} label={texts.weekDays[day]} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      {unit === 'Month' && (
        <MonthDay
          value={value.monthDay ?? ''}
          change={(monthDay) => change({ monthDay })}
          error={of('noMonthDay')}
        />
      )}
      <div className="schedule-inputs">
        <TextInput type="date" label={texts.from} error={of('noFrom')} {...field('from')} />
        <TextInput
          inputMode="numeric"
          label={texts.intervals[unit]}
          maxLength={3}
          error={fault === 'noInterval' && texts.noIntervals[unit]}
          {...field('days')}
        />
        <TextInput
          type="time"
          label={unit === 'Hour' ? texts.hoursFrom : texts.time}
          error={of('noTime')}
          {...time}
          {...field('time')}
        />
        <TextInput
          type="date"
          label={texts.until}
          description={texts.untilText}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={value.from}
          error={of('noUntil', 'endsBefore', 'noneLeft')}
          {...field('until')}
        />
      </div>
      {unit !== 'Hour' && /^02:/.test(value.time) && (
        <p className="note">{texts.clocks(shortTime(value.time))}</p>
      )}
      {!fault && unit !== 'Hour' && <OwnTime day={value.from} time={value.time} />}
      {!fault && <ComingDates rule={ruleOf(value, stored)} />}
    </>
  );
}

/** The day of months: by its number, or a weekday by its place. */
function MonthDay({ value, change, error }: MonthDayProps) {
  const texts = useScheduleWords();
  const placed = placedDayOf(value);
  return (
    <div className="schedule-inputs">
      <NativeSelect
        label={texts.monthPlace}
        value={placed?.place ?? ''}
        onChange={({ currentTarget: { value: place } }) =>
          change(place === '' ? '1' : `${place} ${placed?.weekDay ?? 'Monday'}`)
        }
        data={[
          { value: '', label: texts.byNumber },
          ...places.map((place) => ({ value: place, label: texts.places[place] })),
        ]}
      />
      {placed ? (
        <NativeSelect
          label={texts.monthWeekDay}
          value={placed.weekDay}
          onChange={(event) => change(`${placed.place} ${event.currentTarget.value}`)}
          data={weekDays.map((day) => ({ value: day, label: texts.weekDays[day] }))}
        />
      ) : (
        <TextInput
          inputMode="numeric"
          label={texts.monthDay}
          description={texts.monthDayText}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={2}
          value={value}
          error={error}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
interface MonthDayProps {
  readonly value: string;
  readonly change: (monthDay: string) => void;
  readonly error: string | false | undefined;
}

/** The next dates of a rule, and how many follow. */
function ComingDates({ rule }: { readonly rule: DailyRule }) {
  const { words, format } = useWords();
  const texts = useScheduleWords();
  const { next, more } = comingDates(rule, Date.now());
  const rest = more === undefined ? texts.andSoOn : more > 0 && texts.andMore(format.count(more));
  return (
    <p className="small text-2">
      {words.shell.labelled(texts.coming, next.map((date) => format.moment(date)).join('; '))}
      {rest && `; ${rest}`}
    </p>
  );
}

/** A rule in words: every 3 days at 08:00 until Thu 24 Dec; every 2 weeks on Monday and Friday at 08:00. */
export function useRuleWords(): (rule: DailyRule) => string {
  const { format, language } = useWords();
  const texts = useScheduleWords();
  const list = new Intl.ListFormat(language === 'en' ? 'en-GB' : language);
  return ({ time, frequency, endDate, unit = 'Day', weekDays: days = [], monthDay = '1' }) => {
    const at = shortTime(time);
    const inWeeks = () =>
      texts.everyWeeks(frequency, list.format(days.map((day) => texts.weekDays[day])), at);
    const inHours = () => texts.everyHours(frequency, at);
    const inMonths = () => {
      const placed = placedDayOf(monthDay);
      const day = placed
        ? texts.placedDay(texts.places[placed.place], texts.weekDays[placed.weekDay])
        : texts.dayOfMonth(monthDay);
      return texts.everyMonths(frequency, day, at);
    };
    const rule = {
      Hour: inHours,
      Day: () => texts.everyDays(frequency, at),
      Week: inWeeks,
      Month: inMonths,
    }[unit]();
    return endDate === null ? rule : texts.untilDay(rule, format.day(endDate));
  };
}

/** What follows after the next date of a rule. */
export function RuleText({ rule }: { readonly rule: DailyRule }) {
  const texts = useScheduleWords();
  return <> {texts.follows(useRuleWords()(rule))}</>;
}
