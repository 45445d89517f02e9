import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../activity/bounce.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { type Listening, serving } from '../testing/listening.ts';
import { makeBounce } from '../testing/make-activity.ts';
import { makeClicks } from '../testing/make-clicks.ts';
import { frozenJob } from '../testing/make-sending.ts';
import { reportHandler } from './report-handler.ts';

let t: TestApp;
let handle: ReturnType<typeof reportHandler>;
let server: Listening;
let url: string;
beforeAll(async () => {
  t = await testApp();
  handle = reportHandler(t.app);
  server = await serving((request, response) => handle(request, response));
  url = server.url;
});
afterAll(async () => {
  await server.close();
  await t.close();
});

const hostile = '<img src=x onerror=alert(1)>"\'&amp;';

/** A report of a sending with hostile names; its address. */
async function report(mpp = true): Promise<{ address: string; idLink: number }> {
  const made = await makeClicks(t);
  const { idCampaign, idJob, idSent, idLink, people } = made;
  await makeBounce(t.db, idSent, people[2], bounceClasses.soft, hostile);
  const html = `<p>Hello [[FLD.1]]</p><a href="https://shop.example/a">Shop</a><script>alert(1)</script>`;
  const links = [{ url: 'https://shop.example/a', id: idLink }];
  const frozen = frozenJob(t.db, idCampaign, idJob, idSent, { html, links });
  await t.db.run(sql`
    update ${t.db.t.job} set frozen = ${JSON.stringify(frozen)}::jsonb, campaign_name = ${`Spring ${hostile}`},
      subject = ${hostile} where id = ${idJob}`);
  const { data } = await t.call('POST', '/statistics/report', { query: { idJob, idSent, mpp } });
  return { address: `${url}/reports/${data}`, idLink };
}
const get = (address: string, language = 'en') =>
  fetch(address, { headers: { 'accept-language': language } });

describe('the page of a report', () => {
  it('shows the figures in the reader’s language or the one requested, and escapes what it shows', async () => {
    const { address } = await report();
    const page = await get(address, 'fr-FR,fr;q=0.9');
    const html = await page.text();
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('<html lang="fr">');
    expect(html).toContain('Ouvreurs');
    expect(html).toContain('Spring &lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;');
    expect(html).not.toContain('<img');
    expect(html).not.toMatch(/https?:\/\/(?!shop\.example)/);
    expect(await (await get(`${address}?lang=en`, 'fr')).text()).toContain('Opened');
  });

  it('shows opens with and without mail privacy protection', async () => {
    const { address } = await report(false);
    const openers = async (query: string) =>
      /Opened<svg.*?<\/svg><\/td><td class="n">(\d+)/.exec(await (await get(address + query)).text())![1];
    expect(await openers('')).toBe('2');
    expect(await openers('?mpp=true')).toBe('3');
    expect(await openers('?mpp=false')).toBe('2');
  });

  it('shows the message with the share of each link, in a sandbox without scripts and foreign hosts', async () => {
    const { address, idLink } = await report();
    expect(await (await get(address)).text()).toContain('sandbox></iframe>');
    const map = await get(`${address}/message`);
    const html = await map.text();
    expect(html).toContain(`<a href="#link-${idLink}">Shop</a>`);
    expect(html).toContain(`a[href="#link-${idLink}"]::after{content:"100 % (2)"}`);
    const policy = map.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^sandbox; default-src 'none'; img-src 'self' data:/);
    expect(policy).not.toContain('script');
  });

  it('404 for other addresses, 405 for other methods, and leaves what is no report alone', async () => {
    const { address } = await report();
    const other = address.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const wrong of [other, `${other}/message`, `${address}/`, `${url}/reports/`, `${url}/reports/x`])
      expect([wrong, (await get(wrong)).status]).toEqual([wrong, 404]);
    expect((await fetch(address, { method: 'POST' })).status).toBe(405);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await get(`${url}/other`)).status).toBe(418);
  });

  it('429 for one who tries many addresses', async () => {
    const guess = () => get(`${url}/reports/00000000-0000-4000-8000-000000000000`);
    const statuses = new Set<number>();
    for (let n = 0; n < 70; n += 1) statuses.add((await guess()).status);
    expect([...statuses]).toEqual([404, 429]);
  });
});

describeWith('chromium', 'the page of a report in Chromium', () => {
  let browser: Browser;
  let page: { address: string };
  beforeAll(async () => {
    // It has forgotten who tried many addresses. The browser asks for an icon as well.
    const reports = reportHandler(t.app);
    handle = (request, response) => reports(request, response) || Boolean(response.writeHead(204).end());
    page = await report();
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  it.each([
    [1280, 'en'],
    [390, 'fr'],
  ])('fits %i px, has nothing for axe to complain of, and asks no other host', async (width, language) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, bypassCSP: true });
    const tab = await context.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    tab.on('request', (request) => asked.push(new URL(request.url()).origin));
    tab.on('console', (message) => said.push(message.text()));
    await tab.goto(`${page.address}?lang=${language}`, { waitUntil: 'networkidle' });
    expect(new Set(asked)).toEqual(new Set([url]));
    expect(await tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await tab.addScriptTag({
      content: readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'),
    });
    const found = (await tab.evaluate('axe.run(document, { iframes: false })')) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(
      found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]),
    ).toEqual([]);
    // The message's own script, which the sandbox blocks.
    expect(said.filter((text) => !text.includes('sandboxed'))).toEqual([]);
    const folder = process.env.FACTEUR_SCREENSHOTS;
    if (folder) await tab.screenshot({ path: `${folder}/report-${width}.png`, fullPage: true });
    await context.close();
  });

  it('breaks no rule of its own policy, and prints to A4', async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const said: string[] = [];
    tab.on('console', (message) => said.push(message.text()));
    await tab.goto(page.address, { waitUntil: 'networkidle' });
    expect(said.filter((text) => !text.includes('sandboxed'))).toEqual([]);
    const pdf = await tab.pdf({ preferCSSPageSize: true });
    // 210 by 297 mm in points.
    expect(pdf.toString('latin1')).toMatch(/MediaBox \[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
    await context.close();
  });
});
