import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { insertDirectory } from '../contents/directory-store.ts';
import { picturesOperations } from '../pictures/operations.ts';
import type { Picture } from '../pictures/picture.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeCampaign } from '../testing/campaign-makers.ts';
import { type PictureHost, pictureHost } from '../testing/listening.ts';
import { onePixel } from '../testing/make-picture.ts';
import { noisePicture } from '../testing/noise-picture.ts';
import type { CampaignReply } from './campaign.ts';
import { campaignsOperations } from './operations.ts';

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('pictures of campaigns that are hosted', () => {
  let t: TestApp;
  let host: PictureHost;
  /** Lets the answer of /slow go. */
  let release: () => void;
  beforeAll(async () => {
    t = await testApp({ operations: [...campaignsOperations, ...picturesOperations] });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    const jpg = await noisePicture(60, 40, 'jpg');
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    host = await pictureHost({
      '/logo.png': onePixel,
      '/photo': jpg,
      '/page': Buffer.from('<html></html>'),
      '/script.svg': svg,
      '/inside': (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      '/slow': (_, response) => void slow.then(() => response.end(onePixel)),
    });
  });
  afterEach(async () => {
    release();
    await host.close();
  });

  const body = (htmlContent: string, more = {}) => ({
    ...{ parameters: { name: 'Spring' }, htmlContent, autoHostPictures: true, ...more },
  });
  const create = (htmlContent: string, more = {}) =>
    t.call('POST', '/campaigns', { body: body(htmlContent, more), as: 'editor' });
  const created = async (htmlContent: string, more = {}) =>
    (await create(htmlContent, more)).data as CampaignReply;
  const read = async (id: number) => (await t.call('GET', `/campaigns/${id}`)).data as CampaignReply;
  const modify = (id: number, more: object) =>
    t.call('PUT', '/campaigns', { body: { id, parameters: {}, ...more }, as: 'editor' });
  const pictures = async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.limit': 1_000 };
    return ((await t.call('GET', '/pictures', { query })).data as { items: Picture[] }).items;
  };
  const error = (currentUrl: string, text: string) => ({
    ...{ currentUrl, newUrl: null, status: 'uploadError', error: text },
  });

  it('200: they are fetched once each, kept, and the HTML has their new addresses', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'Hosted', dirType: 'Image' });
    const [logo, photo] = [`${host.url}/logo.png?a=1&b=2`, `${host.url}/photo`];
    const html = (a: string, b: string, inHtml = a) =>
      `<body background="${inHtml}"><img src='${b}'><img srcset="${b} 1x, ${inHtml} 2x">` +
      `<style>td{background:url("${a}")}</style><td style="background:url(&quot;${b}&quot;)">[[FLD.1]] é ${b}`;
    const campaign = await created(html(logo, photo, logo.replace('&', '&amp;')).replace(/ \S+$/, ' text'), {
      autoHostPicturesIdDirectory: idDirectory,
    });
    const [first, second] = campaign.autoHostPicturesResult!;
    expect([first, second]).toMatchObject([
      { currentUrl: logo, status: 'uploaded', error: null },
      { currentUrl: photo, status: 'uploaded', error: null },
    ]);
    expect(first!.newUrl).toMatch(/^http:\/\/mail\.test\/p\/\d+\/[\w-]{22}\.png$/);
    expect(campaign.htmlContent).toBe(html(first!.newUrl!, second!.newUrl!).replace(/ \S+$/, ' text'));
    expect(campaign).toEqual(await read(campaign.id));
    expect(host.asked).toHaveLength(2);
    const kept = (await pictures()).filter(({ url }) => [first, second].some((one) => one!.newUrl === url));
    expect(kept).toMatchObject([
      { name: 'logo', fileName: 'logo.png', filePath: 'Hosted/logo.png', author: 'Ada', pictureDim: '1x1' },
      { name: 'photo', fileName: 'photo.jpg', filePath: 'Hosted/photo.jpg', pictureDim: '60x40' },
    ]);
  });

  it('200: what cannot be hosted stays where it is, each with the reason', async () => {
    const at = (path: string) => `${host.url}/${path}`;
    const own = 'http://mail.test/p/1/AAAAAAAAAAAAAAAAAAAAAA.png';
    const urls = [
      ...['missing.png', 'page', 'script.svg', 'inside', '[[FLD.1]].png'].map(at),
      ...['http://169.254.169.254/latest/', 'http://0x7f000001:1/x', 'http://[::1]/', 'http://me:pw@a.fr/'],
    ];
    const html = [...urls, own, 'data:image/png;base64,AA==', 'cid:x']
      .map((url) => `<img src="${url}">`)
      .join('');
    const campaign = await created(html);
    expect(campaign.htmlContent).toBe(html);
    const internal = (name: string) =>
      `url: ${name} is an internal address; an operator can allow its network (FACTEUR_PRIVATE_NETWORKS)`;
    expect(campaign.autoHostPicturesResult).toEqual([
      error(urls[0]!, 'HTTP 404'),
      error(urls[1]!, 'url: is not a PNG, JPEG, GIF or WebP picture'),
      error(urls[2]!, expect.stringContaining('SVG pictures are not accepted')),
      error(urls[3]!, internal('10.0.0.1')),
      error(urls[4]!, 'contains a tag, so the address differs for each reader'),
      error(urls[5]!, internal('169.254.169.254')),
      error(urls[6]!, 'the server cannot be reached (ECONNREFUSED)'),
      error(urls[7]!, internal('[::1]')),
      error(urls[8]!, 'the URL contains credentials; remove them'),
    ]);
    expect(host.asked.map(({ url }) => url).sort()).toEqual([
      '/inside',
      '/missing.png',
      '/page',
      '/script.svg',
    ]);
  });

  it('200 hosts a hundred pictures at most', async () => {
    const urls = Array.from({ length: 103 }, (_, i) => `${host.url}/logo.png?${i}`);
    const { autoHostPicturesResult } = await created(urls.map((url) => `<img src="${url}">`).join(''));
    expect(autoHostPicturesResult!.slice(0, 100).every(({ status }) => status === 'uploaded')).toBe(true);
    const only = 'only the first 100 pictures are hosted';
    expect(autoHostPicturesResult!.slice(100)).toEqual(urls.slice(100).map((url) => error(url, only)));
    expect(host.asked).toHaveLength(100);
  });

  it('200 hosts what is hosted already under the entry that there is', async () => {
    const html = `<img src="${host.url}/logo.png">`;
    const first = await created(html);
    const before = await pictures();
    const second = await created(html);
    expect(second.htmlContent).toBe(first.htmlContent);
    expect(await pictures()).toEqual(before);
    const again = await created(first.htmlContent!);
    expect([again.htmlContent, again.autoHostPicturesResult]).toEqual([first.htmlContent, []]);
  });

  it('200 without autoHostPictures fetches nothing', async () => {
    const html = `<img src="${host.url}/logo.png">`;
    const campaign = await created(html, { autoHostPictures: false });
    expect([campaign.htmlContent, campaign.autoHostPicturesResult, host.asked.length]).toEqual([
      html,
      null,
      0,
    ]);
  });

  it('200 when a campaign is modified: by new HTML, or by the member itself, and not by others', async () => {
    const html = `<img src="${host.url}/logo.png">`;
    const id = await makeCampaign(t.db, { htmlContent: html });
    expect((await modify(id, { parameters: { subject: 'a' } })).status).toBe(200);
    expect([(await read(id)).htmlContent, host.asked.length]).toEqual([html, 0]);
    expect(await modify(id, { autoHostPictures: true })).toMatchObject({ status: 200, data: true });
    const hosted = await read(id);
    expect(hosted.htmlContent).toMatch(/^<img src="http:\/\/mail\.test\/p\//);
    expect(hosted.autoHostPicturesResult).toMatchObject([
      { currentUrl: `${host.url}/logo.png`, status: 'uploaded' },
    ]);
    // Nothing about the HTML is said: what was said of its pictures stays.
    await modify(id, { parameters: { subject: 'b' } });
    expect(await read(id)).toMatchObject({
      htmlContent: hosted.htmlContent,
      autoHostPicturesResult: hosted.autoHostPicturesResult,
    });
    await modify(id, { htmlContent: `<img src="${host.url}/photo">` });
    expect((await read(id)).autoHostPicturesResult).toMatchObject([{ currentUrl: `${host.url}/photo` }]);
    await modify(id, { htmlContent: html, autoHostPictures: false });
    expect(await read(id)).toMatchObject({ htmlContent: html, autoHostPicturesResult: null });
  });

  it('409 when the HTML was changed while the pictures were fetched; nothing of the call is kept', async () => {
    const id = await makeCampaign(t.db, { htmlContent: 'old' });
    const before = await pictures();
    const slow = modify(id, {
      ...{
        parameters: { subject: 'slow' },
        htmlContent: `<img src="${host.url}/slow">`,
        autoHostPictures: true,
      },
    });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1), 20_000);
    // No lock and no transaction is held in the meantime: another may change it at once.
    expect((await modify(id, { htmlContent: 'new' })).status).toBe(200);
    const { n } = await t.db.one<{ n: number }>(sql`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
    expect(n).toBe(0);
    release();
    expect(await slow).toMatchObject({
      status: 409,
      error: 'htmlContent was changed while the pictures were fetched; read the campaign and try again',
    });
    expect(await read(id)).toMatchObject({
      htmlContent: 'new',
      parameters: { subject: 'It is here' },
      autoHostPictures: false,
    });
    expect(await pictures()).toEqual(before);
  });

  it('503 when too many wait for their turn, created or modified; nothing of such a call is kept', async () => {
    const html = `<img src="${host.url}/slow">`;
    const id = await makeCampaign(t.db, { htmlContent: 'old' });
    const hosting = await makeCampaign(t.db, { htmlContent: 'old', autoHostPictures: true });
    const campaigns = async () => (await t.db.rows(sql`select from ${t.db.t.campaign}`)).length;
    const before = await campaigns();
    const busy = {
      status: 503,
      error: 'Too many contents with pictures to host are under way; try again in a moment',
      headers: { 'retry-after': '1' },
    };
    // For two of them pictures are fetched, twenty wait.
    const calls = Array.from({ length: 23 }, () => create(html));
    expect(await Promise.race(calls)).toMatchObject(busy);
    expect(await modify(id, { htmlContent: html, autoHostPictures: true })).toMatchObject(busy);
    const named = { idCampaign: hosting, fields: { msgHtml: html } };
    expect(await t.call('PUT', '/campaigns/fields', { body: named })).toMatchObject(busy);
    const layout = { mjml: '<mjml></mjml>', htmlContent: html };
    expect(await t.call('PUT', `/campaigns/${hosting}/mjml`, { body: layout })).toMatchObject(busy);
    expect(await read(hosting)).toMatchObject({ htmlContent: 'old' });
    expect(await read(id)).toMatchObject({ htmlContent: 'old', autoHostPictures: false });
    release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(22);
    expect(await campaigns()).toBe(before + 22);
  });

  it('200 beside a change of something else, which is kept', async () => {
    const id = await makeCampaign(t.db, { htmlContent: `<img src="${host.url}/slow">` });
    const slow = modify(id, { autoHostPictures: true });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1), 20_000);
    expect((await modify(id, { parameters: { subject: 'meanwhile' } })).status).toBe(200);
    release();
    expect((await slow).status).toBe(200);
    expect(await read(id)).toMatchObject({
      parameters: { subject: 'meanwhile' },
      htmlContent: expect.stringContaining('mail.test/p/'),
    });
  });

  it('409 when it has begun to be sent in the meantime', async () => {
    const id = await makeCampaign(t.db, { htmlContent: `<img src="${host.url}/slow">` });
    const slow = modify(id, { autoHostPictures: true });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1), 20_000);
    await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'InProgress' where id = ${id}`);
    release();
    expect((await slow).status).toBe(409);
    expect((await read(id)).htmlContent).toContain('/slow');
  });

  it('a connection that dies while all is stored leaves the campaign and the pictures as they were', async () => {
    const html = `<img src="${host.url}/photo">`;
    const id = await makeCampaign(t.db, { htmlContent: html });
    const before = await pictures();
    await t.db.run(sql`
      create function ${t.db.name('die')}() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
    await t.db.run(sql`
      create trigger die after update on ${t.db.t.campaign} for each row execute function ${t.db.name('die')}()`);
    expect((await modify(id, { autoHostPictures: true })).status).toBe(503);
    await t.db.run(sql`drop trigger die on ${t.db.t.campaign}`);
    expect(await read(id)).toMatchObject({ htmlContent: html, autoHostPictures: false });
    expect(await pictures()).toEqual(before);
  });

  it('404 and 422 for named records come before any host is contacted', async () => {
    const html = `<img src="${host.url}/logo.png">`;
    const wrong = await insertDirectory(t.db, { name: 'Season', dirType: 'Campaign' });
    expect((await create(html, { autoHostPicturesIdDirectory: 999_999 })).status).toBe(404);
    expect((await create(html, { autoHostPicturesIdDirectory: wrong })).status).toBe(422);
    expect((await create(html, { parameters: { name: 'a', idThematic: 999_999 } })).status).toBe(404);
    expect((await modify(999_999, body(html))).status).toBe(404);
    expect(host.asked).toHaveLength(0);
  });
});
