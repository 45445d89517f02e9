import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { foldActivity } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { recordUnsubscription } from '../../activity/unsubscription-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { type MadeJob, makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { lastExport } from '../export-store.ts';
import { finishExport } from '../tasks/finish-export.ts';

describe('exportStatistics', () => {
  let t: TestApp;
  let tester: ExportTester;
  let sink: SmtpSink;
  let job: MadeJob;
  let idSent: number;
  let idLink: number;
  let idAdLink: number;
  let idPub: number;

  beforeAll(async () => {
    sink = await smtpSink({ keepRaw: true });
    t = await testApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } });
    tester = new ExportTester(t);
    await makeSubscribers(t.db, [1, 2, 3, 4, 5, 6, 7, 8]);
    job = await makeJob(t.db, { campaignName: '=News', nbAddressToSend: 8 });
    idSent = job.idsSent[0]!;
    await makeReceipts(t.db, job.idJob, idSent, {
      accepted: [1, 2, 3, 4, 5],
      refused: [6],
      providerOf: (id) => (id === 1 ? 1 : 0),
      at: new Date('2026-11-20T09:00:00Z'),
    });
    await makeOpenRange(t.db, job.idJob, idSent, { subscribers: [7, 8], accepted: [7], at: new Date() });
    idPub = await advertisement();
    idLink = await link('https://shop.example/', null);
    idAdLink = await link('https://ad.example/', idPub);
    const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 10, 0, second * 10));
    const { open, editorial, advertisement: ad, mirror } = hitKinds;
    await makeHits(t.db, [
      makeHit(idSent, 1, open, { at: at(1) }),
      makeHit(idSent, 1, open, { at: at(2) }),
      makeHit(idSent, 1, editorial, { idLink, at: at(3) }),
      makeHit(idSent, 2, open, { class: hitClasses.mpp, at: at(4) }),
    ]);
    await foldActivity(t.db);
    await makeHits(t.db, [
      makeHit(idSent, 3, ad, { idLink: idAdLink, at: at(5) }),
      makeHit(idSent, 3, mirror, { idLink: null, at: at(6) }),
      makeHit(idSent, 4, editorial, { idLink, class: hitClasses.scanner, at: at(7) }),
    ]);
    await makeBounce(t.db, idSent, 4, bounceClasses.soft, 'full');
    await makeBounce(t.db, idSent, 5, bounceClasses.soft, 'first');
    await makeBounce(t.db, idSent, 5, bounceClasses.hard, '=gone');
    await makeBounce(t.db, idSent, 1, bounceClasses.complaint, 'spam');
    await recordUnsubscription(t.db, { idSent, idSubscriber: 2, at: at(9), origin: 'page' });
  });
  afterAll(() => Promise.all([t.close(), sink.close()]));

  async function advertisement(): Promise<number> {
    const made = await t.call('POST', '/advertisements', { body: { name: 'Ad', html: 'x' } });
    return (made.data as { id: number }).id;
  }
  async function link(url: string, idAdvertisement: number | null): Promise<number> {
    const { id } = await t.db.one<{ id: number }>(sql`
      insert into ${t.db.t.tracked_link}
        (id_campaign, url, parsed_url, origin, id_advertisement, parameters, created_at)
      values (${job.idCampaign}, ${url}, ${url}, ${idAdvertisement ? 'advertisement' : 'campaign'}, ${idAdvertisement},
        '{}', now())
      returning id`);
    return id;
  }

  const call = (query: object, as: 'reader' | 'editor' = 'editor') =>
    t.call('POST', '/statistics/export', {
      query: { idJob: 0, idCampaign: 0, idSent: 0, idLink: 0, idPub: 0, ...query },
      as,
    });

  /** The lines of the file below its header, each as its cells by their names. */
  async function linesOf(query: object): Promise<Record<string, string>[]> {
    const { status, error, data } = await call(query);
    expect([status, error, data]).toEqual([200, null, true]);
    const { id } = (await lastExport(t.db))!;
    const done = await tester.run(id);
    expect([done.state, done.message]).toEqual(['COMPLETED', '']);
    const state = (await t.call('GET', '/exports/state', { query: { idExport: id } })).data as {
      filepath: string;
      nbLines: number;
    };
    expect(state.filepath).toMatch(/^statistics_demo_\d+_\d{14}\.csv$/);
    const [header, ...lines] = readFileSync(join(tester.folder, state.filepath), 'latin1')
      .trimEnd()
      .split('\r\n');
    expect(state.nbLines).toBe(lines.length);
    const names = header!.split(';');
    return lines.map((line) => Object.fromEntries(line.split(';').map((cell, at) => [names[at]!, cell])));
  }

  const statistics = async () =>
    (await t.call('GET', '/statistics/campaign', { query: { idCampaign: job.idCampaign } })).data as Record<
      string,
      number
    >;

  it('200: type 1 lists everybody in the audience with the outcome of their message', async () => {
    const lines = await linesOf({ statType: 1, idSent });
    expect(lines).toHaveLength((await statistics()).nbAddressToSend!);
    expect(lines[0]).toEqual({
      idCampaign: String(job.idCampaign),
      campaign: "'=News",
      idJob: String(job.idJob),
      idSent: String(idSent),
      sending: 'All',
      idSubscriber: '1',
      email: '1@example.org',
      provider: 'Gmail',
      state: 'accepted',
      code: '250',
      date: '2026-11-20 10:00:00',
    });
    const states = Object.fromEntries(lines.map(({ idSubscriber, state }) => [idSubscriber!, state]));
    expect(states).toMatchObject({ 6: 'refused', 7: 'accepted', 8: 'pending' });
  });

  it('200: type 2 lists openers, with those of mail privacy protection or without', async () => {
    const { nbOpeners, nbOpenings, nbHumanOpeners } = await statistics();
    const all = await linesOf({ statType: 2, idJob: job.idJob, mpp: true });
    expect(all.map(({ idSubscriber }) => idSubscriber)).toEqual(['1', '2', '3', '4']);
    expect(all).toHaveLength(nbOpeners!);
    expect(all.reduce((sum, { openings }) => sum + Number(openings), 0)).toBe(nbOpenings);
    expect(all.filter(({ human }) => human === '1')).toHaveLength(nbHumanOpeners!);
    expect(all[0]).toMatchObject({
      openings: '2',
      firstDate: '2026-11-20 11:00:10',
      lastDate: '2026-11-20 11:00:20',
    });
    const without = await linesOf({ statType: 2, idCampaign: job.idCampaign });
    expect(without.map(({ idSubscriber }) => idSubscriber)).toEqual(['1', '3', '4']);
  });

  it('200: type 3 lists clickers, of one link or advertisement if it is named', async () => {
    const lines = await linesOf({ statType: 3, idSent });
    expect(lines).toHaveLength((await statistics()).nbClickers!);
    expect(lines[1]).toMatchObject({
      idSubscriber: '3',
      clicks: '2',
      advertisement: '1',
      mirror: '1',
      viral: '0',
    });
    const ofLink = await linesOf({ statType: 3, idLink });
    expect(ofLink.map(({ idSubscriber }) => idSubscriber)).toEqual(['1', '4']);
    expect((await linesOf({ statType: 3, idPub })).map(({ idSubscriber }) => idSubscriber)).toEqual(['3']);
  });

  it('200: type 4 and 10 list clicks by link and by advertisement', async () => {
    expect(await linesOf({ statType: 4 })).toMatchObject([
      {
        idLink: String(idLink),
        url: 'https://shop.example/',
        idPub: '',
        clicks: '2',
        clickers: '2',
        humanClickers: '1',
      },
      { idLink: String(idAdLink), origin: 'advertisement', idPub: String(idPub), clicks: '1' },
    ]);
    expect(await linesOf({ statType: 10 })).toMatchObject([
      { idPub: String(idPub), advertisement: 'Ad', clicks: '1', clickers: '1' },
    ]);
  });

  it('200: types 5 to 8 list who left, bounced and complained, each once', async () => {
    const { nbUnsubs, nbHardBounces, nbSoftBounces, nbSpamComplaints } = await statistics();
    const counted = [nbUnsubs, nbHardBounces, nbSoftBounces, nbSpamComplaints];
    const lists = [];
    for (const statType of [5, 6, 7, 8]) lists.push(await linesOf({ statType, idSent }));
    expect(lists.map((lines) => lines.length)).toEqual(counted);
    expect(lists.map(([line]) => line!.idSubscriber)).toEqual(['2', '5', '4', '1']);
    expect(lists[1]![0]).toMatchObject({ report: "'=gone", date: '2026-11-20 10:30:00' });
  });

  it('200: type 9 lists the figures of each provider, which add up', async () => {
    const lines = await linesOf({ statType: 9, idSent });
    expect(lines.map(({ provider }) => provider)).toEqual(['Others', 'Gmail']);
    const sum = (name: string) => lines.reduce((all, line) => all + Number(line[name]), 0);
    const { nbAddressSent, nbOpeners, nbClicks } = await statistics();
    expect([sum('nbAddressSent'), sum('nbOpeners'), sum('nbClicks')]).toEqual([
      nbAddressSent,
      nbOpeners,
      nbClicks,
    ]);
  });

  it('200: test mailings are in it only if they are named', async () => {
    const test = await makeJob(t.db, { isTest: true });
    await makeReceipts(t.db, test.idJob, test.idsSent[0]!, { accepted: [1] });
    expect(await linesOf({ statType: 1 })).toHaveLength(8);
    expect(await linesOf({ statType: 1, idJob: test.idJob })).toHaveLength(1);
  });

  it('200: it is listed among the exports, and its end is reported by email', async () => {
    await linesOf({ statType: 5 });
    const { id } = (await lastExport(t.db))!;
    const shown = (await t.call('GET', `/exports/${id}`)).data as Record<string, unknown>;
    expect(shown).toMatchObject({
      idExportType: 2,
      description: '1 lines',
      exportJobSubscribers: {},
      codePage: 1252,
    });
    await finishExport.run(t.app, { idSite: t.db.site.id, idExport: id }, new AbortController().signal);
    expect(sink.messages[0]!.raw!.toString()).toMatch(/^Subject: Export of the file\.\.\. statistics_demo_/m);
  });

  it.each([
    ['idCampaign', 'idCampaign: Campaign not found'],
    ['idJob', 'idJob: Job not found'],
    ['idSent', 'idSent: Sent not found'],
    ['idLink', 'idLink: Tracked link not found'],
    ['idPub', 'idPub: Advertisement not found'],
  ])('404 for an unknown %s', async (name, error) => {
    expect(await call({ statType: 3, [name]: 999_999 })).toMatchObject({ status: 404, error });
  });

  it('404 for a job of another campaign', async () => {
    const other = await makeJob(t.db);
    const query = { statType: 1, idCampaign: other.idCampaign, idJob: job.idJob };
    expect(await call(query)).toMatchObject({ status: 404, error: 'idJob: Job not found' });
  });

  it.each([
    [{ statType: 11 }, 'statType: '],
    [{ statType: 1, idLink: 1 }, 'idLink: only clicks have one (statType 3, 4, 10); give 0'],
    [{ statType: 2, idPub: 1 }, 'idPub: only clicks have one'],
    [{}, 'statType: is required'],
  ])('400 for %j', async (query, error) => {
    expect(await call(query)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });
});
