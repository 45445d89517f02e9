import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { classify } from '../activity/bounce-rules.ts';
import type { Report } from './report.ts';

const kinds = ['complaint', 'dsn', 'notice', 'reply', 'unreadable', 'webhook'] as const;
const name = 'facteur_reports_lost_total';

export type LostReports = ReturnType<typeof lostReports>;

/**
 * Reports lost reports to the operator, in the log and as the metric `facteur_reports_lost_total`: by kind and size
 * only, because everything else in them is about a person.
 */
export function lostReports(log: Logger, registry: Registry) {
  const counter = counterIn(registry);
  return {
    /** A report without a known recipient. A report that is not a bounce (`not-spam`, a delay) is not lost. */
    nameless(report: Report, bytes: number): void {
      const { kind } = report;
      if (classify(report) === null) return;
      counter.inc({ kind });
      // The feedback address is public: other mail may come from anyone and means little.
      log[kind === 'reply' ? 'info' : 'warn']({ kind, bytes }, 'a report names no recipient that we signed');
    },
    /** Reports of a webhook request without a known recipient: often about other messages in the provider's account. */
    ofWebhook(count: number, about: Readonly<Record<string, unknown>>): void {
      counter.inc({ kind: 'webhook' }, count);
      log.info({ ...about, count }, 'reports of a webhook name no recipient that we signed');
    },
    unreadable(error: unknown, bytes: number): void {
      counter.inc({ kind: 'unreadable' });
      log.warn({ err: error, bytes }, 'unreadable report');
    },
  };
}

/** The counter of a registry, which the SMTP listener and the webhooks share. */
function counterIn(registry: Registry): Counter<'kind'> {
  const known = registry.getSingleMetric(name);
  if (known) return known as Counter<'kind'>;
  const counter = new Counter({
    name,
    help: 'Reports since the start that were lost: unreadable, or without a recipient that we signed',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of kinds) counter.inc({ kind }, 0);
  return counter;
}
