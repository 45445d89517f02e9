import { useQuery } from '@tanstack/react-query';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { Failed } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { audienceOf } from './audience.tsx';
import { type Campaign, datesOf, isScheduled } from './campaign.ts';
import { countsQuery, segmentsQuery } from './campaign-query.ts';
import type { ScheduleFormProps } from './schedule-form.tsx';
import { useSetSchedule, useStoredSchedule } from './stored-schedule.ts';

const RuleText = lazyPart(async () => (await import('../parts/daily-fields.tsx')).RuleText);
const ScheduleForm = lazyPart(async () => (await import('./schedule-form.tsx')).ScheduleForm);

/** The next date of a campaign that waits for one. */
const dateOf = (campaign: Campaign): string | undefined =>
  isScheduled(campaign) ? datesOf(campaign)[0] : undefined;

/** When the campaign is sent: chosen by those who may send, who then confirm how many people get it. */
export function SchedulePart({ campaign, ...props }: Omit<ScheduleFormProps, 'stored'>) {
  const { words, format } = useWords();
  const { composer, campaignParts } = words;
  const maySend = useSite().may('sender');
  const { stored, isRead, error, retry } = useStoredSchedule(campaign);
  const date = dateOf(campaign);
  return (
    <section className="composer-form" aria-label={campaignParts.tabs.schedule}>
      <h2>{campaignParts.tabs.schedule}</h2>
      {maySend ? (
        <Opened>
          {isRead ? (
            <ScheduleForm campaign={campaign} stored={stored} {...props} />
          ) : error ? (
            <Failed error={error} retry={retry} />
          ) : (
            <p className="small text-3">{words.shell.loading}</p>
          )}
        </Opened>
      ) : (
        <p className="small text-2">
          {date ? composer.schedule.on(format.moment(date)) : composer.schedule.none}
        </p>
      )}
    </section>
  );
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

/** When a scheduled campaign starts and to how many people, and the button that removes its schedule. */
export function ScheduleNote({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const { schedule } = words.composer;
  const site = useSite();
  const act = useAct();
  const setSchedule = useSetSchedule(campaign);
  const { stored, isRead } = useStoredSchedule(campaign);
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data;
  const counts = useQuery(countsQuery(site.name, campaign.id)).data;
  const dates = datesOf(campaign);
  if (!isScheduled(campaign) || dates.length === 0) return null;
  const isDaily = campaign.schedulingInfos.type === 'Daily';
  const count = segments && counts ? audienceOf(segments, counts) : undefined;
  const remove = async () => {
    await setSchedule({ dates: [] });
    toast({
      text: schedule.removed(campaign.parameters.name),
      seconds: 10,
      ...(isRead && { undo: () => setSchedule(stored) }),
    });
  };
  return (
    <div className="note ink">
      <span className="grow">
        {schedule.starts(
          format.moment(dates[0]!),
          count === undefined ? '…' : words.campaigns.people(format.count(count), format.isOne(count)),
        )}
        {isDaily ? (
          stored.rule ? (
            <Opened>
              <RuleText rule={stored.rule} />
            </Opened>
          ) : (
            ` ${schedule.daily}`
          )
        ) : (
          dates.length > 1 && ` ${schedule.more(dates.length - 1)}`
        )}
      </span>
      {site.may('sender') && (
        <button type="button" className="link" onClick={() => act(remove)}>
          {schedule.remove}
        </button>
      )}
    </div>
  );
}
