import { Checkbox, TextInput } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import { Choice } from './choice.tsx';
import {
  comingDates,
  type DailyRule,
  faultOf,
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
  /** Whether hours and weeks can be chosen as well. Default: days only. */
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
            change({ unit: one, ...(one === 'Week' && !value.weekDays?.length && { weekDays: ['Monday'] }) })
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
  return ({ time, frequency, endDate, unit = 'Day', weekDays: days = [] }) => {
    const at = shortTime(time);
    const inWeeks = () =>
      texts.everyWeeks(frequency, list.format(days.map((day) => texts.weekDays[day])), at);
    const inHours = () => texts.everyHours(frequency, at);
    const rule = unit === 'Day' ? texts.everyDays(frequency, at) : unit === 'Week' ? inWeeks() : inHours();
    return endDate === null ? rule : texts.untilDay(rule, format.day(endDate));
  };
}

/** What follows after the next date of a rule. */
export function RuleText({ rule }: { readonly rule: DailyRule }) {
  const texts = useScheduleWords();
  return <> {texts.follows(useRuleWords()(rule))}</>;
}
