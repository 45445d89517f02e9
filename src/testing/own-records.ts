import { segmentParameters } from '../campaigns/segment.ts';
import { insertDirectory } from '../contents/directory-store.ts';
import { escapeUrl } from '../contents/tag-escape.ts';
import { insertThematic } from '../contents/thematic-store.ts';
import { insertImport } from '../imports/import-store.ts';
import { sql } from '../platform/db/sql.ts';
import type { Operation } from '../platform/http/operation.ts';
import type { Reply, TestApp } from './app.ts';
import {
  makeCampaign,
  makeConfiguration,
  makeSegment,
  makeSubscribers,
  makeTarget,
} from './campaign-makers.ts';
import type { Ids } from './foreign-records.ts';
import type { Call } from './isolation-matrix.ts';
import { makeJob } from './make-sent.ts';

let nextSubscriber = 1;

/** One record of each kind in the site `demo`, new ones with every call. The site has the `customFields`. */
export async function makeOwn({ app, db }: TestApp): Promise<Ids> {
  const now = app.clock.now();
  const subscriber = nextSubscriber++;
  await makeSubscribers(db, [subscriber]);
  await db.run(sql`update ${db.t.subscriber} set fld43 = fld0 where fld0 = ${subscriber}`);
  const target = await makeTarget(db, { ids: [subscriber], isTestTarget: true });
  const configuration = await makeConfiguration(db);
  const parameters = { name: 'Own', subject: 'Own', idConfiguration: configuration, idTestTarget: target };
  const campaign = await makeCampaign(db, {
    htmlContent: '<a href="https://own.example/">x</a>',
    parameters,
  });
  const segment = await makeSegment(db, campaign, { idTarget: target });
  const job = await makeJob(db, { idCampaign: campaign });
  const sentWith = JSON.stringify(
    segmentParameters({ name: 'All', idTarget: target, percent: 100, fixedValues: 0 }),
  );
  await db.run(sql`update ${db.t.sent} set parameters = ${sentWith}::jsonb where id_job = ${job.idJob}`);
  const link = await db.one<{ id: number }>(sql`
    insert into ${db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
    values (${campaign}, 'https://own.example/', 'https://own.example/', 'campaign', '{}', now()) returning id`);
  const imported = await insertImport(db, {
    idUser: 1,
    author: 'Ada',
    parameters: { filename: 'own.csv', columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1 }] },
    scheduledAt: now,
    at: now,
  });
  const directoryName = `Own ${subscriber}`;
  const thematic = { name: 'Own', idParentThematic: null, description: '', isEnabled: true };
  const directory = await insertDirectory(db, { name: directoryName, dirType: 'Campaign' });
  await db.run(sql`
    insert into ${db.t.object_directory} (kind, id_object, id_directory)
    values ('campaign', ${campaign}, ${directory}), ('target', ${target}, ${directory})`);
  return {
    target,
    campaign,
    segment,
    segmentPosition: 1,
    trackedLink: link.id,
    thematic: await insertThematic(db, thematic),
    directory,
    configuration,
    subscriber,
    field: 101,
    dateField: 103,
    job: job.idJob,
    sent: job.idsSent[0]!,
    import: imported.id,
    email: `${subscriber}@example.org`,
    directoryName,
  };
}

/** Calls an operation of the site `demo` with any input, right or wrong. */
export async function ask(
  t: TestApp,
  operation: Operation,
  { params = {}, query, body }: Call,
): Promise<Reply> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escapeUrl(String(params[name])));
  return t.call(operation.method, path, { query: query as never, body, as: 'sender' });
}
