import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { dayOf } from './calendar-days.ts';
import type { Campaign } from './campaign.ts';
import { countsQuery, type Segment, segmentsQuery } from './campaign-query.ts';
import { partNames } from './conflict.tsx';
import { configurationsQuery } from './option-queries.ts';
import type { AskedVersion } from './use-asked-version.ts';
import './sending-details.css';

/** Earlier sendings whose speed is looked at. */
const lookedAt = 20;

interface SendingDetailsProps {
  readonly campaign: Campaign;
  readonly version: AskedVersion;
  /** The number of people that the user is asked about. */
  readonly count: number | undefined;
  /** Seconds until it starts; undefined if a date says when. */
  readonly startsIn?: number;
}

/** What is about to be sent: sender, subject, segments and the expected duration, of the version that is asked about. */
export function SendingDetails({ campaign, version, count, startsIn }: SendingDetailsProps) {
  const { words } = useWords();
  const { confirm } = words.composer;
  const site = useSite();
  const configurations = useQuery(configurationsQuery(site.name)).data;
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data ?? [];
  const { asked, changed } = version;
  const sender = configurations?.find(({ id }) => id === asked?.parameters.idConfiguration);
  const alias = asked?.parameters.senderAlias || sender?.senderAlias;
  const names = partNames(words);
  const isOut = ({ parameters }: Segment) => parameters.isExcluded;
  return (
    <>
      <dl className="sending-details">
        <dt>{confirm.from}</dt>
        <dd>{sender ? [alias, sender.senderEMail].filter(Boolean).join(', ') : '…'}</dd>
        <dt>{confirm.subject}</dt>
        <dd>{asked?.parameters.subject ?? '…'}</dd>
        <dt>{confirm.segments}</dt>
        <dd>
          <Segments campaign={campaign} segments={segments.filter((one) => !isOut(one))} />
        </dd>
        {segments.some(isOut) && (
          <>
            <dt>{confirm.leftOut}</dt>
            <dd>
              <Segments campaign={campaign} segments={segments.filter(isOut)} />
            </dd>
          </>
        )}
        <dt>{confirm.takes}</dt>
        <dd>
          <Duration perHour={asked?.parameters.sendingSpeed} count={count} startsIn={startsIn} />
        </dd>
      </dl>
      {changed && (
        <p className="note amber" role="alert">
          {confirm.edited(changed.map((part) => names[part]).join(', '))}
        </p>
      )}
    </>
  );
}

interface SegmentsProps {
  readonly campaign: Campaign;
  readonly segments: readonly Segment[];
}

/** Segments with their people; a segment with a subject or sender's name of its own names it. */
function Segments({ campaign, segments }: SegmentsProps) {
  const { words, format } = useWords();
  const counts = useQuery(countsQuery(useSite().name, campaign.id)).data;
  return (
    <ul>
      {segments.map(({ id, parameters: { name, isExcluded, mailObject, senderAlias } }) => {
        const count = counts?.find(({ idSegment }) => idSegment === id)?.segmentCount;
        const own = isExcluded ? [] : [senderAlias, mailObject].filter(Boolean);
        return (
          <li key={id}>
            <bdi>{name}</bdi>
            {words.shell.labelled(
              '',
              count === undefined ? '…' : words.campaigns.people(format.count(count), format.isOne(count)),
            )}
            {own.length > 0 && <span className="label text-3 block">{own.join(', ')}</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface DurationProps extends Pick<SendingDetailsProps, 'count' | 'startsIn'> {
  /** The limit of the campaign in messages an hour; 0 for none. */
  readonly perHour: number | undefined;
}

/** How long the sending takes, at the speed of the largest recent one and within the limit of the campaign. */
function Duration({ perHour, count, startsIn }: DurationProps) {
  const { words, format } = useWords();
  const { confirm } = words.composer;
  const speed = useRecentSpeed();
  if (speed === undefined || perHour === undefined || count === undefined) return '…';
  const limits = [...(speed === null ? [] : [speed]), ...(perHour > 0 ? [perHour / 3600] : [])];
  if (limits.length === 0) return confirm.takesUnknown;
  const seconds = Math.max(1, Math.ceil(count / Math.min(...limits)));
  const length = format.length(seconds);
  if (startsIn === undefined) return length;
  const end = new Date(Date.now() + (startsIn + seconds) * 1000);
  const isToday = dayOf(end) === dayOf(Date.now());
  return confirm.takesUntil(length, isToday ? format.time(end) : format.moment(end));
}

/** Messages a second of the largest of the last sendings; null if there is none, undefined until that is known. */
function useRecentSpeed(): number | null | undefined {
  const site = useSite();
  return useQuery({
    queryKey: ['campaigns', site.name, 'recent speed'],
    queryFn: async () => {
      const query = {
        'filters.hideTest': true,
        'filters.sortDesc': true,
        'filters.paginationLines': lookedAt,
      };
      const jobs = await dataOf(
        api.GET('/v1/{idsite}/statistics/jobs', { params: { path: { idsite: site.name }, query } }),
      );
      const ended = jobs.flatMap(({ startDate, endDate, nbAddressSent }) =>
        startDate && endDate && nbAddressSent > 0
          ? [{ sent: nbAddressSent, ms: Date.parse(endDate) - Date.parse(startDate) }]
          : [],
      );
      const largest = ended.sort((a, b) => b.sent - a.sent)[0];
      return largest ? (1000 * largest.sent) / Math.max(1000, largest.ms) : null;
    },
  }).data;
}
