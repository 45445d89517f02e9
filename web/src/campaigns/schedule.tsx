import { Button, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useAct } from '../parts/use-act.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { parisInstant } from '../targets/paris-time.ts';
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

/** The next date of a campaign that waits for one. */
const dateOf = (campaign: Campaign): string | undefined =>
  isScheduled(campaign) ? datesOf(campaign)[0] : undefined;

interface SchedulePartProps {
  readonly campaign: Campaign;
  /** Stores what is not saved yet; false if that failed. */
  readonly save: () => Promise<boolean>;
  /** Leads to the place where a finding is put right. */
  readonly goTo: (finding: Finding) => void;
}

/** When the campaign is sent: a date for those who may send, who then confirm how many people get it. */
export function SchedulePart({ campaign, save, goTo }: SchedulePartProps) {
  const { words, format } = useWords();
  const { composer, campaignParts } = words;
  const maySend = useSite().may('sender');
  const date = dateOf(campaign);
  return (
    <section className="composer-form" aria-label={campaignParts.tabs.schedule}>
      <h2>{campaignParts.tabs.schedule}</h2>
      {maySend ? (
        <Dates campaign={campaign} save={save} goTo={goTo} />
      ) : (
        <p className="small text-2">
          {date ? composer.schedule.on(format.moment(date)) : composer.schedule.none}
        </p>
      )}
    </section>
  );
}

function Dates({ campaign, save, goTo }: SchedulePartProps) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const setDates = useSetDates(campaign);
  const [day, setDay] = useState(() => dayOf(Date.now() + dayMs));
  const [time, setTime] = useState(usualTime);
  const [isOpen, setOpen] = useState(false);
  const isComplete = day !== '' && time !== '';
  // The typed wall time is shown as it is; noon is on the same day in every time zone of Europe.
  const moment = isComplete ? `${format.day(`${day}T12:00:00Z`)}, ${time}` : '…';
  const close = () => setOpen(false);
  const act = async () => {
    await setDates([`${day}T${time}:00`]);
    toast({ text: schedule.done(campaign.parameters.name, moment) });
  };
  return (
    <>
      <div className="schedule-inputs">
        <TextInput
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
      {isComplete && <OwnTime day={day} time={time} />}
      <p className="small text-2">{schedule.text(moment)}</p>
      {isScheduled(campaign) && <p className="note ink">{schedule.replaces}</p>}
      <div>
        <Button
          variant="filled"
          leftSection={<IconClock size={16} aria-hidden />}
          disabled={!isComplete}
          onClick={() => void save().then((isSaved) => isSaved && setOpen(true))}
        >
          {isScheduled(campaign) ? schedule.change : schedule.button}
        </Button>
      </div>
      <Review
        campaign={campaign}
        isOpen={isOpen}
        close={close}
        goTo={goTo}
        title={(people) => schedule.title(campaign.parameters.name, people)}
      >
        {(audience, people) => (
          <Confirmation
            audience={audience}
            text={schedule.text(moment)}
            label={schedule.confirm(people)}
            act={act}
            close={close}
          >
            {isComplete && <OwnTime day={day} time={time} />}
          </Confirmation>
        )}
      </Review>
    </>
  );
}

/** The start on the clocks of Paris and of the user, if these differ. */
function OwnTime({ day, time }: { readonly day: string; readonly time: string }) {
  const { words, format } = useWords();
  const instant = parisInstant(`${day}T${time}`);
  if (instant === null) return null;
  // Without a time zone: that of the browser. Noon of a day in UTC is on that day in Paris.
  const [ownDay = '', ownTime = ''] = new Date(instant).toLocaleString('sv-SE').split(' ');
  const own = ownTime.slice(0, 5);
  if (ownDay === day && own === time) return null;
  const there = ownDay === day ? own : `${format.day(`${ownDay}T12:00:00Z`)}, ${own}`;
  return <p className="small">{words.composer.schedule.inBothZones(time, there)}</p>;
}

interface WhenProps {
  readonly campaign: Campaign;
  /** Leads to the part that sets the date. */
  readonly plan: () => void;
}

/** When a sending starts, in the rail, and the way to the part that sets it. */
export function When({ campaign, plan }: WhenProps) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const { settings } = useMe();
  const date = dateOf(campaign);
  return (
    <section>
      <div className="rail-head">
        <h2>{schedule.when}</h2>
        {useSite().may('sender') && (
          <button type="button" className="link small" onClick={plan}>
            {date ? schedule.change : schedule.plan}
          </button>
        )}
      </div>
      <p className="small text-2">
        {date
          ? schedule.on(format.moment(date))
          : schedule.atOnce(format.length(settings.sendDelayInSeconds))}
      </p>
    </section>
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
  const act = useAct();
  const setDates = useSetDates(campaign);
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data;
  const counts = useQuery(countsQuery(site.name, campaign.id)).data;
  const dates = datesOf(campaign);
  if (!isScheduled(campaign) || dates.length === 0) return null;
  const isDaily = campaign.schedulingInfos.type === 'Daily';
  const count = segments && counts ? audienceOf(segments, counts) : undefined;
  const remove = async () => {
    await setDates([]);
    toast({
      text: schedule.removed(campaign.parameters.name),
      seconds: 10,
      // The days of a daily schedule are not known here.
      ...(!isDaily && { undo: () => setDates(dates) }),
    });
  };
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
        <button type="button" className="link" onClick={() => act(remove)}>
          {schedule.remove}
        </button>
      )}
    </div>
  );
}
