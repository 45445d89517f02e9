import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { type SmtpSink, smtpSink } from './testing/smtp-sink.ts';
import { until } from './testing/until.ts';

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';

let t: ConsoleTester;
let sink: SmtpSink;

const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** Adds a relay that refuses some messages, and sends a campaign to thirty people; one unsubscribes, one opens. */
async function send(tab: ConsoleTab): Promise<void> {
  const route = await tab.page.request.post(`${t.url}/admin/v1/sites/demo/routes`, {
    headers: { origin: t.url },
    data: {
      ...{ host: '127.0.0.1', port: sink.port, tls: 'none', username: null, password: null },
      ...{ maxConnections: 4, messagesPerHour: 0 },
    },
  });
  expect(await route.text()).toContain('"success":true');
  const addresses = [
    ...Array.from({ length: 24 }, (_, index) => `reader${index}@gmail.com`),
    ...Array.from({ length: 3 }, (_, index) => `refused${index}@orange.fr`),
    ...Array.from({ length: 3 }, (_, index) => `reader${index}@post.example`),
  ];
  await call(
    tab,
    'POST',
    '/subscribers',
    addresses.map((value) => ({ fields: [{ idField: 1, value }] })),
  );
  const { id: idConfiguration } = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
    ...{
      name: 'News',
      senderEMail: 'news@shop.example',
      senderAlias: 'Shop',
      responseEMail: 'reply@shop.example',
    },
    ...{ footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>', footerTxt: '[[LINK.UNSUB]]' },
  });
  const { id: idTarget } = await call<{ id: number }>(tab, 'POST', '/targets', { name: 'Everyone' });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget, isEnabled: true, filters });
  const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns', {
    parameters: { name: hostile, subject: 'Seeds', mode: 'Simple', type: 'Newsletter', idConfiguration },
    htmlContent: '<p>Hello</p>',
  });
  await call(tab, 'POST', `/campaigns/${id}/segments`, {
    ...{ name: 'All', idTarget, percent: 100, fixedValues: 0 },
  });
  await call(tab, 'POST', '/campaigns/send-now', id);
  await until(() => sink.messages.length === 27, 'the messages to be sent');
  const { headers } = await PostalMime.parse(sink.messages[0]!.raw!);
  const address = /<(https?:[^>]+)>/.exec(headers.find(({ key }) => key === 'list-unsubscribe')!.value)![1]!;
  const left = await fetch(`${t.url}${new URL(address).pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(left.status).toBeLessThan(400);
  const { html = '' } = await PostalMime.parse(
    sink.messages.find(({ to }) => to.endsWith('@gmail.com'))!.raw!,
  );
  const picture = new URL(/<img[^>]+src="([^"]+\/o\/[^"]+)"/.exec(html)![1]!).pathname;
  const opened = await fetch(`${t.url}${picture}`, { headers: { 'user-agent': phone } });
  expect(opened.status).toBe(200);
}

describeWith('chromium', 'the overview of the console', () => {
  beforeAll(async () => {
    sink = await smtpSink({
      keepRaw: true,
      misdeed: (to) => (to.startsWith('refused') ? 'refuseData' : undefined),
    });
    t = await openConsole({ FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8' });
  }, 240_000);
  afterAll(async () => {
    await t?.close();
    await sink?.close();
  });

  it('fills an empty site with sample data, and says so above every screen', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    await page.getByRole('heading', { name: 'Or look around first' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'overview-first');
    await page.getByRole('button', { name: 'Fill with sample data' }).click();
    const bar = page.getByRole('complementary', { name: 'Sample data: 200 made-up people.' });
    await bar.waitFor();
    await page.getByRole('heading', { name: 'Or look around first' }).waitFor({ state: 'detached' });
    await page.getByText('“Sample newsletter” is a draft.').waitFor();
    // They are no people of the site's own.
    await page.getByRole('button', { name: 'Add people' }).waitFor();
    await page.goto(`${t.url}/console/demo/subscribers`);
    await bar.waitFor();
    await page.getByText('@sample.facteur.example').first().waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
    await auditEverywhere(t, '', /^(Sample data: 200|Données d’exemple : 200)/, 'overview-sample');
  });

  it('hides the first steps, also after a reload, until the palette shows them', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const welcome = page.getByRole('heading', { name: 'Welcome to demo' });
    await page.goto(`${t.url}/console/demo`);
    await welcome.waitFor();
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await page.getByRole('heading', { name: 'Growth' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Growth' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('first steps');
    await page.keyboard.press('Enter');
    await welcome.waitFor();
    await picture(tab, 'overview-steps');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('removes it after a question that names the number; Escape keeps it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/targets`);
    const bar = page.getByRole('complementary', { name: 'Sample data: 200 made-up people.' });
    await page.getByText('Sample people').first().waitFor();
    await bar.getByRole('button', { name: 'Remove 200 made-up people' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove 200 made-up people?' });
    await dialog.waitFor();
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'sample-remove');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await bar.getByRole('button', { name: 'Remove 200 made-up people' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove 200 made-up people' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.getByText('Sample people').waitFor({ state: 'detached' });
    expect(await call(tab, 'GET', '/sample-data')).toBeNull();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows who joined and left with causes, read by the keyboard, and what each provider did not deliver', {
    timeout: 300_000,
  }, async () => {
    const tab = await t.open();
    const { page } = tab;
    await send(tab);
    type Result = { readonly isp: string; readonly nbHumanOpeners: number };
    const results = () => call<Result[]>(tab, 'GET', '/statistics/recent-providers?nbDays=7');
    // A task aggregates every minute.
    const isCounted = (all: readonly Result[]) => all.length === 3 && all[0]!.nbHumanOpeners === 1;
    await until(async () => isCounted(await results()), 'the receipts and the open to be aggregated');
    await page.goto(`${t.url}/console/demo?days=7`);
    const growth = page.locator('section', {
      has: page.getByRole('heading', { name: 'Growth of the base' }),
    });
    // Sample data came and went on this day.
    await growth.getByText('joined 230').waitFor();
    await growth.getByText('left 201').waitFor();
    await growth.getByText(/: 30 joined, API and console\./).waitFor();
    await growth.getByText(/: 1 left, unsubscribed in the mail program/).waitFor();
    expect(await growth.getByRole('link').innerText()).toBe(hostile);
    const chart = growth.getByRole('slider', { name: 'People who joined and left' });
    await chart.focus();
    await growth
      .getByText(/230 joined, 201 left \(400 sample data, 30 API and console, 1 unsubscribed/)
      .waitFor();
    expect(await chart.getAttribute('aria-valuetext')).toContain(hostile);
    await chart.press('ArrowLeft');
    await growth.getByText(/: 0 joined, 0 left$/).waitFor();
    await chart.press('ArrowRight');
    await growth.getByText(/230 joined, 201 left/).waitFor();
    const cells = (name: string) =>
      page
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByRole('cell')
        .allInnerTexts();
    // Sent, opened of delivered, not delivered.
    await expect.poll(() => cells('Gmail'), { timeout: 30_000 }).toEqual(['Gmail', '24', '4.2%', '0.0%']);
    expect(await cells('Orange')).toEqual(['Orange', '3', '–', '3 of 3']);
    expect(await cells('Others')).toEqual(['Others', '3', '0 of 3', '0 of 3']);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps the period in the address; a year has a bar for each week', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    await page.getByLabel('Period').selectOption('365');
    await page.waitForURL(/days=365/);
    await page.reload();
    expect(await page.getByLabel('Period').inputValue()).toBe('365');
    const chart = page.getByRole('slider', { name: 'People who joined and left' });
    await chart.waitFor();
    expect(await chart.getAttribute('max')).toBe('52');
    await chart.focus();
    await page.getByText(/^Week from .*: 230 joined, 201 left/).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, '?days=90', /^(By provider|Par fournisseur)$/, 'overview');
  });
});
