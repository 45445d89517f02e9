import fc from 'fast-check';
import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { campaignTypes } from '../contents/campaign-type.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, sql } from '../platform/db/sql.ts';
import type { ModelCampaign, ModelLink, ModelReception, ModelSent, ModelSite } from './activity-model.ts';
import { makeCampaign } from './campaign-makers.ts';
import { addCustomFields } from './custom-fields.ts';
import { modelCountries, modelPostcodes } from './geolocation-model.ts';
import { makeHit, makeHits } from './make-activity.ts';
import { makeAd } from './make-advertisement.ts';
import { makeJob, makeOpenRange, makeReceipts } from './make-sent.ts';

/** Three thematics, of which only campaigns and links of the first two are about one. */
const thematics = 3;
const people = 60;
const dayMs = 86_400_000;
const newest = Date.parse('2026-11-20T22:30:00Z');

// Instants that rules turn on: the midnights of Paris around today, of a Monday, and of the changes of the clocks.
const edges = [
  ...['2026-11-20T23:00:00Z', '2026-11-19T23:00:00Z', '2026-11-18T23:00:00Z', '2026-11-15T23:00:00Z'],
  ...['2026-11-08T23:00:00Z', '2026-10-26T23:00:00Z', '2026-10-25T23:00:00Z', '2026-10-25T01:00:00Z'],
  ...['2026-10-24T22:00:00Z', '2026-10-20T22:00:00Z', '2026-09-20T22:00:00Z', '2026-05-23T22:00:00Z'],
  ...['2026-03-29T01:00:00Z', '2026-03-28T23:00:00Z'],
].flatMap((iso) => [-1, 0, 1].map((ms) => new Date(Date.parse(iso) + ms)));

const ago = (days: number) => fc.integer({ min: 0, max: days * dayMs }).map((ms) => new Date(newest - ms));
const anyInstant = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...edges) },
  { weight: 3, arbitrary: ago(35) },
  { weight: 3, arbitrary: ago(260) },
);

/** Most messages are of the last weeks, to which filters on pressure look. */
const anyReception = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...edges.slice(0, 24)) },
  { weight: 2, arbitrary: ago(35) },
  { weight: 1, arbitrary: anyInstant },
);

const anySubscriber = fc.record({
  status: fc.constantFrom(0, 0, 1),
  delivery: fc.constantFrom(0, 0, 0, 1, 2, 3),
  text: fc.constantFrom(null, 'Élodie', 'elodie', 'Zoé', 'a%b', 'axb'),
  points: fc.constantFrom(null, 0, 1, 2, 7),
  born: fc.option(anyInstant),
  isClient: fc.constantFrom(null, true, false),
  postcode: fc.constantFrom(...modelPostcodes),
  country: fc.constantFrom(...modelCountries),
});

/** Bounds of a list of one length. */
const exactly = (length: number) => ({ minLength: length, maxLength: length });
const orNone = (count: number) => fc.option(fc.nat(count - 1));

/**
 * A site of 60 people who got about 10 sendings over 260 days, with facts of people who no longer exist. Sendings,
 * links and so on are named by their position in its lists.
 */
export const anySite = fc
  .record({
    subscribers: fc.array(anySubscriber, exactly(people)),
    campaigns: fc.array(
      fc.record({ type: fc.constantFrom(...campaignTypes.slice(0, 3)), thematic: orNone(2) }),
      exactly(5),
    ),
    // One test mailing at least, and the last campaign has nothing else.
    jobs: fc
      .array(
        fc.record({
          campaign: fc.nat(3),
          isTest: fc.constant<boolean>(false),
          sents: fc.integer({ min: 1, max: 2 }),
        }),
        { minLength: 6, maxLength: 8 },
      )
      .map((jobs) => [
        ...jobs,
        { campaign: 0, isTest: true, sents: 1 },
        { campaign: 4, isTest: true, sents: 1 },
      ]),
    links: fc.array(orNone(2), exactly(8)),
  })
  .chain((plan) => {
    const sents = plan.jobs.reduce((sum, job) => sum + job.sents, 0);
    const who = { sent: fc.nat(sents - 1), idSubscriber: fc.integer({ min: 1, max: people + 5 }) };
    return fc
      .record({
        hits: fc.array(
          fc.record({
            ...who,
            kind: fc.constantFrom(hitKinds.open, hitKinds.open, ...Object.values(hitKinds)),
            class: fc.constantFrom(...Object.values(hitClasses)),
            isViral: fc.boolean(),
            link: orNone(plan.links.length),
            at: anyInstant,
          }),
          { minLength: 600, maxLength: 800, size: 'max' },
        ),
        receptions: fc.array(fc.tuple(anyReception, anyReception), exactly(sents)).chain((times) =>
          fc.uniqueArray(
            fc
              .record({
                ...who,
                isAccepted: fc.nat(5).map((n) => n > 0),
                isDone: fc.boolean(),
                second: fc.boolean(),
              })
              .map(({ second, ...one }) => ({ ...one, at: times[one.sent]![second ? 1 : 0]! })),
            {
              selector: ({ sent, idSubscriber }) => `${sent} ${idSubscriber}`,
              minLength: 250,
              maxLength: 350,
              size: 'max',
            },
          ),
        ),
      })
      .map((facts) => ({ ...plan, ...facts }));
  });

type SitePlan = typeof anySite extends fc.Arbitrary<infer Plan> ? Plan : never;

/**
 * Stores a site as it was drawn, in an empty one.
 * @param halfway is called when half of the facts are stored: what is done there is done to a part of them only.
 */
export async function buildSite(
  db: SiteDb,
  plan: SitePlan,
  halfway: (db: SiteDb) => Promise<void> = async () => {},
): Promise<ModelSite> {
  const fields = await addCustomFields(db);
  const subscribers = plan.subscribers.map((drawn, i) => ({
    id: i + 1,
    row: new Map<number, string | number | boolean | Date | null>([
      [0, i + 1],
      [7, drawn.status],
      [40, drawn.postcode],
      [41, drawn.country],
      [44, drawn.delivery],
      [101, drawn.text],
      [102, drawn.points],
      [103, drawn.born],
      [104, drawn.isClient],
    ]),
  }));
  for (const { id, row } of subscribers) {
    const columns = [...row.keys()].map((field) => raw(`fld${field}`));
    const values = [...row.values()];
    await db.run(sql`
      insert into ${db.t.subscriber} (fld1, ${join(columns)})
      values (${`${id}@example.org`}, ${join(values)})`);
  }
  const idsThematic = await makeThematics(db);
  const { campaigns, sents } = await makeCampaigns(db, plan, idsThematic);
  const links = await makeLinks(db, plan, campaigns[0]!.idCampaign, idsThematic);
  const hits = plan.hits.map((hit) => ({
    ...hit,
    idSent: sents[hit.sent]!.idSent,
    isPixel: hit.kind === hitKinds.open,
    isMpp: hit.class === hitClasses.mpp,
    idLink: hit.kind === hitKinds.open || hit.link === null ? null : links[hit.link]!.idLink,
  }));
  const receptions = plan.receptions.map((one) => ({ ...one, idSent: sents[one.sent]!.idSent }));
  const store = async (half: 0 | 1) => {
    const ofHalf = <T>(all: readonly T[]) => all.filter((_, i) => i % 2 === half);
    await makeHits(
      db,
      ofHalf(hits).map((h) =>
        makeHit(h.idSent, h.idSubscriber, h.kind, {
          at: h.at,
          class: h.class,
          isViral: h.isViral,
          idLink: h.idLink,
        }),
      ),
    );
    await storeReceptions(db, sents, ofHalf(receptions));
  };
  await store(0);
  await halfway(db);
  await store(1);
  return { fields, subscribers, thematics: idsThematic, campaigns, sents, links, hits, receptions };
}

async function makeThematics(db: SiteDb): Promise<number[]> {
  return db.values<number>(sql`
    insert into ${db.t.thematic} (name) select 'T' || n from generate_series(1, ${thematics}::int) n returning id`);
}

async function makeCampaigns(
  db: SiteDb,
  plan: SitePlan,
  idsThematic: readonly number[],
): Promise<{ campaigns: ModelCampaign[]; sents: ModelSent[] }> {
  const campaigns: ModelCampaign[] = [];
  for (const { type, thematic } of plan.campaigns) {
    const idThematic = thematic === null ? null : idsThematic[thematic]!;
    const idCampaign = await makeCampaign(db, { parameters: { type, idThematic } });
    campaigns.push({ idCampaign, type, idThematic });
  }
  const sents: ModelSent[] = [];
  for (const job of plan.jobs) {
    const { idCampaign } = campaigns[job.campaign]!;
    const { idJob, idsSent } = await makeJob(db, { idCampaign, isTest: job.isTest, sents: job.sents });
    for (const idSent of idsSent) sents.push({ idSent, idJob, idCampaign, isTest: job.isTest });
  }
  return { campaigns, sents };
}

async function makeLinks(
  db: SiteDb,
  plan: SitePlan,
  idCampaign: number,
  idsThematic: readonly number[],
): Promise<ModelLink[]> {
  const links: ModelLink[] = [];
  for (const [i, thematic] of plan.links.entries()) {
    const idThematic = thematic === null ? null : idsThematic[thematic]!;
    const url = `https://example.org/${i}`;
    const isOfCampaign = i % 2 === 0;
    const about = idThematic === null ? [] : [idThematic];
    const idAdvertisement = isOfCampaign ? null : await makeAd(db, '', { idsThematic: about });
    const parameters = JSON.stringify(isOfCampaign ? { idThematic } : {});
    const row = await db.one<{ id: number }>(sql`
      insert into ${db.t.tracked_link}
        (id_campaign, url, parsed_url, origin, id_advertisement, parameters, created_at)
      values (${idCampaign}, ${url}, ${url}, ${isOfCampaign ? 'campaign' : 'advertisement'}, ${idAdvertisement},
        ${parameters}::jsonb, now())
      returning id`);
    links.push({ idLink: row.id, idThematic });
  }
  return links;
}

/** A range of the audience for each sending, time and state of completion. */
async function storeReceptions(
  db: SiteDb,
  sents: readonly ModelSent[],
  receptions: readonly (ModelReception & { readonly isDone: boolean })[],
): Promise<void> {
  const keyOf = (one: (typeof receptions)[number]) => `${one.idSent} ${one.isDone} ${one.at.getTime()}`;
  for (const key of new Set(receptions.map(keyOf))) {
    const group = receptions.filter((one) => keyOf(one) === key);
    const { idSent, isDone, at } = group[0]!;
    const { idJob } = sents.find((sent) => sent.idSent === idSent)!;
    const accepted = group.filter((one) => one.isAccepted).map((one) => one.idSubscriber);
    const refused = group.filter((one) => !one.isAccepted).map((one) => one.idSubscriber);
    if (isDone) await makeReceipts(db, idJob, idSent, { accepted, refused, at });
    else await makeOpenRange(db, idJob, idSent, { subscribers: [...accepted, ...refused], accepted, at });
  }
}
