import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';
import { makeHit, makeHits } from './make-activity.ts';
import { makeJob, makeReceipts } from './make-sent.ts';

/**
 * A sending to four subscribers with two links. The first one is clicked by the first reader twice and by a scanner for
 * the second; the third has only opened. Everything is of 2026-11-20, from 10:00 UTC on.
 */
export async function makeClicks(t: TestApp) {
  const { idCampaign, idJob, idsSent } = await makeJob(t.db);
  const idSent = idsSent[0]!;
  const people = await t.db.values<number>(sql`
    insert into ${t.db.t.subscriber} (fld1) select 'c' || n || ${`-${idJob}@example.org`} from generate_series(1, 4) n
    returning fld0 as id`);
  const [a, b, c, d] = people as [number, number, number, number];
  const link = (url: string) =>
    t.db.value<number>(sql`
      insert into ${t.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
      values (${idCampaign}, ${url}, ${url}, 'campaign', '{}', now()) returning id`);
  const idLink = await link(`https://shop.example/a?x=1&y=<${idJob}>`);
  const idOther = await link('https://shop.example/b');
  await makeReceipts(t.db, idJob, idSent, { accepted: [a, b, c], refused: [d] });
  const at = (time: string) => new Date(`2026-11-20T${time}Z`);
  await makeHits(t.db, [
    makeHit(idSent, a, hitKinds.open, { at: at('10:00:00') }),
    makeHit(idSent, a, hitKinds.editorial, { at: at('10:05:00'), idLink }),
    makeHit(idSent, a, hitKinds.editorial, { at: at('11:05:00'), idLink }),
    makeHit(idSent, b, hitKinds.editorial, { at: at('11:10:00'), idLink, class: hitClasses.scanner }),
    makeHit(idSent, c, hitKinds.open, { at: at('23:30:00'), class: hitClasses.mpp }),
  ]);
  return { idCampaign, idJob, idSent, idLink, idOther, people: [a, b, c, d] as const };
}
