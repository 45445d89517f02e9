import { Counter, Gauge, type Registry } from 'prom-client';
import type { App } from './platform/app.ts';
import { Snapshot } from './platform/snapshot.ts';
import { mailOutcomes } from './sending/sending-health.ts';
import { readServiceFigures, type ServiceFigures } from './service-figures.ts';

/** Scrapes come every 15 s or more; several monitors must not read the database more often. */
const maxAgeMs = 10_000;
/** A scrape waits for the database for at most this, and then reports what was read last. */
const patienceMs = 1_000;
/** Names that labels may hold, lowest ids first; the rest is one label, so that series stay bounded. */
const maxSites = 100;
const maxProviders = 30;
const more = '(more)';
const noProvider = '(other)';

type Labels = Record<string, string>;
/** Gives a metric's values to `set`. */
type Values = (figures: ServiceFigures, set: (labels: Labels, value: number) => void) => void;

/**
 * Metrics of the whole installation, read from the database, so that every process reports the same: in a query over
 * several instances take the maximum, not the sum. While the database is unavailable they keep their last values, and
 * `facteur_figures_age_seconds` grows.
 */
export function addServiceMetrics(registry: Registry, app: App, ageMs: number = maxAgeMs): void {
  const snapshot = new Snapshot(() => readServiceFigures(app), { maxAgeMs: ageMs, patienceMs });
  addCounters(registry, snapshot);
  addGauges(registry, snapshot);
  new Gauge({
    name: 'facteur_figures_age_seconds',
    help: 'Age of the figures that are read from the database, in seconds',
    registers: [registry],
    async collect() {
      await snapshot.get();
      if (Number.isFinite(snapshot.ageMs)) this.set(snapshot.ageMs / 1000);
    },
  });
}

/** Returns what collects a metric's values from the last figures, if there are any. */
const collecting = (snapshot: Snapshot<ServiceFigures>, values: Values) =>
  async function collect(this: Counter | Gauge): Promise<void> {
    const figures = await snapshot.get();
    if (!figures) return;
    this.reset();
    values(figures, (labels, value) => ('set' in this ? this.set(labels, value) : this.inc(labels, value)));
  };

function addCounters(registry: Registry, snapshot: Snapshot<ServiceFigures>): void {
  const counter = (name: string, help: string, labelNames: string[], values: Values) =>
    new Counter({ name, help, labelNames, registers: [registry], collect: collecting(snapshot, values) });
  const mail = ['site', 'provider', 'outcome'];
  counter('facteur_mail_total', `Messages by outcome: ${mailOutcomes.join(', ')}`, mail, (figures, set) => {
    for (const { idSite, idProvider, event, total } of figures.totals) {
      const [kind, outcome = ''] = event.split('.');
      if (kind !== 'mail') continue;
      set({ site: siteOf(figures, idSite), provider: providerOf(figures, idProvider), outcome }, total);
    }
  });
  for (const kind of ['import', 'export'] as const) {
    const help = `Runs of ${kind}s that ended, by final state`;
    counter(`facteur_${kind}s_total`, help, ['site', 'state'], (figures, set) => {
      for (const { idSite, event, total } of figures.totals) {
        const [of, state = ''] = event.split('.');
        if (of === kind) set({ site: siteOf(figures, idSite), state }, total);
      }
    });
  }
  counter('facteur_hits_total', 'Stored opens, clicks and page views', ['site'], (figures, set) => {
    for (const { idSite, event, total } of figures.totals)
      if (event === 'hit') set({ site: siteOf(figures, idSite) }, total);
  });
}

function addGauges(registry: Registry, snapshot: Snapshot<ServiceFigures>): void {
  const gauge = (name: string, help: string, labelNames: string[], values: Values) =>
    new Gauge({ name, help, labelNames, registers: [registry], collect: collecting(snapshot, values) });
  const bySite =
    (figureOf: (figures: ServiceFigures) => readonly [idSite: number, value: number][]): Values =>
    (figures, set) => {
      for (const [idSite, value] of figureOf(figures)) set({ site: siteOf(figures, idSite) }, value);
    };
  gauge(
    'facteur_mail_queue_recipients',
    'Recipients of running jobs whose range is not finished',
    ['site'],
    bySite(({ queues }) => queues.map(({ idSite, recipients }) => [idSite, recipients])),
  );
  gauge(
    'facteur_mail_queue_age_seconds',
    'Seconds since the oldest running job began; 0 without any',
    ['site'],
    bySite(({ queues }) => queues.map(({ idSite, ageS }) => [idSite, ageS])),
  );
  gauge(
    'facteur_relay_up',
    '1 for a relay that accepts connections, 0 for one that does not; absent while nothing is sent through it',
    ['relay'],
    ({ relays }, set) => {
      for (const { relay, isUp } of relays.slice(0, maxSites)) set({ relay }, isUp ? 1 : 0);
    },
  );
  gauge('facteur_tasks', 'Background tasks that are due or run', ['task', 'state'], ({ tasks }, set) => {
    for (const { task, waiting, running } of tasks) {
      set({ task, state: 'waiting' }, waiting);
      set({ task, state: 'running' }, running);
    }
  });
  const ageHelp = 'Seconds for which the oldest waiting task has been due';
  gauge('facteur_task_age_seconds', ageHelp, ['task'], ({ tasks }, set) => {
    for (const { task, ageS } of tasks) set({ task }, ageS);
  });
  gauge(
    'facteur_aggregation_backlog_hits',
    'Hits that are not aggregated yet; at most the first 1,000 batches of a site',
    ['site'],
    bySite(({ backlogs }) => backlogs.map(({ idSite, hits }) => [idSite, hits])),
  );
  gauge(
    'facteur_aggregation_backlog_ranges',
    'Ranges of recipients whose receipts are not aggregated yet; at most 10,000 of a site',
    ['site'],
    bySite(({ backlogs }) => backlogs.map(({ idSite, ranges }) => [idSite, ranges])),
  );
  gauge(
    'facteur_suspended_senders',
    'Sender domains whose messages to a provider wait because of complaints',
    ['site', 'provider'],
    suspendedSenders,
  );
}

const suspendedSenders: Values = (figures, set) => {
  const counts = new Map<string, { readonly labels: Labels; readonly count: number }>();
  for (const { idSite, idProvider } of figures.suspensions) {
    const labels = { site: siteOf(figures, idSite), provider: providerOf(figures, idProvider) };
    const key = JSON.stringify(labels);
    counts.set(key, { labels, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  for (const { labels, count } of counts.values()) set(labels, count);
};

function siteOf({ sites }: ServiceFigures, id: number): string {
  return nameOf(sites, id, maxSites);
}

function providerOf({ providers }: ServiceFigures, id: number): string {
  return id === 0 ? noProvider : nameOf(providers, id, maxProviders);
}

/** The name of one of the first `most`; ids rise, so that a name that a label has once stays. */
function nameOf(names: ReadonlyMap<number, string>, id: number, most: number): string {
  const name = names.get(id);
  const isAmong = names.size <= most || [...names.keys()].indexOf(id) < most;
  return name !== undefined && isAmong ? name : more;
}
