import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { Choice } from '../parts/choice.tsx';
import { shortTime } from '../parts/daily-rule.ts';
import { OwnTime } from '../parts/own-time.tsx';
import { useScheduleWords } from '../parts/schedule-words.ts';
import { wallTime } from '../targets/paris-time.ts';
import { useWords } from '../words/words.tsx';
import { dayOf, daysLater, timeOf } from './calendar-days.ts';
import { ScheduleMonth } from './schedule-month.tsx';

/** Dates that the service takes for one campaign. */
const maxDates = 366;

/** A date as it is typed, in the time of Paris. */
export interface TypedDate {
  readonly day: string;
  /** `HH:mm`, or `HH:mm:ss` if it has seconds. */
  readonly time: string;
  /** Whether the second of two instants is meant, where the clocks go back. */
  readonly isSecond: boolean;
}

/** An instant as it is typed. */
export function typedDate(instant: string): TypedDate {
  const [day, time] = [dayOf(instant), shortTime(timeOf(instant))];
  const second = wallTime(`${day}T${time}`)?.second;
  return { day, time, isSecond: second !== undefined && Date.parse(second) === Date.parse(instant) };
}

/** The instant of a typed date; null while it is not complete. */
export function instantOf({ day, time, isSecond }: TypedDate): string | null {
  const wall = wallTime(`${day}T${time}`);
  return wall && ((isSecond && wall.second) || wall.instant);
}

/** What is wrong with a date: it is past, or the same as an earlier one of the list. */
function faultOf(dates: readonly TypedDate[], index: number): 'isPast' | 'isTwice' | undefined {
  const at = instantOf(dates[index]!);
  if (at === null) return undefined;
  if (Date.parse(at) < Date.now()) return 'isPast';
  return dates.slice(0, index).some((other) => instantOf(other) === at) ? 'isTwice' : undefined;
}

/** The instants of a list, in order; undefined while a date is not complete or wrong. */
export function instantsOf(dates: readonly TypedDate[]): readonly string[] | undefined {
  const instants = dates.map(instantOf);
  const isRight = dates.every((_, index) => instants[index] !== null && !faultOf(dates, index));
  return isRight ? (instants as string[]).sort() : undefined;
}

/**
 * The dates with another day, or without it: of the time of the last one, before the first later day. A day with several
 * times loses the last of them only.
 */
function toggled(dates: readonly TypedDate[], day: string): readonly TypedDate[] {
  const last = { ...dates.at(-1)!, isSecond: false };
  const taken = dates.findLastIndex((one) => one.day === day);
  const others = dates.filter((one, at) => at !== taken && one.day !== '');
  if (taken !== -1) return others.length > 0 ? others : [{ ...last, day: '' }];
  if (others.length === maxDates) return dates;
  const later = others.findIndex((one) => one.day > day);
  const place = later === -1 ? others.length : later;
  return [...others.slice(0, place), { ...last, day }, ...others.slice(place)];
}

interface ScheduleDatesProps {
  readonly dates: readonly TypedDate[];
  /** Whether the only date is a proposal: a chosen day replaces it. */
  readonly isProposed: boolean;
  readonly change: (dates: readonly TypedDate[]) => void;
}

/** The dates of a calendar, each with a day and a time of Paris; days can be chosen in a month. */
export function ScheduleDates({ dates, isProposed, change }: ScheduleDatesProps) {
  const texts = useScheduleWords();
  const last = dates.at(-1);
  const choose = (day: string) =>
    change(isProposed && day !== last?.day ? [{ ...last!, day, isSecond: false }] : toggled(dates, day));
  return (
    <>
      <ScheduleMonth days={dates.map(({ day }) => day)} toggle={choose} />
      {dates.map((date, index) => (
        <DateFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a date has nothing else that stays while it is typed
          key={index}
          name={texts.date(index + 1)}
          date={date}
          fault={faultOf(dates, index)}
          change={(part) => change(dates.map((one, at) => (at === index ? { ...one, ...part } : one)))}
          remove={dates.length > 1 ? () => change(dates.filter((_, at) => at !== index)) : undefined}
        />
      ))}
      {last && dates.length < maxDates && (
        <div>
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={last.day === ''}
            onClick={() => change([...dates, { ...last, day: daysLater(last.day, 1), isSecond: false }])}
          >
            {texts.add}
          </Button>
        </div>
      )}
    </>
  );
}

interface DateFieldsProps {
  readonly name: string;
  readonly date: TypedDate;
  readonly fault: 'isPast' | 'isTwice' | undefined;
  readonly change: (part: Partial<TypedDate>) => void;
  /** Undefined for the only date. */
  readonly remove: (() => void) | undefined;
}

/** One date, and what it stands for where the clocks change. */
function DateFields({ name, date, fault, change, remove }: DateFieldsProps) {
  const { format } = useWords();
  const texts = useScheduleWords();
  const { day, time, isSecond } = date;
  const wall = wallTime(`${day}T${time}`);
  // The typed day is shown as it is; noon of a day in UTC is on that day in Paris.
  const dayText = () => format.day(`${day}T12:00:00Z`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="stack tight" role="group" aria-label={name}>
      <div className="row schedule-date">
        <div className="schedule-inputs grow">
          <TextInput
            type="date"
            label={texts.day}
            min={dayOf(Date.now())}
            value={day}
            error={fault && texts[fault]}
            onChange={(event) => change({ day: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label={texts.time}
            value={time}
            onChange={(event) => change({ time: event.currentTarget.value })}
          />
        </div>
        {remove && (
          <ActionIcon aria-label={texts.removeDate(wall ? `${dayText()}, ${time}` : name)} onClick={remove}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {wall?.isSkipped && <p className="note">{texts.skipped(time, dayText(), format.time(wall.instant))}</p>}
      {wall?.second && (
        <div className="note">
          <div className="grow stack tight">
            <p>{texts.twice(time, dayText())}</p>
            <div>
              <Choice
                label={texts.which}
                options={[
                  ['first', texts.first],
                  ['second', texts.second],
                ]}
                value={isSecond ? 'second' : 'first'}
                choose={(which) => change({ isSecond: which === 'second' })}
              />
            </div>
          </div>
        </div>
      )}
      {wall && <OwnTime day={day} time={time} at={instantOf(date) ?? undefined} />}
    </div>
  );
}
