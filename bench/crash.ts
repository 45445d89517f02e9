/**
 * Kills the sender with -9 again and again while it sends, and PostgreSQL five times, and says what became of everybody.
 * `npm run crash -- [recipients] [kills] [connections] [sink delay in ms]`; fails when anybody is lost or written to
 * twice, or more are uncertain than were in flight at the kills.
 */
import { crashRun } from '../src/testing/crash-run.ts';

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
process.exitCode = isGood ? 0 : 1;
