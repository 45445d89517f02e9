import { Gauge, type Registry } from 'prom-client';
import { currentHold } from '../installation/installation-store.ts';
import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { HealthPart } from '../platform/http/health.ts';
import { within } from '../platform/within.ts';

/** Minutes after which a job without a worker counts as stalled: no process is left that could report it. */
const unwatchedMinutes = 10;

/** The number of jobs of the whole installation that make no progress although nothing keeps them waiting. */
export async function countStalledSendings(control: Connection): Promise<number> {
  const { n } = await control.one<{ n: number }>(sql`
    select count(*)::int as n from facteur.sending_job
    where is_stalled or watched_at < clock_timestamp() - ${unwatchedMinutes} * interval '1 minute'`);
  return n;
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
  const soon = <T>(work: Promise<T>) => within('The database', 1_000, work);
  new Gauge({
    name: 'facteur_sending_held',
    help: '1 while an operator’s check holds all sending of the installation, otherwise 0',
    registers: [registry],
    async collect() {
      const hold = await soon(currentHold(control)).catch(() => null);
      if (hold !== null) this.set(hold ? 1 : 0);
    },
  });
  new Gauge({
    name: 'facteur_sendings_stalled',
    help: 'Sendings that make no progress although nothing keeps them waiting, or that no worker watches',
    registers: [registry],
    async collect() {
      const count = await soon(countStalledSendings(control)).catch(() => undefined);
      if (count !== undefined) this.set(count);
    },
  });
}
