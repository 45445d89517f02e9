/**
 * Kills the sender with -9 again and again while it sends, and PostgreSQL five times, and reports the outcome of every
 * recipient. `npm run crash -- [recipients] [kills] [connections] [sink delay in ms]`; fails if a recipient is lost or
 * emailed twice, or if more are uncertain than were in flight at the kills. Then it ends the whole program by SIGTERM,
 * with replies that come 50 s later: real seconds, because no clock can be moved for leases, slots and processes alike.
 */
import { crashRun } from '../src/testing/crash-run.ts';
import { stopRun } from '../src/testing/stop-run.ts';

const [recipients = 20_000, kills = 6, connections = 10, sinkDelayMs = 1] = process.argv.slice(2).map(Number);
const plan = { recipients, kills, connections, sinkDelayMs, postgresKills: 5 };
const { result, openAtKills, ...report } = await crashRun({ ...plan, log: (line) => console.log(line) });
const { 1: accepted = 0, 4: uncertain = 0 } = result.receipts;
const inFlight = openAtKills.reduce((sum, open) => sum + open, 0);
console.log({ ...plan, ...report, state: result.state, accepted, uncertain, openAtKills });
const isGood =
  accepted + uncertain === recipients &&
  report.twice + report.lost + report.unexplained + result.open === 0 &&
  report.held === undefined &&
  uncertain <= inFlight &&
  Math.max(...openAtKills) <= connections;
console.log(isGood ? 'kept: nobody lost, nobody twice' : 'BROKEN');

const stop = await stopRun(50_000);
console.log(stop);
const hasWaited = stop.exitCode === 0 && stop.result.receipts[1] === 40 && stop.stopSeconds > 50;
console.log(hasWaited ? 'kept: a reply after 50 s leaves nobody uncertain' : 'BROKEN: the stop');
process.exitCode = isGood && hasWaited ? 0 : 1;
