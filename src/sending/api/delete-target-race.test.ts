import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { targetsOperations } from '../../targets/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { jobsOf } from '../../testing/sending-campaign.ts';
import { until } from '../../testing/until.ts';
import { sendingOperations } from '../operations.ts';

/** If a campaign is sent and its target deleted at the same moment, only the first call succeeds. */
describe('sendCampaignNow beside deleteTarget', () => {
  let t: TestApp;
  let idTarget: number;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: [...targetsOperations, ...sendingOperations] });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    idTarget = await makeTarget(t.db);
    id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget });
  });

  const send = () => t.call('POST', '/campaigns/send-now', { body: id });
  const remove = () => t.call('DELETE', `/targets/${idTarget}`);
  /** The second of two calls has ended, or waits for the first as that one does for the hold. */
  const standsOrEnded = (second: Promise<unknown>) => {
    const waits = until(async () => {
      const { n } = await t.db.one<{ n: number }>(sql`
        select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return n >= 2;
    }, 'the second call waits for the first');
    return Promise.race([second, waits]);
  };

  it('422 for the campaign when the target was deleted first', async () => {
    const { schema } = t.db.site;
    const rows = `select from ${schema}.target_filter where id_target = ${idTarget} for update`;
    const hold = await Hold.of(t.connection, rows);
    const removed = remove();
    await hold.reached();
    const sent = send();
    await standsOrEnded(sent);
    await hold.letGo();
    expect([(await removed).status, (await sent).status]).toEqual([200, 422]);
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it('409 for the target when the campaign was sent first', async () => {
    const hold = await Hold.of(t.connection, 'lock table graphile_worker._private_jobs in share mode');
    const sent = send();
    await hold.reached();
    const removed = remove();
    await standsOrEnded(removed);
    await hold.letGo();
    expect([(await sent).status, (await removed).status]).toEqual([200, 409]);
    expect((await t.call('GET', `/targets/${idTarget}`)).status).toBe(200);
  });
});
