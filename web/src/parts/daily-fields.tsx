import { TextInput } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import { comingDates, type DailyRule, faultOf, ruleOf, shortTime, type TypedRule } from './daily-rule.ts';
import { useFieldOf } from './fields.tsx';
import { OwnTime } from './own-time.tsx';
import { useScheduleWords } from './schedule-words.ts';
import './forms.css';

interface DailyFieldsProps {
  readonly value: TypedRule;
  readonly change: (part: Partial<TypedRule>) => void;
  /** The stored rule that is changed. */
  readonly stored?: DailyRule | undefined;
}

/** The fields of a schedule that repeats every few days, and the dates that follow from them. */
export function DailyFields({ value, change, stored }: DailyFieldsProps) {
  const texts = useScheduleWords();
  const time = useFieldOf('time');
  const fault = faultOf(value, stored);
  const field = (name: keyof TypedRule) => ({
    value: value[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: event.currentTarget.value }),
  });
  const of = (...faults: readonly (typeof fault)[]) => fault && faults.includes(fault) && texts[fault];
  return (
    <>
      <div className="schedule-inputs">
        <TextInput type="date" label={texts.from} error={of('noFrom')} {...field('from')} />
        <TextInput
          inputMode="numeric"
          label={texts.interval}
          maxLength={3}
          error={of('noInterval')}
          {...field('days')}
        />
        <TextInput type="time" label={texts.time} error={of('noTime')} {...time} {...field('time')} />
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
      {/^02:/.test(value.time) && <p className="note">{texts.clocks(shortTime(value.time))}</p>}
      {!fault && <OwnTime day={value.from} time={value.time} />}
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

/** A rule in words: every 3 days at 08:00 until Thu 24 Dec. */
export function useRuleWords(): (rule: DailyRule) => string {
  const { format } = useWords();
  const texts = useScheduleWords();
  return ({ time, frequency, endDate }) => {
    const rule = texts.everyDays(frequency, shortTime(time));
    return endDate === null ? rule : texts.untilDay(rule, format.day(endDate));
  };
}

/** What follows after the next date of a rule. */
export function RuleText({ rule }: { readonly rule: DailyRule }) {
  const texts = useScheduleWords();
  return <> {texts.follows(useRuleWords()(rule))}</>;
}
