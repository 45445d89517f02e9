import type { SignedIds } from '../activity/signed-ids.ts';
import type { App } from '../platform/app.ts';
import { countReport } from './count-report.ts';
import { recordForwarded, recordReport } from './record-report.ts';
import type { Report } from './report.ts';

/**
 * Records a report on a message, forwarded ones included, and counts it for the metrics. Durable when this resolves.
 */
export async function enterReport(app: App, report: Report, of: SignedIds, at: Date): Promise<void> {
  const { idForward } = of;
  if (idForward === undefined) await countReport(app, await recordReport(app, report, of, at), of);
  else await recordForwarded(app, report, { ...of, idForward }, at);
}
