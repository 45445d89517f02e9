import { Button, Modal } from '@mantine/core';
import { IconArrowBackUp, IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { StateOf } from '../parts/state.tsx';
import { Page, useNow } from '../parts/states.tsx';
import { besidesMs, useEvents } from '../parts/use-events.ts';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { sendingsQuery } from './campaign-query.ts';
import { startOf } from './start-times.ts';
import { useSpeed } from './use-speed.ts';
import { useUndoSending } from './use-undo-sending.ts';

const liveMs = 1_500;
/** Figures of this age are no longer live. */
const staleMs = 10_000;

type Sending = Awaited<ReturnType<ReturnType<typeof sendingsQuery>['queryFn']>>[number];

const sum = (sendings: readonly Sending[], of: (sending: Sending) => number) =>
  sendings.reduce((total, one) => total + of(one), 0);

/** The sendings of the newest job. */
export function newestOf(sendings: readonly Sending[]): readonly Sending[] {
  const newest = Math.max(...sendings.map(({ idJob }) => idJob));
  return sendings.filter(({ idJob }) => idJob === newest);
}

/** A sending while it runs: how far it is, how fast, and the means to stop it. */
export function LiveRun({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const { run } = words;
  const site = useSite();
  const state = stateOf(campaign);
  const isWaiting = state === 'Programmed';
  const queries = useQueryClient();
  const known = sendingsQuery(site.name, campaign.id);
  const isStreaming = useEvents('job', true, ({ idCampaign, state: jobState }) => {
    if (idCampaign !== campaign.id) return;
    void queries.invalidateQueries({ queryKey: known.queryKey });
    // The campaign follows its job, and the screen its campaign.
    if (jobState !== 'Sending' || isWaiting)
      void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  });
  const live = useQuery({
    ...known,
    enabled: !isWaiting,
    refetchInterval: isStreaming ? besidesMs : liveMs,
  });
  const sendings = newestOf(live.data ?? []);
  const audience = sum(sendings, ({ nbAddressToSend }) => nbAddressToSend);
  const accepted = sum(sendings, ({ nbAddressSent }) => nbAddressSent);
  return (
    <Page
      title={campaign.parameters.name}
      crumb={
        <>
          <Link to="/$site/campaigns" params={{ site: site.name }} search={{}}>
            {words.campaigns.title}
          </Link>
          <span aria-hidden>›</span>
          <span>{campaign.id}</span>
        </>
      }
      sub={
        <>
          <StateOf state={state === 'InProgress' && audience === 0 ? 'Generating' : state} />
          {!isWaiting && <Freshness at={live.dataUpdatedAt} />}
        </>
      }
      actions={
        <Actions campaign={campaign} isWaiting={isWaiting} left={audience - accepted} accepted={accepted} />
      }
    >
      {isWaiting ? (
        <Countdown campaign={campaign} />
      ) : (
        <>
          {state === 'Paused' && (
            <p className="note amber">
              {run.paused(
                words.campaigns.people(format.count(audience - accepted), audience - accepted === 1),
              )}
            </p>
          )}
          <Progress
            accepted={accepted}
            audience={audience}
            at={live.dataUpdatedAt}
            isMoving={state === 'InProgress'}
          />
          <Segments sendings={sendings} />
        </>
      )}
    </Page>
  );
}

/** How old the figures are. */
function Freshness({ at }: { readonly at: number }) {
  const { words } = useWords();
  const now = useNow();
  if (at === 0) return null;
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  const isStale = now - at > staleMs;
  return (
    <span className={`row ${isStale ? 'amber' : 'text-3'}`} style={{ gap: 6 }}>
      <span className={isStale ? 'dot off' : 'dot live'} aria-hidden />
      {isStale ? words.run.stale(seconds) : words.run.live(seconds)}
    </span>
  );
}

/** The time until the sending starts, in which it can be undone without a trace. */
function Countdown({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
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
            <p className="small text-2">{words.run.startsIn}</p>
            <p className="big" role="timer">
              {format.length(seconds)}
            </p>
          </>
        ) : (
          <p className="big">{words.run.starting}</p>
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

interface ProgressProps {
  readonly accepted: number;
  readonly audience: number;
  readonly at: number;
  readonly isMoving: boolean;
}

function Progress({ accepted, audience, at, isMoving }: ProgressProps) {
  const { words, format } = useWords();
  const { run } = words;
  const speed = useSpeed(accepted, at);
  const left = audience - accepted;
  const seconds = isMoving && speed !== undefined && speed > 0 ? left / speed : undefined;
  useEffect(() => {
    if (audience > 0) document.title = `${Math.floor((100 * accepted) / audience)}% · ${document.title}`;
  }, [accepted, audience]);
  if (audience === 0)
    return (
      <section className="card">
        <p className="card-body text-2" style={{ paddingTop: 16 }}>
          {run.freezing}
        </p>
      </section>
    );
  return (
    <section className="card">
      <div className="card-body stack tight" style={{ paddingTop: 16 }}>
        <div className="row" style={{ justifyContent: 'space-between', alignItems: 'flex-end' }}>
          <div>
            <p className="small text-2">{run.accepted}</p>
            <p>
              <span className="big">{format.count(accepted)}</span>{' '}
              <span className="text-2">{run.of(format.count(audience))}</span>
            </p>
          </div>
          <dl className="row" style={{ gap: 32 }}>
            <Fact
              name={run.now}
              value={isMoving && speed !== undefined ? run.speed(format.count(speed)) : '–'}
            />
            <Fact name={run.left} value={seconds === undefined ? '–' : format.length(seconds)} />
            <Fact
              name={run.end}
              value={seconds === undefined ? '–' : format.time(new Date(at + seconds * 1000))}
            />
          </dl>
        </div>
        <div
          className="meter thick"
          role="img"
          aria-label={`${run.accepted}: ${format.count(accepted)} ${run.of(format.count(audience))}`}
        >
          <i style={{ width: `${(100 * accepted) / audience}%`, background: 'var(--f-c1)' }} />
        </div>
        <div className="row" style={{ gap: 24 }}>
          <Part colour="var(--f-c1)" name={run.states.accepted} value={accepted} />
          <Part colour="var(--f-track)" name={run.states.left} value={left} />
        </div>
      </div>
    </section>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt className="small text-2">{name}</dt>
    <dd style={{ fontSize: 16, lineHeight: '24px', fontWeight: 600 }}>{value}</dd>
  </div>
);

function Part({
  colour,
  name,
  value,
}: {
  readonly colour: string;
  readonly name: string;
  readonly value: number;
}) {
  const { format } = useWords();
  return (
    <span className="row small" style={{ gap: 8 }}>
      <span className="swatch" style={{ background: colour }} aria-hidden />
      <span className="text-2">{name}</span>
      <b style={{ fontWeight: 600 }}>{format.count(value)}</b>
    </span>
  );
}

function Segments({ sendings }: { readonly sendings: readonly Sending[] }) {
  const { words, format } = useWords();
  if (sendings.length < 2) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{words.run.segments}</h2>
      </div>
      <div className="card-body stack tight">
        {sendings.map(({ idSent, filterName, nbAddressSent, nbAddressToSend }) => (
          <div key={idSent} className="stack" style={{ gap: 6 }}>
            <p className="row small" style={{ justifyContent: 'space-between' }}>
              <span className="strong">{filterName}</span>
              <span className="text-2">
                {format.count(nbAddressSent)} {words.run.of(format.count(nbAddressToSend))}
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

interface ActionsProps {
  readonly campaign: Campaign;
  readonly isWaiting: boolean;
  readonly left: number;
  readonly accepted: number;
}

/** Pause at once, resume, or stop for good after a question that names the people concerned. */
function Actions({ campaign, isWaiting, left, accepted }: ActionsProps) {
  const { words } = useWords();
  const site = useSite();
  const [isAsking, setAsking] = useState(false);
  const change = useChange(campaign);
  const isPaused = stateOf(campaign) === 'Paused';
  const toggle = isPaused ? 'send-now' : 'pause';
  const maySend = site.may('sender') && !isWaiting;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function only calls the service
  const shortcuts = useMemo(
    () =>
      maySend
        ? [{ keys: 'p', label: isPaused ? words.run.resume : words.run.pause, run: () => change(toggle) }]
        : [],
    [maySend, isPaused, toggle, words],
  );
  useShortcuts(shortcuts);
  if (!maySend) return null;
  return (
    <>
      <Button
        c="var(--f-red)"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {words.run.stop}
      </Button>
      <Button
        leftSection={
          isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
        }
        onClick={() => change(toggle)}
      >
        {isPaused ? words.run.resume : words.run.pause}
      </Button>
      <StopQuestion
        campaign={campaign}
        isOpen={isAsking}
        close={() => setAsking(false)}
        left={left}
        accepted={accepted}
        isPaused={isPaused}
        change={change}
      />
    </>
  );
}

type Change = 'pause' | 'send-now' | 'stop';

function useChange(campaign: Campaign): (to: Change) => void {
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  return (to) => {
    const params = { path: { idsite: site.name } };
    const body = campaign.id;
    const calls = {
      pause: () => api.POST('/v1/{idsite}/campaigns/pause', { params, body }),
      'send-now': () => api.POST('/v1/{idsite}/campaigns/send-now', { params, body }),
      stop: () => api.POST('/v1/{idsite}/campaigns/stop', { params, body }),
    };
    void dataOf(calls[to]())
      .catch((error: unknown) => toast({ text: refusal(error) }))
      .then(() => queries.invalidateQueries({ queryKey: ['campaigns', site.name] }));
  };
}

interface StopQuestionProps extends Omit<ActionsProps, 'isWaiting'> {
  readonly isOpen: boolean;
  readonly isPaused: boolean;
  readonly close: () => void;
  readonly change: (to: Change) => void;
}

function StopQuestion({ campaign, isOpen, close, left, accepted, isPaused, change }: StopQuestionProps) {
  const { words, format } = useWords();
  const { run } = words;
  const people = (count: number) => words.campaigns.people(format.count(count), count === 1);
  const choose = (to: Change) => () => {
    close();
    change(to);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={run.stopTitle(campaign.parameters.name)}
      closeButtonProps={{ 'aria-label': words.shell.close }}
    >
      <p className="small text-2">{run.stopText(people(accepted), people(left))}</p>
      <div className="row confirm-acts" style={{ marginTop: 16 }}>
        <Button data-autofocus onClick={isPaused ? close : choose('pause')}>
          {isPaused ? words.composer.confirm.back : run.pauseInstead}
        </Button>
        <Button variant="filled" color="red" onClick={choose('stop')}>
          {run.stopConfirm(people(left))}
        </Button>
      </div>
    </Modal>
  );
}
