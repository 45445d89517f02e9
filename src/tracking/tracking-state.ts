import { Gauge, type Registry } from 'prom-client';
import type { HealthPart } from '../platform/http/health.ts';
import type { RecorderState } from './hit-recorder.ts';

export interface TrackingState extends RecorderState {
  /** Clicks since the start that were redirected although they could not be recorded. */
  readonly lostClicks: number;
}

/** The part of tracking in /health/ready: not ready while hits cannot be made durable, because readers then get 503. */
export function healthOf({ trouble, aside, lostClicks }: TrackingState): HealthPart {
  return {
    isReady: trouble === undefined,
    told: {
      hitSpool: trouble === undefined ? 'writable' : `unwritable (${trouble})`,
      hitFilesSetAside: aside.files,
      hitRecordsDropped: aside.dropped,
      clicksLost: lostClicks,
    },
  };
}

/** Adds the same state as metrics, with the used disk space. */
export function addTrackingMetrics(registry: Registry, state: () => Promise<TrackingState>): void {
  const gauge = (name: string, help: string, figureOf: (found: TrackingState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(figureOf(await state()));
      },
    });
  gauge(
    'facteur_hit_spool_writable',
    '0 while hits cannot be made durable: pages and pixels return 503, and clicks are lost',
    (found) => (found.trouble === undefined ? 1 : 0),
  );
  gauge(
    'facteur_hits_set_aside_bytes',
    'Quarantined hits that wait for an operator, in bytes: refused by the database, or possibly already stored',
    ({ aside }) => aside.bytes,
  );
  gauge(
    'facteur_hit_records_dropped',
    'Records of hits that this process dropped since its start because the quarantine was full',
    ({ aside }) => aside.dropped,
  );
  gauge(
    'facteur_clicks_lost',
    'Clicks that this process redirected since its start although they could not be recorded',
    ({ lostClicks }) => lostClicks,
  );
}
