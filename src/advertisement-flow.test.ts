import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, readToken } from './activity/link-token.ts';
import type { TrackedUrl } from './campaigns/tracked-link.ts';
import { insertThematic } from './contents/thematic-store.ts';
import { sql } from './platform/db/sql.ts';
import { generateJob } from './sending/tasks/generate-job.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeConfiguration, makeSubscribers, makeTarget } from './testing/campaign-makers.ts';
import { jobsOf } from './testing/sending-campaign.ts';
import { SendingTester } from './testing/sending-tester.ts';
import type { SmtpSink } from './testing/smtp-sink.ts';
import { browser, type TrackingServer, trackingServer } from './testing/tracking-server.ts';
import { until } from './testing/until.ts';

const shop = 'https://shop.example/';
const sale = 'https://sale.example/';

// The whole way over the operations, with a real mail server and a real tracking server.
describe('a campaign with advertisements, from its making to its figures', () => {
  let t: TestApp;
  let sink: SmtpSink;
  let sending: SendingTester;
  let server: TrackingServer;
  let idCampaign: number;
  let links: TrackedUrl[];
  let idThematic: number;

  beforeAll(async () => {
    t = await testApp();
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true, maxConnections: 2 });
    await makeSubscribers(t.db, [1, 2, 3, 4]);
    sending.engine();
    server = await trackingServer(t.app);
    await send();
  });
  afterAll(async () => {
    await server.close();
    await sending.end();
    await t.close();
  });

  /** Calls an operation, and returns its data as the type that the caller knows. */
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await t.call(method, path, { body });
    expect([path, reply.error, reply.status]).toEqual([path, null, 200]);
    return reply.data as T;
  }

  /** Two segments of two readers each: `first` has the sale with a note inside of it, `second` its own words. */
  async function send(): Promise<void> {
    const idConfiguration = await makeConfiguration(t.db, '[[ENCART.2]]<a href="[[LINK.UNSUB]]">Out</a>');
    const idTestTarget = await makeTarget(t.db, { ids: [4], isTestTarget: true });
    const parameters = { name: 'Spring', subject: 'Hello', idConfiguration, idTestTarget };
    // The same address is in the content and in the advertisement.
    const htmlContent =
      `<html><body><p>Hello</p>[[ENCART.1]]<a href="${sale}">Sale</a>` +
      `<a href="${shop}">Shop</a></body></html>`;
    idCampaign = (await ask<{ id: number }>('POST', '/campaigns', { parameters, htmlContent })).id;
    for (const [name, ids] of [
      ['first', [1, 2]],
      ['second', [3, 4]],
    ] as const) {
      const idTarget = await makeTarget(t.db, { ids });
      await ask('POST', `/campaigns/${idCampaign}/segments`, {
        name,
        idTarget,
        percent: 100,
        fixedValues: 0,
        isRandom: true,
      });
    }
    idThematic = await insertThematic(t.db, {
      idParentThematic: null,
      name: 'Sale',
      description: '',
      isEnabled: true,
    });
    const ad = await ask<{ id: number }>('POST', '/advertisements', {
      name: 'Sale',
      html: `<p>For [[FLD.1]]: <a href="${sale}">sale</a> [[ENCART.3]]</p>`,
      idsThematic: [idThematic],
    });
    const note = await ask<{ id: number }>('POST', '/advertisements', {
      name: 'Note',
      html: '<a href="https://note.example/?e=[[FLD.0]]">note</a>',
    });
    const assign = (segment: number, body: object) =>
      ask('PUT', `/campaigns/${idCampaign}/segments/${segment}/advertisement`, body);
    await assign(1, { position: 1, idAdvertisement: ad.id });
    await assign(1, { position: 3, idAdvertisement: note.id });
    await assign(2, {
      position: 1,
      idAdvertisement: ad.id,
      name: 'Own',
      html: `<i><a href="${sale}">own</a></i>`,
    });
    const early = await t.call('POST', '/campaigns/send-now', { body: idCampaign });
    expect(early).toMatchObject({
      status: 422,
      error: 'The campaign is not ready: no advertisement at [[ENCART.2]] (segments 1, 2)',
    });
    await assign(0, { position: 2, idAdvertisement: note.id });
    links = await ask('POST', '/campaigns/tracked-links', idCampaign);
    await ask('POST', '/campaigns/send-now', idCampaign);
    await generateLast();
    expect(sink.messages).toHaveLength(4);
  }

  const lastJob = async () => (await jobsOf(t.db, idCampaign)).at(-1)!;

  async function generateLast(): Promise<void> {
    const { id: idJob } = await lastJob();
    await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
    await until(async () => (await lastJob()).state === 'Finished', 'the job is finished');
  }

  async function htmlFor(reader: number): Promise<string> {
    const message = sink.messages.find((one) => one.to.includes(`${reader}@example.org`));
    return (await PostalMime.parse(message!.raw!)).html ?? '';
  }

  /** Where each link of a message leads, by its text. */
  async function hrefs(reader: number): Promise<Record<string, string>> {
    const found = [...(await htmlFor(reader)).matchAll(/<a href="([^"]+)">(\w+)<\/a>/g)];
    return Object.fromEntries(
      found.map(([, href, text]) => [text, href!.replace(/^https?:\/\/[^/]+/, server.url)]),
    );
  }

  const visit = (address: string) =>
    fetch(address, { redirect: 'manual', headers: { 'user-agent': browser } });

  it('shows the place of each link', () => {
    const told = links.map((link) => [
      link.url,
      link.origin,
      link.idSegment === null,
      link.idAdvertisement === null,
    ]);
    const ad = [sale, 'advertisement', false, false];
    const note = ['https://note.example/?e=[[FLD.0]]', 'advertisement', false, false];
    expect(told).toEqual([
      ad,
      note,
      [sale, 'campaign', true, true],
      [shop, 'campaign', true, true],
      note,
      ad,
      note,
    ]);
    expect(new Set(links.map((link) => link.id)).size).toBe(7);
    const places = links.flatMap(({ idAdvertisementInSegment }) => idAdvertisementInSegment ?? []);
    expect(new Set(places).size).toBe(5);
  });

  it('sends each segment its own advertisements, filled for each reader', async () => {
    const [first, second] = [await htmlFor(1), await htmlFor(3)];
    expect(first).toMatch(/<p>For 1@example\.org: <a href="[^"]+">sale<\/a> <a href="[^"]+">note<\/a><\/p>/);
    expect(second).toMatch(/<i><a href="[^"]+">own<\/a><\/i>/);
    expect(second).not.toContain('sale</a>');
    for (const html of [first, second]) {
      expect(html).not.toContain('[[');
      expect(html).not.toContain(sale);
      expect(html).toMatch(/note<\/a><a href="[^"]+">Out<\/a>/);
    }
  });

  it('counts clicks exactly, by the place of the link', async () => {
    const [one, two, three] = [await hrefs(1), await hrefs(2), await hrefs(3)];
    expect((await visit(one.sale!)).headers.get('location')).toBe(sale);
    expect((await visit(one.Sale!)).headers.get('location')).toBe(sale);
    expect((await visit(one.note!)).headers.get('location')).toBe('https://note.example/?e=1');
    await visit(two.sale!);
    await visit(three.own!);
    await visit(three.own!);
    await visit(three.Shop!);
    await server.settle();
    const query = { idCampaign };
    const figures = (await t.call('GET', '/statistics/campaign', { query })).data;
    expect(figures).toMatchObject({
      nbAd: 5,
      nbLinks: 7,
      nbClicks: 7,
      nbClickers: 3,
      nbAdClicks: 5,
      nbAdClickers: 3,
      nbEditoClicks: 2,
      nbEditoClickers: 2,
    });
  });

  it('selects by the thematic of an advertisement who clicked on its links', async () => {
    const { id } = await ask<{ id: number }>('POST', '/targets', { name: 'On sale' });
    const filter = {
      idTarget: id,
      fromNbDays: 30,
      action: 'Click',
      didAnAction: true,
      idsThematics: [idThematic],
    };
    await ask('PUT', '/targets/filters/thematic', { ...filter, isFilterEnabled: true });
    expect(await ask('GET', `/targets/${id}/count`)).toBe(3);
  });

  it('sends a test mailing with the advertisements of its segment, and counts none of it', async () => {
    await ask('POST', `/campaigns/${idCampaign}/test-mailing`, 1);
    await generateLast();
    const { raw } = sink.messages.at(-1)!;
    expect(sink.messages).toHaveLength(5);
    const { html } = await PostalMime.parse(raw!);
    expect(html).toMatch(/<p>For 4@example\.org: <a href="[^"]+">sale<\/a> <a href="[^"]+">note<\/a><\/p>/);
    sink.messages.pop();
    const query = { idCampaign };
    expect((await t.call('GET', '/statistics/campaign', { query })).data).toMatchObject({
      nbjob: 1,
      nbAd: 5,
    });
  });

  it('shows the segment’s message on the mirror page and with the job, as it was sent', async () => {
    // Later changes do not reach recipients who have the message.
    await t.db.run(sql`update ${t.db.t.advertisement} set html = 'changed', name = 'changed'`);
    const [job] = await jobsOf(t.db, idCampaign);
    const query = { idCampaign, idJob: job!.id, includeContent: true };
    const reply = await t.call('GET', '/campaigns/job-sendings', { query });
    const [first, second] = reply.data as {
      sent: { idSent: number; msgHtml: string };
      segment: { advertisements: { position: number; name: string; html: string }[] };
    }[];
    expect(first!.sent.msgHtml).toContain(`For [[FLD.1]]: <a href="${sale}">sale</a> <a href="https://note`);
    expect(second!.sent.msgHtml).toContain(`<i><a href="${sale}">own</a></i>`);
    expect(first!.segment.advertisements.map(({ position, name }) => [position, name])).toEqual([
      [1, 'Sale'],
      [2, 'Note'],
      [3, 'Note'],
    ]);
    expect(second!.segment.advertisements[0]).toMatchObject({ position: 1, name: 'Own' });
    expect(await mirrored(first!.sent.idSent, 1)).toEqual({
      sale: idOf('advertisement', 0),
      Sale: idOf('campaign', 0),
    });
    expect(await mirrored(second!.sent.idSent, 3)).toEqual({
      own: idOf('advertisement', 1),
      Sale: idOf('campaign', 0),
    });
  });

  /** The id of the sale's link at a place. */
  const idOf = (origin: string, at: number) =>
    links.filter((link) => link.url === sale && link.origin === origin)[at]!.id;

  /** Which links the texts of the sale have on a reader's mirror page. */
  async function mirrored(idSent: number, idSubscriber: number): Promise<Record<string, number | undefined>> {
    const { secrets } = t.app;
    const token = makeToken(secrets, { kind: 'mirror', idSite: t.db.site.id, idSent, idSubscriber });
    const page = await (await visit(`${server.url}/m/${token}`)).text();
    const found = [...page.matchAll(/<a href="[^"]+\/r\/([\w-]+)">(sale|own|Sale)<\/a>/g)];
    return Object.fromEntries(
      found.map(([, click, text]) => [text, readToken(secrets, 'click', click!)?.idLink]),
    );
  }

  it('its job and sendings have an end, and count their advertisements', async () => {
    const { id: idJob } = (await jobsOf(t.db, idCampaign))[0]!;
    const get = async (path: string, query: object) => {
      const reply = await t.call('GET', path, { query: { ...query } });
      expect([path, reply.error]).toEqual([path, null]);
      return reply.data as object[];
    };
    const ofCampaign = (rows: object[]) =>
      rows.filter((one) => (one as { idCampaign: number }).idCampaign === idCampaign);
    const jobs = await get('/statistics/jobs', { 'filters.hideTest': true });
    expect(ofCampaign(jobs)).toMatchObject([{ nbPubInsert: 5 }]);
    expect(ofCampaign(await get('/statistics/sendings', { nbDays: 60 }))).toMatchObject([
      { nbPubsInsert: 3, isRandom: true },
      { nbPubsInsert: 2, isRandom: true },
    ]);
    const ended = { endDate: expect.stringMatching(/Z$/) };
    const short = await get('/campaigns/job-sendings/short', { idCampaign, idJob });
    expect(JSON.stringify(short)).toContain('endDate');
    expect(short.map((one) => (one as { sent: object }).sent)).toMatchObject([ended, ended]);
  });
});
