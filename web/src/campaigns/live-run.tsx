import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { StateOf } from '../parts/state.tsx';
import { Failed, Loading, Page, useNow } from '../parts/states.tsx';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { sendingsQuery } from './campaign-query.ts';
import { newestOf } from './newest-sendings.ts';
import { People } from './people.tsx';
import { AbResult } from './report-ab-test.tsx';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useRunWords } from './report-words.ts';
import { mayChange, RunActions } from './run-actions.tsx';
import { RunContent } from './run-content.tsx';
import { Progress, useLeft } from './run-progress.tsx';
import { RunProviders } from './run-providers.tsx';
import { RunRelays } from './run-relays.tsx';
import { startOf } from './start-times.ts';
import { useLastJobsQuery } from './use-last-jobs.ts';
import { usePeopleFigure } from './use-people-figure.ts';
import { useUndoSending } from './use-undo-sending.ts';
import { Replies, useJobEvents, WhatHappened } from './what-happened.tsx';

const liveMs = 1_500;
/** Figures of this age are no longer live. */
const staleMs = 10_000;
/** Without news for so long the speed is unknown. */
const silentMs = 30_000;

type Sending = Awaited<ReturnType<ReturnType<typeof sendingsQuery>['queryFn']>>[number];

const sum = (sendings: readonly Sending[], of: (sending: Sending) => number) =>
  sendings.reduce((total, one) => total + of(one), 0);

/** What is known of a sending while it runs, renewed by the stream of events or by polling. */
function useRun(campaign: Campaign) {
  const site = useSite();
  const state = stateOf(campaign);
  const isWaiting = state === 'Programmed';
  const queries = useQueryClient();
  const known = sendingsQuery(site.name, campaign.id);
  const isStreaming = useEvents('job', true, ({ idCampaign, state: jobState }) => {
    if (idCampaign !== campaign.id) return;
    void queries.invalidateQueries({ queryKey: known.queryKey });
    // The campaign follows its job, and the screen its campaign.
    if (jobState !== 'Sending' || isWaiting) {
      void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
      void queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id, 'events'] });
    }
  });
  const live = useQuery({
    ...known,
    enabled: !isWaiting,
    refetchInterval: isStreaming ? besidesMs : liveMs,
  });
  const jobs = useLastJobsQuery([campaign]);
  const job = jobs.data?.get(campaign.id);
  const isFreezing = state === 'InProgress' && job?.jobStateName === 'Generating';
  // While the audience of a campaign is frozen again, its sendings are those of the job before.
  const sendings = isFreezing ? [] : newestOf(live.data ?? []);
  return {
    ...{ live, jobs, sendings },
    isKnown: live.data !== undefined && jobs.data !== undefined,
    idJob: isWaiting ? undefined : (sendings[0]?.idJob ?? job?.idJob),
    audience: sum(sendings, ({ nbAddressToSend }) => nbAddressToSend),
    accepted: sum(sendings, ({ nbAddressSent }) => nbAddressSent),
    /** People found so far while the audience is being frozen. */
    frozen: isFreezing ? job.nbAddressToSend : 0,
  };
}

/** A sending while it runs: how far it is, how fast, and the means to stop it. */
export function LiveRun({ campaign }: { readonly campaign: Campaign }) {
  const site = useSite();
  const state = stateOf(campaign);
  const isWaiting = state === 'Programmed';
  const { live, jobs, sendings, isKnown, idJob, audience, accepted, frozen } = useRun(campaign);
  const now = useNow();
  const isSilent = live.dataUpdatedAt > 0 && now - live.dataUpdatedAt > silentMs;
  const isCounting = state === 'InProgress' && isKnown && audience === 0;
  const left = useLeft(sendings, accepted, audience);
  const { figure, open, close } = usePeopleFigure(sendings.map(({ idSent }) => idSent));
  const scope = { idCampaign: campaign.id, idSent: undefined, sendings };
  const reason = usePauseReason(campaign, idJob);
  return (
    <Page
      title={campaign.parameters.name}
      thingOf="campaigns"
      crumb={
        <>
          <span aria-hidden>›</span>
          <span>{campaign.id}</span>
        </>
      }
      sub={
        <>
          <StateOf state={isCounting ? 'Generating' : state} />
          {!isWaiting && <Freshness at={live.dataUpdatedAt} />}
        </>
      }
      hasBar={mayChange(site, campaign)}
      actions={
        <RunActions
          campaign={campaign}
          left={left}
          accepted={isKnown ? accepted : undefined}
          isPausedByItself={Boolean(reason)}
        />
      }
    >
      {isWaiting && <Countdown campaign={campaign} />}
      {!isWaiting && (
        <>
          {state === 'Paused' && <PausedNote reason={reason} left={left} />}
          <RelayNote campaign={campaign} idJob={idJob} />
        </>
      )}
      {!(isWaiting || isKnown) && <NotKnown queries={[live, jobs]} />}
      {!isWaiting && isKnown && (
        <>
          <Progress
            name={campaign.parameters.name}
            sendings={sendings}
            open={open}
            accepted={accepted}
            audience={audience}
            frozen={frozen}
            at={live.dataUpdatedAt}
            isMoving={state === 'InProgress' && !isSilent}
          >
            <Segments sendings={sendings} open={open} />
            <RunRelays />
          </Progress>
          {sendings.length > 0 && (
            <>
              <AbResult scope={scope} withMachines={false} open={open} />
              <RunProviders scope={scope} open={open} />
              <Replies scope={scope} open={open} />
            </>
          )}
          <WhatHappened idCampaign={campaign.id} idJob={idJob} />
        </>
      )}
      <RunContent campaign={campaign} />
      <People figure={figure} close={close} scope={scope} />
    </Page>
  );
}

interface NotKnownProps {
  readonly queries: readonly {
    readonly data: unknown;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
  }[];
}

/** The shape of the progress while it is read, or why it cannot be read. */
function NotKnown({ queries }: NotKnownProps) {
  const failed = queries.find(({ data, error }) => data === undefined && error);
  return (
    <section className="card">
      {failed ? <Failed error={failed.error} retry={() => void failed.refetch()} /> : <Loading rows={4} />}
    </section>
  );
}

/** How long a run says that a relay is back. */
const backMs = 120_000;

interface RelayNoteProps {
  readonly campaign: Campaign;
  readonly idJob: number | undefined;
}

/** Says since when no relay can be used, and for a while that one can again. */
function RelayNote({ campaign, idJob }: RelayNoteProps) {
  const { format } = useWords();
  const run = useRunWords();
  const say = useServiceText();
  const now = useNow();
  const { data } = useJobEvents(campaign.id, idJob);
  const last = data?.find(({ kind }) => kind === 'relaysAway' || kind === 'relaysBack');
  if (!last || stateOf(campaign) !== 'InProgress') return null;
  if (last.kind === 'relaysBack' && now - Date.parse(last.date) > backMs) return null;
  const time = format.timeWithSeconds(new Date(last.date));
  if (last.kind === 'relaysBack')
    return (
      <p className="note" role="status">
        {run.relaysBack(time)}
      </p>
    );
  const why = say(last.reason ?? '');
  return (
    <div className="note amber" role="status">
      <p className="anywhere">
        {run.relaysAway(time)} <bdi lang={why.lang}>{why.text}</bdi>
      </p>
    </div>
  );
}

/** Why the service paused the sending; undefined if it is not paused, and after a user's pause. */
function usePauseReason(campaign: Campaign, idJob: number | undefined) {
  const { data } = useJobEvents(campaign.id, idJob);
  if (stateOf(campaign) !== 'Paused') return undefined;
  return data?.find(({ kind }) => kind === 'paused')?.reason ?? undefined;
}

interface PausedProps {
  /** Why the service paused it; undefined after a user's pause. */
  readonly reason: string | undefined;
  /** How many wait; undefined until they are counted. */
  readonly left: number | undefined;
}

/** Says that the sending is paused, why, and how many wait. */
function PausedNote({ reason, left }: PausedProps) {
  const run = useRunWords();
  const { format } = useWords();
  const why = useServiceText()(reason ?? '');
  return (
    <div className="note amber">
      <div className="stack" style={{ gap: 4 }}>
        {reason && (
          <p>
            {run.pausedByItself} <bdi lang={why.lang}>{why.text}</bdi>
          </p>
        )}
        <p>{run.paused(left === undefined ? '–' : format.count(left), format.isOne(left))}</p>
      </div>
    </div>
  );
}

/** How old the figures are. */
function Freshness({ at }: { readonly at: number }) {
  const run = useRunWords();
  const now = useNow();
  if (at === 0) return null;
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  const isStale = now - at > staleMs;
  return (
    <span className={`row ${isStale ? 'amber' : 'text-3'}`} style={{ gap: 6 }}>
      <span className={isStale ? 'dot off' : 'dot live'} aria-hidden />
      {isStale ? run.stale(seconds) : run.live(seconds)}
    </span>
  );
}

/** The time until the sending starts, in which it can be undone without a trace. */
function Countdown({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const run = useRunWords();
  const site = useSite();
  const now = useNow();
  const undo = useUndoSending(campaign);
  const at = startOf(site.name, campaign.id);
  const seconds = at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
  return (
    <section className="card">
      <div className="card-body" style={{ paddingTop: 16 }}>
        {seconds > 0 ? (
          <>
            <p className="small text-2">{run.startsIn}</p>
            <p className="big" role="timer">
              {format.length(seconds)}
            </p>
          </>
        ) : (
          <p className="big">{run.starting}</p>
        )}
        {site.may('sender') && (
          <Button mt={12} leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => void undo()}>
            {words.shell.undo}
          </Button>
        )}
      </div>
    </section>
  );
}

interface SegmentsProps {
  readonly sendings: readonly Sending[];
  readonly open: OpenPeople;
}

function Segments({ sendings, open }: SegmentsProps) {
  const { format } = useWords();
  const run = useRunWords();
  if (sendings.length < 2) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{run.segments}</h2>
      </div>
      <div className="card-body stack tight">
        {sendings.map(({ idSent, filterName, nbAddressSent, nbAddressToSend }) => (
          <div key={idSent} className="stack" style={{ gap: 6 }}>
            <p className="row small" style={{ justifyContent: 'space-between' }}>
              <bdi className="strong anywhere">{filterName}</bdi>
              <span className="text-2">
                <Figure
                  source="nbAddressSent"
                  count={nbAddressSent}
                  open={open}
                  more={{ ids: [idSent], part: filterName }}
                />{' '}
                <Figure
                  source="nbAddressToSend"
                  count={nbAddressToSend}
                  open={open}
                  more={{ ids: [idSent], part: filterName }}
                >
                  {run.of(format.count(nbAddressToSend))}
                </Figure>
              </span>
            </p>
            <div className="meter" aria-hidden>
              <i
                style={{
                  width: `${(100 * nbAddressSent) / (nbAddressToSend || 1)}%`,
                  background: 'var(--f-c1)',
                }}
              />
            </div>
          </div>
        ))}
      </div>
    </section>
  );
}
