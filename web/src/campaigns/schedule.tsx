import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { audienceOf } from './audience.tsx';
import { type Campaign, datesOf, isScheduled } from './campaign.ts';
import { countsQuery, segmentsQuery } from './campaign-query.ts';
import { Confirmation, Review } from './confirm-sending.tsx';
import type { Finding } from './finding-words.ts';

const dayMs = 86_400_000;
const usualTime = '09:00';

/** The day in Paris, as an input of dates has it. */
const dayOf = (ms: number): string => new Date(ms).toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });

interface ScheduleProps {
  readonly campaign: Campaign;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Leads to the place where a finding is put right. */
  readonly goTo: (finding: Finding) => void;
}

/** Chooses when the campaign is sent, and names how many people get it. */
export function Schedule({ campaign, isOpen, close, goTo }: ScheduleProps) {
  const { words } = useWords();
  return (
    <Review
      campaign={campaign}
      isOpen={isOpen}
      close={close}
      goTo={goTo}
      title={(people) => words.composer.schedule.title(campaign.parameters.name, people)}
    >
      {(count, people) => <Dates campaign={campaign} count={count} people={people} close={close} />}
    </Review>
  );
}

interface DatesProps extends Omit<ScheduleProps, 'isOpen' | 'goTo'> {
  readonly count: number | undefined;
  readonly people: string;
}

function Dates({ campaign, count, people, close }: DatesProps) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const setDates = useSetDates(campaign);
  const [day, setDay] = useState(() => dayOf(Date.now() + dayMs));
  const [time, setTime] = useState(usualTime);
  const isComplete = day !== '' && time !== '';
  // The typed wall time is shown as it is; noon is on the same day in every time zone of Europe.
  const moment = isComplete ? `${format.day(`${day}T12:00:00Z`)}, ${time}` : '…';
  const act = async () => {
    await setDates([`${day}T${time}:00`]);
    toast({ text: schedule.done(campaign.parameters.name, moment) });
  };
  return (
    <Confirmation
      count={isComplete ? count : undefined}
      text={schedule.text(moment)}
      label={schedule.confirm(people)}
      act={act}
      close={close}
    >
      <div className="schedule-inputs">
        <TextInput
          data-autofocus
          type="date"
          label={schedule.day}
          min={dayOf(Date.now())}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <TextInput
          type="time"
          label={schedule.time}
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
      </div>
      {isScheduled(campaign) && <p className="note ink">{schedule.replaces}</p>}
    </Confirmation>
  );
}

/** Replaces the dates of the campaign; none removes its schedule. */
function useSetDates(campaign: Campaign): (dates: string[]) => Promise<void> {
  const site = useSite();
  const queries = useQueryClient();
  return async (dates) => {
    const params = { path: { idsite: site.name, idCampaign: campaign.id } };
    await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/schedule/calendar', { params, body: dates }));
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  };
}

/** When a scheduled campaign starts and to how many people, and the button that removes its schedule. */
export function ScheduleNote({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const site = useSite();
  const refusal = useRefusal();
  const setDates = useSetDates(campaign);
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data;
  const counts = useQuery(countsQuery(site.name, campaign.id)).data;
  const dates = datesOf(campaign);
  if (!isScheduled(campaign) || dates.length === 0) return null;
  const isDaily = campaign.schedulingInfos.type === 'Daily';
  const count = segments && counts ? audienceOf(segments, counts) : undefined;
  const failed = (error: unknown) => toast({ text: refusal(error) });
  const remove = () =>
    setDates([]).then(
      () =>
        toast({
          text: schedule.removed(campaign.parameters.name),
          seconds: 10,
          // The days of a daily schedule are not known here.
          ...(!isDaily && { undo: () => setDates(dates).catch(failed) }),
        }),
      failed,
    );
  return (
    <div className="note ink">
      <span className="grow">
        {schedule.starts(
          format.moment(dates[0]!),
          count === undefined ? '…' : words.campaigns.people(format.count(count), count === 1),
        )}
        {isDaily ? ` ${schedule.daily}` : dates.length > 1 && ` ${schedule.more(dates.length - 1)}`}
      </span>
      {site.may('sender') && (
        <button type="button" className="link" onClick={() => void remove()}>
          {schedule.remove}
        </button>
      )}
    </div>
  );
}
