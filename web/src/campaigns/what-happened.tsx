import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { renewMs, renewOf } from './renewal.ts';
import { mostSendings, type Scope } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';

type JobEvent = components['schemas']['JobEvent'];

const ends: readonly JobEvent['kind'][] = ['finished', 'stopped', 'failed'];
const hasEnded = (events: readonly JobEvent[] | undefined): boolean =>
  events?.some(({ kind }) => ends.includes(kind)) ?? false;

/** What happened in a job, newest first; renewed until the job has ended. */
export function useJobEvents(idCampaign: number, idJob: number | undefined) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, idCampaign, 'events', idJob],
    enabled: idJob !== undefined,
    // Nothing follows its end.
    staleTime: ({ state: { data } }) => (hasEnded(data) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state: { data } }) => !hasEnded(data) && renewMs,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/job-events', {
          params: { path: { idsite: site.name }, query: { idJob: idJob! } },
        }),
      ),
  });
}

interface HappenedProps {
  readonly idCampaign: number;
  readonly idJob: number | undefined;
}

/** The course of a job: who did what, and the first reply of each kind after which it went on. */
export function WhatHappened({ idCampaign, idJob }: HappenedProps) {
  const { format } = useWords();
  const report = useReportWords();
  const say = useEventText();
  const { data, error, refetch } = useJobEvents(idCampaign, idJob);
  if (idJob === undefined) return null;
  return (
    <section className="card" aria-label={report.happened}>
      <div className="card-head">
        <h2>{report.happened}</h2>
      </div>
      {!data && (error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={3} />)}
      <ol className="happened">
        {data?.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events of one moment differ in nothing else
          <li key={`${event.date} ${index}`}>
            <time className="small text-3" dateTime={event.date}>
              {format.day(event.date)}, {format.timeWithSeconds(new Date(event.date))}
            </time>
            <p>
              {say(event)}
              {event.reason && event.kind !== 'finished' && (
                <>
                  {' '}
                  <Reason text={event.reason} />
                </>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Why a job was paused, or how it ended. */
function Reason({ text }: { readonly text: string }) {
  const { text: said, lang } = useServiceText()(text);
  return (
    <span className="small text-2" lang={lang}>
      {said}
    </span>
  );
}

function useEventText(): (event: JobEvent) => string {
  const { words, format } = useWords();
  const { events, noCode } = useReportWords();
  return ({ kind, userName, code, nbPeople }) => {
    const people = words.campaigns.people(format.count(nbPeople), format.isOne(nbPeople));
    switch (kind) {
      case 'started':
        return nbPeople === 0 ? events.freezing : events.started(people);
      case 'deferred':
      case 'rejected':
      case 'expired':
        return events[kind](code === 0 ? noCode : String(code), people);
      case 'relaysAway':
      case 'relaysBack':
      case 'finished':
      case 'failed':
        return events[kind];
      default:
        return userName === null ? events.alone[kind] : events[kind](userName);
    }
  };
}

/** Replies shown, the most frequent first. */
const mostRows = 12;

/**
 * The replies of mail servers to the newest sendings in scope, or to the recipients of one provider.
 * @param patience how many times longer than usual they are kept before they are read again
 */
export function useReplies({ idCampaign, sendings }: Scope, idFai: number | undefined, patience = 1) {
  const site = useSite();
  const shown = sendings.slice(-mostSendings);
  const ids = shown.map(({ idSent }) => idSent);
  const renew = renewOf(shown);
  return useQuery({
    queryKey: ['campaign', site.name, idCampaign, 'replies', ids, idFai],
    staleTime: renew === false ? Number.POSITIVE_INFINITY : 0,
    // To read that a few sendings have none costs little.
    refetchInterval: ({ state: { data } }) =>
      renew && (data?.length ? patience : Math.min(patience, ids.length)) * renew,
    queryFn: async () => {
      const all = await Promise.all(
        ids.map(async (idSent) => {
          const query = { idSent, ...(idFai !== undefined && { idFai }) };
          const params = { path: { idsite: site.name }, query };
          const replies = await dataOf(api.GET('/v1/{idsite}/statistics/server-replies', { params }));
          return replies.map((one) => ({ ...one, idSent }));
        }),
      );
      const rows = new Map<string, { text: string; count: number; ids: number[] }>();
      for (const { reply, text, nbPeople, idSent } of all.flat()) {
        const known = rows.get(reply) ?? { text: '', count: 0, ids: [] };
        rows.set(reply, {
          text: known.text || text,
          count: known.count + nbPeople,
          ids: [...known.ids, idSent],
        });
      }
      return [...rows].map(([reply, row]) => ({ reply, ...row })).sort((a, b) => b.count - a.count);
    },
  });
}

/** What mail servers replied, by code; each opens its people. */
export function Replies({ scope, open }: { readonly scope: Scope; readonly open: OpenPeople }) {
  const report = useReportWords();
  const { data = [], error, refetch } = useReplies(scope, undefined);
  const hasFailed = error && data.length === 0;
  // Most sendings have none, so that no shape of them is shown while they are read.
  if (data.length === 0 && !hasFailed) return null;
  return (
    <section className="card flush" aria-label={report.replies}>
      <div className="card-head">
        <h2>{report.replies}</h2>
      </div>
      {hasFailed ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <ReplyTable replies={data} open={open} />
      )}
    </section>
  );
}

interface ProviderRepliesProps {
  readonly scope: Scope;
  readonly idFai: number;
  readonly open: OpenPeople;
}

/** What the servers of one provider replied, by code; each opens its people. */
export function ProviderReplies({ scope, idFai, open }: ProviderRepliesProps) {
  const report = useReportWords();
  const { data, error, refetch } = useReplies(scope, idFai);
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  if (data.length === 0) return <p className="small text-2">{report.noReplies}</p>;
  return <ReplyTable replies={data} open={open} idFai={idFai} />;
}

interface ReplyTableProps {
  readonly replies: NonNullable<ReturnType<typeof useReplies>['data']>;
  readonly open: OpenPeople;
  readonly idFai?: number;
}

function ReplyTable({ replies, open, idFai }: ReplyTableProps) {
  const report = useReportWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{report.reply}</th>
          <th className="num">{report.peopleColumn}</th>
        </tr>
      </thead>
      <tbody>
        {replies.slice(0, mostRows).map(({ reply, text, count, ids }) => (
          <tr key={reply}>
            <td className="title">
              <span className="strong">{reply === 'none' ? report.noCode : reply}</span>
              {text && (
                <p className="small text-3 anywhere">
                  <bdi>{text}</bdi>
                </p>
              )}
            </td>
            <td className="num" data-label={report.peopleColumn}>
              <Figure source="nbWithReply" count={count} open={open} more={{ reply, ids, idFai }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
