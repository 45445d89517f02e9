import { segmentParameters } from '../campaigns/segment.ts';
import { makeAdvertisement } from '../contents/advertisement.ts';
import { insertAdvertisement } from '../contents/advertisement-store.ts';
import { advertisers } from '../contents/advertiser-store.ts';
import { affiliations } from '../contents/affiliation-store.ts';
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
import type { Call } from './id-places.ts';
import { makeAlert } from './make-alert.ts';
import { makePicture } from './make-picture.ts';
import { makeRepository } from './make-repository.ts';
import { makeJob } from './make-sent.ts';
import { putFile } from './site-files.ts';

/** For calls that name records: an id of each kind that a site has. */
export type Ids = Awaited<ReturnType<typeof makeOwn>>;

/** Above the ids that the site gives by itself, to sample people for example. */
let nextSubscriber = 100_001;
/** The name of a file that `makeOwn` writes. */
export const ownFile = 'own-list.csv';

/** One record of each kind in the site of `t.db`, new ones with every call. The site `demo` has the `customFields`. */
export async function makeOwn(t: TestApp) {
  const { app, db } = t;
  const now = app.clock.now();
  const subscriber = nextSubscriber++;
  await makeSubscribers(db, [subscriber]);
  await db.run(sql`update ${db.t.subscriber} set fld43 = fld0 where fld0 = ${subscriber}`);
  const target = await makeTarget(db, { ids: [subscriber], isTestTarget: true });
  putFile(t, ownFile, `${subscriber}@example.org\n`);
  const configuration = await makeConfiguration(db);
  const parameters = { name: 'Own', subject: 'Own', idConfiguration: configuration, idTestTarget: target };
  const campaign = await makeCampaign(db, {
    htmlContent: '<a href="https://own.example/">x</a>[[ENCART.1]]',
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
  const columnMapping = [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'a' } as const];
  const imported = await insertImport(db, {
    idUser: 1,
    author: 'Ada',
    parameters: { filename: 'own.csv', columnMapping },
    ...{ scheduledAt: now, at: now },
  });
  const { repository, exported } = await makeExport(t, target);
  const directoryName = `Own ${subscriber}`;
  const thematic = { name: 'Own', idParentThematic: null, description: '', isEnabled: true };
  const directory = await insertDirectory(db, { name: directoryName, dirType: 'Unknown' });
  await db.run(sql`
    insert into ${db.t.object_directory} (kind, id_object, id_directory)
    select kind, id, ${directory} from (values ('campaign', ${campaign}::int), ('target', ${target}),
      ('sending_configuration', ${configuration})) object(kind, id)`);
  return {
    target,
    campaign,
    segment,
    segmentPosition: 1,
    trackedLink: link.id,
    singleMessage: await makeSingleMessage(t, job.idsSent[0]!, subscriber),
    alert: await makeAlert(t, { senderDomain: `own${subscriber}.example` }),
    thematic: await insertThematic(db, thematic),
    ...(await makeAdvertising(t, segment)),
    directory,
    configuration,
    subscriber,
    field: 101,
    job: job.idJob,
    sent: job.idsSent[0]!,
    import: imported.id,
    export: exported,
    repository,
    picture: await makePicture(db, { idDirectory: directory }),
    email: `${subscriber}@example.org`,
    directoryName,
  };
}

async function makeSingleMessage({ db }: TestApp, idSent: number, idSubscriber: number): Promise<string> {
  return db.value<string>(sql`
    insert into ${db.t.single_message} (id_sent, id_subscriber, state, created_at, next_at, guid)
    values (${idSent}, ${idSubscriber}, 1, now(), now(), gen_random_uuid()) returning guid`);
}

async function makeAdvertising({ app, db }: TestApp, idSegment: number) {
  const advertiser = await advertisers.insert(db, { name: 'Own', sector: 'Other' });
  const affiliation = await affiliations.insert(db, { name: 'Own', webSite: 'https://own.example/' });
  const values = makeAdvertisement({ name: 'Own', html: '<a href="https://own.example/">x</a>' });
  const advertisement = await insertAdvertisement(db, values, 1, app.clock.now());
  const { id } = await db.one<{ id: number }>(sql`
    insert into ${db.t.segment_advertisement} (id_segment, position, id_advertisement)
    values (${idSegment}, 1, ${advertisement.id}) returning id`);
  return {
    placement: id,
    advertiser: advertiser.id,
    affiliation: affiliation.id,
    advertisement: advertisement.id,
  };
}

/** An export that has ended, since only so many may be running, and the repository it went to; their ids. */
async function makeExport({ app, db }: TestApp, idTarget: number) {
  const idRepository = await makeRepository(db, app.secrets);
  const request = { idTarget, idsFields: ['1'], idsEncodeFields: [], typeList: 'ID', encoding: 'None' };
  const at = app.clock.now();
  const { id } = await db.one<{ id: number }>(sql`
    insert into ${db.t.export_job}
      (id_user, request, id_repository, created_at, state, runs, started_at, ended_at, nb_lines)
    values (1, ${JSON.stringify(request)}, ${idRepository}, ${at}, 'COMPLETED', 1, ${at}, ${at}, 1)
    returning id`);
  await db.run(sql`update ${db.t.export_job} set state = 'FAILED' where state = 'SCHEDULED'`);
  return { repository: idRepository, exported: id };
}

/** Calls an operation of the site `demo`, or one of the administration, with any input, right or wrong. */
export async function ask(
  t: TestApp,
  operation: Operation,
  { params = {}, query, body }: Call,
  ifMatch?: string,
): Promise<Reply> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escapeUrl(String(params[name])));
  const isAdmin = operation.scope === 'admin';
  return t.call(operation.method, isAdmin ? `/admin/v1${path}` : path, {
    query: query as never,
    body,
    as: isAdmin || operation.right === 'admin' ? 'admin' : 'sender',
    ...(operation.scope === 'caller' && { site: null }),
    ...(ifMatch !== undefined && { ifMatch }),
  });
}
