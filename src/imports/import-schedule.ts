import { fileNameFault } from '../files/file-name.ts';
import { unreadableName } from '../files/unpacked.ts';
import { PlannedTime, readComingTime, readTime, readTimeOfDay } from '../platform/http/planned-time.ts';
import { invalid } from '../platform/http/refusal.ts';
import { Bool, Closed, Line, Maybe, OneOf, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { frequencyUnits, nextRun, type Recurrence } from '../platform/recurrence.ts';
import { filenameAt, templateFault } from './filename-template.ts';

export const ImportRecurringInfos = Closed('ImportRecurringInfos', {
  filenameTemplate: Maybe(
    Line(
      1_024,
      'The file of each run, in place of parameters.filename: a name with {yyyy} {MM} {dd} {HH} {mm}, which stand ' +
        'for the time in Paris for which the run is planned',
    ),
  ),
  frequencyUnits: OneOf(frequencyUnits),
  frequency: Maybe(Type.Integer({ minimum: 1, maximum: 999, description: 'Every n units. Default: 1' })),
  monthDay: Maybe(
    Type.Integer({
      minimum: 0,
      maximum: 31,
      description: 'Of Month: the day, 1 to 31; in a shorter month its last one. 0 is as good as left out',
    }),
  ),
  monthDay2: Maybe(
    Line(
      50,
      'Of Month, in place of monthDay: First, Second, Third, Fourth or Last and a weekday, for example First Monday',
    ),
  ),
  weekDays: Maybe(Line(100, 'Of Week: the weekdays, separated by ; as Monday;Thursday')),
  time: Maybe(
    Line(
      8,
      'HH:mm:ss in Paris. A time that the spring change skips runs at the first instant after the gap; one that ' +
        'occurs twice in autumn runs the first time. Of Hour: what hours are counted from on the first day; ' +
        'Default: 00:00:00',
    ),
  ),
  startDate: Maybe(PlannedTime()),
  endDate: Maybe(PlannedTime()),
});
export type ImportRecurringInfos = Static<typeof ImportRecurringInfos>;

export const NewSchedulingInfos = Closed('NewImportSchedulingOnceInfos', {
  isRecurring: Maybe(Bool('Default: false')),
  scheduledDate: Maybe(
    PlannedTime('. Of a recurring import it follows from recurringInfos: left out, or as it was read'),
  ),
  recurringInfos: Maybe(ImportRecurringInfos),
});
export type NewSchedulingInfos = Static<typeof NewSchedulingInfos>;

/** The schedule of an import with an exact date or recurring dates, as the API shows it. */
export const ImportSchedulingOnceInfos = Closed('ImportSchedulingOnceInfos', {
  isRecurring: Bool(),
  scheduledDate: Timestamp('For a recurring import, its current or next run'),
  recurringInfos: Type.Union([ImportRecurringInfos, Type.Null()]),
});

/** The schedule of an immediate import, as the API shows it. */
export const ImportSchedulingInfos = Closed('ImportSchedulingInfos', { scheduledDate: Timestamp() });

/** How an import is kept: `{}` for an immediate one. */
export interface Scheduling {
  readonly isRecurring?: boolean;
  readonly recurringInfos?: ImportRecurringInfos | null;
}

/** An import that was planned: when it runs first, and what is kept of the request. */
export interface PlannedImport {
  readonly scheduledAt: Date;
  readonly scheduling: Scheduling;
}

/**
 * Reads how an import is scheduled. @throws 400 that names the member and the rule.
 * @param prefix what precedes the names of members in a refusal: the place of the schedule in the body
 */
export function readScheduling(infos: NewSchedulingInfos, now: Date, prefix: string): PlannedImport {
  const recurring = infos.recurringInfos ?? undefined;
  if (infos.isRecurring) {
    if (!recurring) throw invalid(`${prefix}recurringInfos: is required when isRecurring is true`);
    const planned = planRecurring(recurring, now, prefix);
    if (infos.scheduledDate != null) checkShownDate(infos.scheduledDate, planned, prefix);
    return planned;
  }
  if (recurring) throw invalid(`${prefix}recurringInfos: allowed only if isRecurring is true`);
  if (infos.scheduledDate == null) throw invalid(`${prefix}scheduledDate: is required`);
  const scheduledAt = readComingTime(infos.scheduledDate, `${prefix}scheduledDate`, now);
  return { scheduledAt, scheduling: { isRecurring: false, recurringInfos: null } };
}

function planRecurring(infos: ImportRecurringInfos, now: Date, prefix: string): PlannedImport {
  const of = `${prefix}recurringInfos`;
  // What is omitted, or counts as it, is shown with the value that holds.
  const given: ImportRecurringInfos = {
    filenameTemplate: infos.filenameTemplate || null,
    frequencyUnits: infos.frequencyUnits,
    frequency: infos.frequency ?? 1,
    monthDay: infos.monthDay || null,
    monthDay2: infos.monthDay2?.trim() || null,
    weekDays: infos.weekDays?.trim() || null,
    time: infos.time || (infos.frequencyUnits === 'Hour' ? '00:00:00' : null),
    startDate: infos.startDate || now.toISOString(),
    endDate: infos.endDate || null,
  };
  const recurrence = readRecurrence(given, of);
  const { start, end } = recurrence;
  if (infos.startDate && end && end < start) throw invalid(`${of}.endDate: must not be before startDate`);
  const scheduledAt = nextRun(recurrence, new Date(now.getTime() - 1));
  if (!scheduledAt) throw invalid(`${of}.endDate: no run is left before it`);
  if (given.filenameTemplate) checkTemplate(given.filenameTemplate, scheduledAt, of);
  const recurringInfos = { ...given, startDate: start.toISOString(), endDate: end?.toISOString() ?? null };
  return { scheduledAt, scheduling: { isRecurring: true, recurringInfos } };
}

/** Ignores the shown date in an import that is sent back, and rejects any other one: that run would not happen. */
function checkShownDate(
  scheduledDate: string,
  { scheduledAt, scheduling }: PlannedImport,
  prefix: string,
): void {
  const shown = readTime(scheduledDate, `${prefix}scheduledDate`);
  const isRun = (): boolean => {
    const run = nextRun(
      readRecurrence(scheduling.recurringInfos!, `${prefix}recurringInfos`),
      new Date(shown.getTime() - 1),
    );
    return run?.getTime() === shown.getTime();
  };
  // What was shown is not after the next run, and looking further would cost as much as the years to there.
  if (shown <= scheduledAt && isRun()) return;
  throw invalid(
    `${prefix}scheduledDate: follows from recurringInfos when isRecurring is true; omit it, or send it unchanged`,
  );
}

/**
 * The recurrence that its members describe. @throws 400 that names the member and the rule.
 * @param of where the recurrence is in the body
 */
export function readRecurrence(infos: ImportRecurringInfos, of = 'recurringInfos'): Recurrence {
  const unit = infos.frequencyUnits;
  const onlyOf = (name: 'weekDays' | 'monthDay' | 'monthDay2', wanted: string) => {
    if (infos[name] && unit !== wanted)
      throw invalid(`${of}.${name}: is for the frequencyUnits ${wanted} only`);
  };
  onlyOf('weekDays', 'Week');
  onlyOf('monthDay', 'Month');
  onlyOf('monthDay2', 'Month');
  if (unit === 'Week' && !infos.weekDays)
    throw invalid(`${of}.weekDays: is required for the frequencyUnits Week`);
  if (infos.monthDay && infos.monthDay2) throw invalid(`${of}.monthDay2: not allowed beside monthDay`);
  if (unit === 'Month' && !infos.monthDay && !infos.monthDay2) {
    throw invalid(`${of}.monthDay: one of monthDay and monthDay2 is required for the frequencyUnits Month`);
  }
  if (!infos.time) throw invalid(`${of}.time: is required`);
  const time = readTimeOfDay(infos.time, `${of}.time`);
  const start = readTime(infos.startDate!, `${of}.startDate`);
  const end = infos.endDate ? readTime(infos.endDate, `${of}.endDate`) : undefined;
  return {
    unit,
    every: infos.frequency ?? 1,
    time,
    byDay: infos.weekDays
      ? weekdaysOf(infos.weekDays, of)
      : infos.monthDay2
        ? [placeOf(infos.monthDay2, of)]
        : [],
    monthDay: infos.monthDay || undefined,
    start,
    end,
  };
}

const weekdays: Readonly<Record<string, string>> = {
  monday: 'MO',
  tuesday: 'TU',
  wednesday: 'WE',
  thursday: 'TH',
  friday: 'FR',
  saturday: 'SA',
  sunday: 'SU',
};
const places: Readonly<Record<string, string>> = {
  first: '1',
  second: '2',
  third: '3',
  fourth: '4',
  last: '-1',
};

function weekdaysOf(text: string, of: string): string[] {
  const words = text.split(';').map((word) => word.trim());
  return words.map((word, i) => {
    if (words.slice(0, i).some((before) => before.toLowerCase() === word.toLowerCase()))
      throw invalid(`${of}.weekDays: ${word} is listed twice`);
    const day = known(weekdays, word);
    if (!day)
      throw invalid(
        `${of}.weekDays: ${word === '' ? 'an empty word' : word} is not a weekday, for example Monday;Thursday`,
      );
    return day;
  });
}

function placeOf(text: string, of: string): string {
  const [place = '', day = '', ...more] = text.split(/\s+/);
  const [number, weekday] = [known(places, place), known(weekdays, day)];
  if (!number || !weekday || more.length > 0) {
    throw invalid(
      `${of}.monthDay2: must be First, Second, Third, Fourth or Last and a weekday, for example First Monday`,
    );
  }
  return number + weekday;
}

const known = (words: Readonly<Record<string, string>>, word: string) => {
  const lower = word.toLowerCase();
  return Object.hasOwn(words, lower) ? words[lower] : undefined;
};

function checkTemplate(template: string, planned: Date, of: string): void {
  const name = filenameAt(template, planned);
  const fault = templateFault(template) ?? fileNameFault(name) ?? unreadableName(name);
  if (fault) throw invalid(`${of}.filenameTemplate: ${fault}`);
}

/** The file of the run that is planned for an instant. */
export function filenameOf(filename: string, { recurringInfos }: Scheduling, planned: Date): string {
  const template = recurringInfos?.filenameTemplate;
  return template ? filenameAt(template, planned) : filename;
}
