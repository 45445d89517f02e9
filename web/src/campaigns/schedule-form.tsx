import { Button } from '@mantine/core';
import { IconClock, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { Choice } from '../parts/choice.tsx';
import { DailyFields, useRuleWords } from '../parts/daily-fields.tsx';
import { comingDates, faultOf, ruleOf } from '../parts/daily-rule.ts';
import { DraftNote } from '../parts/draft-note.tsx';
import { OwnTime } from '../parts/own-time.tsx';
import { useScheduleWords } from '../parts/schedule-words.ts';
import { type FormDraft, useFormDraft } from '../parts/use-form-draft.ts';
import { useMe } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useOpened } from '../shell/use-opened.ts';
import { useWords } from '../words/words.tsx';
import { dayOf, timeOf } from './calendar-days.ts';
import { type Campaign, isScheduled } from './campaign.ts';
import { type AskedAudience, Confirmation, Review } from './confirm-sending.tsx';
import type { Finding } from './finding-words.ts';
import { instantsOf, ScheduleDates, type TypedDate, typedDate } from './schedule-dates.tsx';
import { SendingDetails } from './sending-details.tsx';
import {
  firstRule,
  isSameSchedule,
  type Schedule,
  useReadSchedule,
  useSetSchedule,
} from './stored-schedule.ts';
import { useAskedVersion } from './use-asked-version.ts';

const dayMs = 86_400_000;
const usualTime = '09:00';
/** Dates that the question lists. */
const listedDates = 5;

type Way = 'now' | 'dates' | 'daily';

export interface ScheduleFormProps {
  readonly campaign: Campaign;
  /** Stores what is not saved yet; false if that failed. */
  readonly save: () => Promise<boolean>;
  /** Leads to the place where a finding is put right. */
  readonly goTo: (finding: Finding) => void;
  /** Asks before the campaign is sent now; undefined while it waits for a date. */
  readonly sendNow: (() => void) | undefined;
  /** The schedule that the campaign waits for; without dates if there is none. */
  readonly stored: Schedule;
}

/** What is typed, beginning with the stored schedule, and kept until it is stored. */
function useTyped(draft: FormDraft, stored: Schedule) {
  const tomorrow = dayOf(Date.now() + dayMs);
  const stay: readonly TypedDate[] =
    stored.rule || stored.dates.length === 0
      ? [{ day: tomorrow, time: usualTime, isSecond: false }]
      : stored.dates.map(typedDate);
  const [way, setWay] = draft.field<Way>('way', stored.rule ? 'daily' : 'dates');
  const [dates, setDates] = draft.field('dates', stay);
  const [rule, setRule] = draft.field('rule', firstRule(stored.rule, tomorrow, usualTime));
  const typed = (): Schedule | undefined => {
    if (way === 'dates') {
      const instants = instantsOf(dates);
      return instants && { dates: instants };
    }
    if (way === 'now' || faultOf(rule, stored.rule)) return undefined;
    const next = ruleOf(rule, stored.rule);
    return { dates: comingDates(next, Date.now()).next, rule: next };
  };
  // Nobody has typed or stored it.
  const isProposed =
    draft.began('dates') === undefined && (stored.rule !== undefined || stored.dates.length === 0);
  return { way, setWay, dates, isProposed, setDates, rule, setRule, schedule: typed() };
}

/** Chooses when a campaign is sent: now, at some dates, or every few days. */
export function ScheduleForm({ campaign, save, goTo, sendNow, stored }: ScheduleFormProps) {
  const { words } = useWords();
  const { schedule: texts } = words.composer;
  const own = useScheduleWords();
  const draft = useFormDraft('schedule', campaign.id);
  const typed = useTyped(draft, stored);
  const { way, schedule } = typed;
  // The question is about what was typed when it opened.
  const [asked, ask] = useState<Schedule>();
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    if (!(await save())) return;
    ask(schedule);
    setOpen(true);
  };
  return (
    <>
      {draft.isRestored && <DraftNote discard={draft.discard} />}
      <div>
        <Choice
          label={own.ways.label}
          options={(['now', 'dates', 'daily'] as const).map((one) => [one, own.ways[one]] as const)}
          value={way}
          choose={typed.setWay}
        />
      </div>
      {way === 'now' && <Now sendNow={sendNow} />}
      {way === 'dates' && (
        <ScheduleDates dates={typed.dates} isProposed={typed.isProposed} change={typed.setDates} />
      )}
      {way === 'daily' && (
        <DailyFields
          value={typed.rule}
          change={(part) => typed.setRule((before) => ({ ...before, ...part }))}
          stored={stored.rule}
        />
      )}
      {way !== 'now' && (
        <>
          <ScheduleText schedule={schedule} />
          {isScheduled(campaign) && <p className="note ink">{texts.replaces}</p>}
          <div>
            <Button
              variant="filled"
              leftSection={<IconClock size={16} aria-hidden />}
              disabled={!schedule}
              onClick={() => void open()}
            >
              {isScheduled(campaign) ? texts.change : texts.button}
            </Button>
          </div>
        </>
      )}
      {asked && (
        <ConfirmSchedule
          campaign={campaign}
          asked={asked}
          stored={stored}
          isOpen={isOpen}
          close={() => setOpen(false)}
          goTo={goTo}
          done={draft.discard}
        />
      )}
    </>
  );
}

/** The way to send a campaign now. */
function Now({ sendNow }: Pick<ScheduleFormProps, 'sendNow'>) {
  const { words, format } = useWords();
  const own = useScheduleWords();
  const { settings } = useMe();
  if (!sendNow) return <p className="note">{own.isPlanned}</p>;
  return (
    <>
      <p className="small text-2">{own.nowText(format.length(settings.sendDelayInSeconds))}</p>
      <div>
        <Button variant="filled" leftSection={<IconSend size={16} aria-hidden />} onClick={sendNow}>
          {words.composer.review}
        </Button>
      </div>
    </>
  );
}

/** What a schedule means, in words. */
function useScheduleText(): (schedule: Schedule | undefined) => string {
  const { words, format } = useWords();
  const own = useScheduleWords();
  const inWords = useRuleWords();
  return (schedule) => {
    const [first, ...others] = schedule?.dates ?? [];
    const moment = first ? format.moment(first) : '…';
    if (schedule?.rule) return own.textOfDaily(moment, inWords(schedule.rule));
    if (others.length === 0) return words.composer.schedule.text(moment);
    return own.textOfMany(moment, format.count(others.length), format.isOne(others.length));
  };
}

function ScheduleText({ schedule }: { readonly schedule: Schedule | undefined }) {
  return <p className="small text-2">{useScheduleText()(schedule)}</p>;
}

interface ConfirmScheduleProps extends Pick<ScheduleFormProps, 'campaign' | 'goTo' | 'stored'> {
  readonly asked: Schedule;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly done: () => void;
}

/** Names how many people get the campaign and when, and schedules it. */
function ConfirmSchedule({ campaign, isOpen, close, goTo, ...question }: ConfirmScheduleProps) {
  const { schedule } = useWords().words.composer;
  return (
    <Review
      campaign={campaign}
      isOpen={useOpened(isOpen)}
      close={close}
      goTo={goTo}
      title={(people) => schedule.title(campaign.parameters.name, people)}
    >
      {(audience, people) => (
        <Question campaign={campaign} audience={audience} people={people} close={close} {...question} />
      )}
    </Review>
  );
}

/** The first date of a schedule, as `OwnTime` has it. */
function startOf({ dates }: Schedule) {
  const at = dates[0]!;
  return { day: dayOf(at), time: timeOf(at).slice(0, 5), at };
}

interface QuestionProps
  extends Pick<ConfirmScheduleProps, 'campaign' | 'asked' | 'stored' | 'close' | 'done'> {
  readonly audience: AskedAudience;
  readonly people: string;
}

/** Names what is sent and when. Starts over each time the dialog opens. */
function Question({ campaign, asked, stored, audience, people, close, done }: QuestionProps) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const own = useScheduleWords();
  const inWords = useRuleWords();
  const text = useScheduleText();
  const version = useAskedVersion(campaign);
  const read = useReadSchedule(campaign);
  const set = useSetSchedule(campaign);
  const [known, setKnown] = useState(stored);
  const [changed, setChanged] = useState<Schedule>();
  const isUnchanged = async () => {
    const now = await read();
    if (isSameSchedule(known, now)) return true;
    setKnown(now);
    setChanged(now);
    return false;
  };
  const stillHolds = async () => {
    const found = await Promise.all([audience.stillHolds(), version.stillHolds(), isUnchanged()]);
    return found.every(Boolean);
  };
  const act = async () => {
    await set(asked);
    done();
    toast({ text: schedule.done(campaign.parameters.name, format.moment(asked.dates[0]!)) });
  };
  const left = asked.dates.length - listedDates;
  const dates = asked.rule ? [] : asked.dates;
  const inShort = ({ rule, dates: all }: Schedule) =>
    rule ? inWords(rule) : all.map((date) => format.moment(date)).join('; ') || own.removed;
  return (
    <Confirmation
      audience={{ ...audience, stillHolds }}
      isReady={version.asked !== undefined}
      text={text(asked)}
      label={schedule.confirm(people)}
      act={act}
      close={close}
    >
      <OwnTime {...startOf(asked)} />
      {dates.length > 1 && (
        <p className="small text-2">
          {dates
            .slice(0, listedDates)
            .map((date) => format.moment(date))
            .join('; ')}
          {left > 0 && `; ${own.andMore(format.count(left))}`}
        </p>
      )}
      {/* A new schedule is a new version too; what has changed is said below. */}
      <SendingDetails
        campaign={campaign}
        version={changed && version.changed?.length === 0 ? { ...version, changed: undefined } : version}
        count={audience.count}
      />
      {changed && (
        <p className="note amber" role="alert">
          {own.changed(inShort(changed))}
        </p>
      )}
    </Confirmation>
  );
}
