import { Gauge, type Registry } from 'prom-client';
import { currentHold } from '../installation/installation-store.ts';
import type { DeliveryOutcome } from '../mail/outcome.ts';
import type { App } from '../platform/app.ts';
import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { RecentTotal } from '../platform/event-counts.ts';
import type { HealthPart } from '../platform/http/health.ts';
import { within } from '../platform/within.ts';

/** Minutes after which a job without a worker counts as stalled: no process is left that could report it. */
const unwatchedMinutes = 10;

/** The number of jobs of the whole installation that make no progress although nothing keeps them waiting. */
export async function countStalledSendings(control: Connection): Promise<number> {
  return control.value<number>(sql`
    select count(*)::int as n from facteur.sending_job
    where is_stalled or watched_at < clock_timestamp() - ${unwatchedMinutes} * interval '1 minute'`);
}

/**
 * Whether sending is held, and the number of stalled sendings, for /health/ready. A process that holds or stalls still
 * serves requests, so it is ready; an operator needs the figures. Without the database there are none.
 */
export async function sendingHealth(control: Connection): Promise<HealthPart> {
  const figures = Promise.all([currentHold(control), countStalledSendings(control)]);
  const found = await within('The database', 2_000, figures).catch(() => undefined);
  if (!found) return { isReady: true, told: {} };
  const [hold, stalledSendings] = found;
  return { isReady: true, told: { sending: hold ? 'held' : 'free', stalledSendings } };
}

/** Adds gauges of held and stalled sending, read at each scrape. Without the database they keep their values. */
export function addSendingGauges(registry: Registry, control: Connection): void {
  const add = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await within('The database', 1_000, read()).catch(() => undefined);
        if (value !== undefined) this.set(value);
      },
    });
  add(
    'facteur_sending_held',
    '1 while an operator’s check holds all sending of the installation, otherwise 0',
    async () => ((await currentHold(control)) ? 1 : 0),
  );
  add(
    'facteur_sendings_stalled',
    'Sendings that make no progress although nothing keeps them waiting, or that no worker watches',
    () => countStalledSendings(control),
  );
}

/** A relay and whether it accepts connections. */
export interface RelayState {
  /** `host:port`. */
  readonly relay: string;
  readonly isUp: boolean;
}

/** Seconds after which a relay's recorded state is no longer that of now. */
const staleAfterS = 60;
/** Hours after which it is removed. */
const keptForHours = 24;

/**
 * Records the state of the relays that a process sends through, replacing its earlier record.
 * @param owner the process
 */
export async function noteRelayStates(
  control: Connection,
  owner: string,
  states: readonly RelayState[],
): Promise<void> {
  const relays = sql`${states.map(({ relay }) => relay)}::text[]`;
  await control.run(sql`
    with gone as (
      delete from facteur.relay_state
      where at < clock_timestamp() - ${keptForHours} * interval '1 hour'
        and not (process = ${owner} and relay = any(${relays})))
    insert into facteur.relay_state (relay, process, is_up, at)
    select relay, ${owner}, bool_or(is_up), clock_timestamp()
    from unnest(${relays}, ${states.map(({ isUp }) => isUp)}::boolean[]) s (relay, is_up)
    group by relay
    on conflict (relay, process) do update set is_up = excluded.is_up, at = excluded.at`);
}

/** The relays in use; one is up if any process has a connection to it. */
export async function relayStates(control: Connection): Promise<RelayState[]> {
  return control.rows<RelayState>(sql`
    select relay, bool_or(is_up) as "isUp" from facteur.relay_state
    where at >= clock_timestamp() - ${staleAfterS} * interval '1 second'
    group by relay order by relay`);
}

/** A relay as it was when messages were last sent through it. */
export interface LastRelayState extends RelayState {
  readonly at: Date;
}

/** The last states of some relays, within a day; those that were not used are omitted. */
export async function lastRelayStates(
  control: Connection,
  relays: readonly string[],
): Promise<LastRelayState[]> {
  return control.rows<LastRelayState>(sql`
    select relay, bool_or(is_up) as "isUp", max(at) as at
    from (
      select *, max(at) over (partition by relay) as newest from facteur.relay_state
      where relay = any(${relays}::text[]) and at >= clock_timestamp() - ${keptForHours} * interval '1 hour') s
    where at >= newest - ${staleAfterS} * interval '1 second'
    group by relay order by relay`);
}

/** Outcomes that the metrics count. */
export const mailOutcomes = [
  'accepted',
  'deferred',
  'refused',
  'uncertain',
  'bounced',
  'complained',
] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

/** The site of a message and the provider of its recipient (0 means none of the listed ones). */
export interface MailTo {
  readonly idSite: number;
  readonly idProvider: number;
}

const outcomeOf: Readonly<Record<DeliveryOutcome['kind'], MailOutcome | undefined>> = {
  accepted: 'accepted',
  deferred: 'deferred',
  refused: 'refused',
  unknown: 'uncertain',
  notAttempted: undefined,
};

export function countMail({ counts }: App, to: MailTo, outcome: MailOutcome): void {
  counts?.count({ ...to, event: `mail.${outcome}` });
}

/** Counts the result of one attempt to deliver a message. */
export function countDelivery(app: App, to: MailTo, { kind }: DeliveryOutcome): void {
  const outcome = outcomeOf[kind];
  if (outcome) countMail(app, to, outcome);
}

/** A provider that defers many of the messages that are offered to it. */
export interface DeferringProvider {
  readonly idProvider: number;
  /** Attempts to deliver a message in the last minutes. */
  readonly nbAttempts: number;
  /** Attempts that it deferred. */
  readonly nbDeferred: number;
  /** From when on it has deferred as much. */
  readonly since: Date;
}

/** The step in which attempts are counted is never whole, so the one before it counts as well. */
const recentS = 1_200;
/** Fewer deferrals than this say nothing: each retry of one message is an attempt. */
const fewestDeferred = 10;
/** The share of attempts from which a provider counts as deferring. Greylisting by a few domains is below it. */
const leastShare = 0.1;

const attempts: ReadonlySet<string> = new Set(
  (['accepted', 'deferred', 'refused', 'uncertain'] satisfies MailOutcome[]).map((name) => `mail.${name}`),
);

interface Counted {
  nbAttempts: number;
  nbDeferred: number;
}
const isDeferring = ({ nbAttempts, nbDeferred }: Counted) => nbDeferred >= leastShare * nbAttempts;

/** The providers that defer at least a tenth of the attempts of the last minutes, the largest share first. */
export function deferringProviders(totals: readonly RecentTotal[]): DeferringProvider[] {
  const ids = new Set(totals.map(({ idProvider }) => idProvider));
  const all = [...ids].flatMap((idProvider) => {
    const own = totals.filter((one) => one.idProvider === idProvider && attempts.has(one.event));
    const recent = countedOf(own.filter(({ ageS }) => ageS < recentS));
    if (recent.nbDeferred < fewestDeferred || !isDeferring(recent)) return [];
    return [{ idProvider, ...recent, since: sinceOf(own) }];
  });
  const shareOf = ({ nbAttempts, nbDeferred }: DeferringProvider) => nbDeferred / nbAttempts;
  return all.sort((a, b) => shareOf(b) - shareOf(a) || a.idProvider - b.idProvider);
}

function countedOf(totals: readonly RecentTotal[]): Counted {
  const sum = (of: readonly RecentTotal[]) => of.reduce((n, { total }) => n + total, 0);
  return {
    nbAttempts: sum(totals),
    nbDeferred: sum(totals.filter(({ event }) => event === 'mail.deferred')),
  };
}

/** The beginning of the steps up to now in each of which the provider deferred. */
function sinceOf(totals: readonly RecentTotal[]): Date {
  const steps = [...new Set(totals.map(({ at }) => at.getTime()))].sort((a, b) => b - a);
  const isStep = (step: number) => isDeferring(countedOf(totals.filter(({ at }) => at.getTime() === step)));
  // The step that has just begun may have too few attempts to show it.
  const whole = steps.length > 1 && !isStep(steps[0]!) ? steps.slice(1) : steps;
  const fine = whole.findIndex((step) => !isStep(step));
  return new Date(whole[fine === -1 ? whole.length - 1 : Math.max(0, fine - 1)]!);
}
