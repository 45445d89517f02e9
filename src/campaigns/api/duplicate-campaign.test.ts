import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDirectory } from '../../contents/directory-store.ts';
import { setDirectory } from '../../contents/object-directory-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { makeAd, makeCampaignOfTooManyLinks } from '../../testing/make-advertisement.ts';
import { until } from '../../testing/until.ts';
import type { CampaignReply } from '../campaign.ts';
import { getCampaign, setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { assign } from '../placement-store.ts';
import { listSegments } from '../segment-store.ts';
import { insertMissing, listLinks, storeLinks, trackStored, untrack } from '../tracked-link-store.ts';

const now = new Date('2026-11-20T10:00:00Z');

describe('duplicateCampaign', () => {
  let t: TestApp;
  let idTarget: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());

  const duplicate = (id: number, body: object = {}, as: 'reader' | 'editor' = 'editor') =>
    t.call('POST', `/campaigns/${id}/duplicate`, { body, as });
  const copyOf = async (id: number, body: object = {}): Promise<CampaignReply> =>
    (await duplicate(id, body)).data as CampaignReply;
  const named = (name: string) =>
    t.db.value<number>(sql`select count(*)::int as n from ${t.db.t.campaign} where name = ${name}`);
  const segmentsOf = async (id: number) =>
    (await t.call('GET', `/campaigns/${id}/segments`)).data as object[];

  it('200 copies contents, parameters, directory, segments in their order and advertisements', async () => {
    const idCampDynamic = await makeCampaign(t.db, { parameters: { name: 'Layout', mode: 'Dynamic' } });
    const id = await makeCampaign(t.db, {
      parameters: { name: 'Spring', subject: 'Now', isArchive: true, sendingSpeed: 100, isOneshot: true },
      ...{ textContent: 'T', preheader: 'P', idCampDynamic, autoHostPictures: true },
    });
    const idDirectory = await insertDirectory(t.db, { name: 'A', dirType: 'Campaign' });
    await setDirectory(t.db, 'campaign', id, idDirectory);
    const first = await makeSegment(t.db, id, { idTarget, name: 'Some', percent: 10, isRandom: true });
    await makeSegment(t.db, id, { idTarget, name: 'Not these', isExcluded: true });
    const last = await makeSegment(t.db, id, { idTarget, mailObject: 'S', senderAlias: 'A', fixedValues: 5 });
    const order = [last, first, (await listSegments(t.db, id))[1]!.id];
    await t.call('PUT', `/campaigns/${id}/segments/order`, { body: order });
    const idAdvertisement = await makeAd(t.db, '<b>Buy</b>');
    const shown = { idAdvertisement, name: 'Own', html: '<i>Own</i>' };
    await t.db.transaction((tx) => assign(tx, id, [first], [1, 2], shown));
    await setScheduleState(t.db, id, 'Programmed');
    t.clock.set('2026-11-21T08:00:00Z');
    const reply = await duplicate(id);
    t.clock.set(now.toISOString());
    expect(reply).toMatchObject({ status: 200, typeName: 'Campaign' });
    const copy: CampaignReply = reply.data;
    const original = (await t.call('GET', `/campaigns/${id}`)).data as CampaignReply;
    expect(copy).toEqual({
      ...original,
      id: copy.id,
      parameters: { ...original.parameters, name: 'Copie de Spring', isArchive: false },
      creationDate: '2026-11-21T08:00:00.000Z',
      lastUpdateDate: '2026-11-21T08:00:00.000Z',
      schedulingInfos: { calendarDates: '', type: 'None', state: 'None' },
      authorId: expect.any(Number),
      authorName: expect.any(String),
      autoHostPictures: false,
    });
    const own = { id: expect.any(Number) };
    expect(await segmentsOf(copy.id)).toEqual((await segmentsOf(id)).map((one) => ({ ...one, ...own })));
    expect(await segmentsOf(copy.id)).toMatchObject([
      { position: 1, parameters: { senderAlias: 'A' } },
      { position: 2, advertisements: [{ position: 1, html: '<i>Own</i>' }, { position: 2 }] },
      { position: 3, parameters: { isExcluded: true } },
    ]);
    expect(copy.idDirectory).toBe(idDirectory);
  });

  it('200 with a name, cut from the original one by default', async () => {
    const id = await makeCampaign(t.db, { parameters: { name: '🏠'.repeat(255) } });
    expect((await copyOf(id)).parameters.name).toBe(`Copie de ${'🏠'.repeat(246)}`);
    expect((await copyOf(id, { name: ' Autumn ' })).parameters.name).toBe('Autumn');
  });

  it('200 copies MJML only while the HTML is the one that it made', async () => {
    const id = await makeCampaign(t.db);
    const mjmlOf = async (of: number) => (await t.call('GET', `/campaigns/${of}/mjml`)).data;
    const blocks = { mjml: '<mjml></mjml>', htmlContent: '<p>1</p>' };
    await t.call('PUT', `/campaigns/${id}/mjml`, { body: blocks });
    expect(await mjmlOf((await copyOf(id)).id)).toEqual({ mjml: blocks.mjml, isCurrent: true });
    await t.call('PUT', '/campaigns', { body: { id, parameters: {}, htmlContent: '<p>2</p>' } });
    const stale = await copyOf(id);
    expect(stale.htmlContent).toBe('<p>2</p>');
    expect(await mjmlOf(stale.id)).toEqual({ mjml: '', isCurrent: false });
    const other = { mjml: '<mjml><mj-body/></mjml>', htmlContent: '<p>3</p>' };
    const rebuilt = await copyOf(id, { blocks: other });
    expect(rebuilt.htmlContent).toBe('<p>3</p>');
    expect(await mjmlOf(rebuilt.id)).toEqual({ mjml: other.mjml, isCurrent: true });
  });

  it('200 copies how links are tracked, of the contents and of each place', async () => {
    const link = (n: number) => `<a href="https://a.example/${n}">${n}</a>`;
    const id = await makeCampaign(t.db, { htmlContent: `${link(1)}${link(2)}[[ENCART.1]]` });
    const idsSegment = [
      await makeSegment(t.db, id, { idTarget }),
      await makeSegment(t.db, id, { idTarget, name: 'Second' }),
    ];
    const shown = { idAdvertisement: await makeAd(t.db, link(1)), name: null, html: null };
    await t.db.transaction((tx) => assign(tx, id, idsSegment, [1], shown));
    const stored = await storeLinks(t.db, await getCampaign(t.db, id), now, { all: false });
    const ofPlace = (idSegment: number) => stored.find((one) => one.idSegment === idSegment)!;
    const first = stored.find(({ url }) => url.endsWith('/1'))!;
    await trackStored(t.db, id, { url: first.url, placement: undefined }, (before) => ({
      ...before,
      description: 'The first',
    }));
    await untrack(t.db, id, stored.find(({ url }) => url.endsWith('/2'))!.id);
    await untrack(t.db, id, ofPlace(idsSegment[1]!).id);
    const copy = await copyOf(id);
    expect(copy.isTracked).toBe(true);
    const facts = async (of: number) => {
      const positions = new Map((await listSegments(t.db, of)).map((one) => [one.id, one.position]));
      return (await listLinks(t.db, of)).map(
        ({ url, isTracked, idSegment, parameters: { description } }) => ({
          ...{ url, isTracked, description },
          position: positions.get(idSegment ?? 0),
        }),
      );
    };
    expect((await facts(id)).filter(({ isTracked }) => !isTracked)).toHaveLength(2);
    expect(new Set(await facts(copy.id))).toEqual(new Set(await facts(id)));
    expect((await facts(copy.id)).some(({ description }) => description === 'The first')).toBe(true);
  });

  it('200 stores no links where the original has none', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<a href="https://a.example">A</a>' });
    expect((await copyOf(id)).isTracked).toBe(false);
  });

  it('200 for a copy of one version, made after a change that is under way', async () => {
    const id = await makeCampaign(t.db);
    const hold = await Hold.of(
      t.connection,
      `select from ${t.db.site.schema}.campaign where id = ${id} for no key update`,
    );
    const change = t.call('POST', `/campaigns/${id}/segments`, {
      body: { name: 'Not these', idTarget, isExcluded: true, percent: 100, fixedValues: 0 },
    });
    await hold.reached(1);
    const copied = copyOf(id);
    const waiting = sql`
      select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => (await t.db.value<number>(waiting)) === 2, 'both to wait');
    await hold.letGo();
    await change;
    expect(await segmentsOf((await copied).id)).toMatchObject([{ parameters: { isExcluded: true } }]);
  });

  it.each([
    ['a blank name', { name: ' ' }, 'parameters.name: must not be blank'],
    [
      'blocks that are no MJML',
      { blocks: { mjml: '<p>', htmlContent: '' } },
      'blocks.mjml: must be one <mjml>',
    ],
    ['blocks without HTML', { blocks: { mjml: '<mjml></mjml>' } }, 'blocks.htmlContent: is required'],
    ['an unknown property', { subject: 'S' }, 'subject: unknown member'],
  ])('400 for %s', async (_what, body, error) => {
    const reply = await duplicate(await makeCampaign(t.db), body);
    expect(reply).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown campaign', async () => {
    expect(await duplicate(999_999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('409 while another call holds the campaign; no copy remains', async () => {
    const id = await makeCampaign(t.db, { parameters: { name: 'Held' } });
    const hold = await Hold.of(
      t.connection,
      `select from ${t.db.site.schema}.campaign where id = ${id} for no key update`,
    );
    expect(await duplicate(id, { name: 'Never' })).toMatchObject({
      status: 409,
      error: `Campaign ${id} is being changed by another call; try again later`,
    });
    await hold.letGo();
    expect(await named('Never')).toBe(0);
  });

  it('422 for too many links; no copy remains', async () => {
    const id = await makeCampaignOfTooManyLinks(t.db);
    const known = {
      url: 'https://b.fr',
      origin: 'campaign',
      placement: undefined,
      isTrackable: true,
    } as const;
    await insertMissing(t.db, id, [known], now);
    expect(await duplicate(id, { name: 'Too many' })).toMatchObject({ status: 422 });
    expect(await named('Too many')).toBe(0);
  });

  it('403 for a reader', async () => {
    expect((await duplicate(await makeCampaign(t.db), {}, 'reader')).status).toBe(403);
  });
});
