import pg from 'pg';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres } from './platform/postgres/embedded.ts';
import { type ConsoleTab, type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { DnsServer } from './testing/dns-server.ts';
import { freePort } from './testing/free-port.ts';
import { type SmtpSink, smtpSink } from './testing/smtp-sink.ts';
import { until } from './testing/until.ts';

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';

let t: ConsoleTester;
let sink: SmtpSink;
let dns: DnsServer;
/** Milliseconds that the relay takes for a message. */
let relayMs = 0;
/** Whether the relay defers messages to Gmail. */
let isDeferring = false;
let idConfiguration: number;
let idTarget: number;

const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** Runs a statement on the program's database, where the real thing takes hours or a thousand messages. */
async function changeDatabase(statement: string, values: readonly unknown[] = []): Promise<void> {
  const server = await startPostgres({ dataDir: t.dataDir, log: pino({ level: 'silent' }) });
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    await client.query(statement, [...values]);
  } finally {
    await client.end();
    await server.stop();
  }
}

const addRelay = (tab: ConsoleTab, port: number) =>
  call(tab, 'POST', '/admin/v1/sites/demo/routes', {
    ...{ host: '127.0.0.1', port, tls: 'none', username: null, password: null },
    ...{ maxConnections: 4, messagesPerHour: 0 },
  });

/** Starts a campaign to everyone: now, or at a date. */
async function start(tab: ConsoleTab, name: string, date?: string): Promise<number> {
  const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns', {
    parameters: { name, subject: 'Seeds', mode: 'Simple', type: 'Newsletter', idConfiguration },
    htmlContent: '<p>Hello</p>',
  });
  await call(tab, 'POST', `/campaigns/${id}/segments`, {
    ...{ name: 'All', idTarget, percent: 100, fixedValues: 0 },
  });
  if (date) await call(tab, 'POST', `/campaigns/${id}/schedule/calendar`, [date]);
  else await call(tab, 'POST', '/campaigns/send-now', id);
  return id;
}

/**
 * Adds a relay that refuses some messages, and sends a campaign to thirty people; one unsubscribes, one opens, and a
 * scanner follows the link of another.
 */
async function send(tab: ConsoleTab): Promise<void> {
  await addRelay(tab, sink.port);
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
  const configuration = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
    ...{
      name: 'News',
      senderEMail: 'news@shop.example',
      senderAlias: 'Shop',
      responseEMail: 'reply@shop.example',
    },
    ...{ footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>', footerTxt: '[[LINK.UNSUB]]' },
  });
  idConfiguration = configuration.id;
  idTarget = (await call<{ id: number }>(tab, 'POST', '/targets', { name: 'Everyone' })).id;
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget, isEnabled: true, filters });
  await start(tab, hostile);
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
  const scanned = await PostalMime.parse(sink.messages.find(({ to }) => to.endsWith('@post.example'))!.raw!);
  const link = new URL(/<a[^>]+href="(http[^"]+)"/.exec(scanned.html!)![1]!).pathname;
  const followed = await fetch(`${t.url}${link}`, { headers: { 'user-agent': 'curl/8.1' } });
  expect(followed.status).toBe(200);
}

describeWith('chromium', 'the overview of the console', () => {
  beforeAll(async () => {
    sink = await smtpSink({
      keepRaw: true,
      get delayMs() {
        return relayMs;
      },
      misdeed: (to) => {
        if (isDeferring && to.endsWith('@gmail.com')) return 'defer';
        return to.startsWith('refused') ? 'refuseData' : undefined;
      },
    });
    dns = await DnsServer.start();
    t = await openConsole({
      FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8',
      FACTEUR_DNS_SERVERS: dns.dnsServers.join(),
    });
  }, 240_000);
  afterAll(async () => {
    await t?.close();
    await sink?.close();
    await dns?.close();
  });

  it('fills an empty site with sample data, and says so above every screen', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    await page.getByRole('heading', { name: 'Or look around first' }).waitFor();
    await page.getByRole('link', { name: 'Mail stays here' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'overview-first');
    const fill = page.getByRole('button', { name: 'Fill with sample data' });
    // A busy button is disabled, and has the focus again afterwards.
    const json = { success: false, data: null, error: 'Not now' };
    await page.route('**/sample-data', (route) => route.fulfill({ status: 429, json }), { times: 1 });
    await fill.press('Enter');
    await page.locator('.toast').waitFor();
    await fill.and(page.locator(':focus')).waitFor();
    await fill.press('Enter');
    const bar = page.getByRole('complementary', { name: 'Sample data: 200 made-up people.' });
    await bar.waitFor();
    await page.getByRole('heading', { name: 'Or look around first' }).waitFor({ state: 'detached' });
    await page.locator('#content:focus').waitFor();
    await page.getByText('“Sample newsletter” is a draft.').waitFor();
    // They are no people of the site's own.
    await page.getByRole('button', { name: 'Add people' }).waitFor();
    await page.goto(`${t.url}/console/demo/subscribers`);
    await bar.waitFor();
    await page.getByText('@sample.facteur.example').first().waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
    await auditEverywhere(t, '', /^(Sample data: 200|Données d’exemple\s: 200)/, 'overview-sample');
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

  it(
    'keeps what is typed into the first steps, says errors at their fields, and takes a file',
    patience,
    async () => {
      const tab = await t.open({ width: 390 });
      const { page } = tab;
      await page.goto(`${t.url}/console/demo`);
      const replies = page.getByLabel('Replies go to');
      await replies.fill('no address');
      await page.getByLabel('Address', { exact: true }).fill('letters@shop.example');
      // A phone has the later steps closed.
      await page.getByLabel('Addresses').waitFor({ state: 'hidden' });
      await page.locator('summary', { hasText: 'Add people' }).click();
      await page.getByLabel('Addresses').fill('ines@post.example');
      await page.reload();
      await expect.poll(() => replies.inputValue(), soon).toBe('no address');
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('alert').getByText('This is not an email address.').waitFor();
      expect(await replies.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
      expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('letters@shop.example');
      await page.locator('summary', { hasText: 'Add people' }).click();
      expect(await page.getByLabel('Addresses').inputValue()).toBe('ines@post.example');
      await page.getByRole('link', { name: 'Other ways to import' }).waitFor();
      await picture(tab, 'steps-phone');
      expect(await tab.audit()).toEqual([]);
      await replies.fill('hello@shop.example');
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByText('Messages come from letters@shop.example.').waitFor();
      // What is done can be opened again.
      await page.getByRole('link', { name: 'Open: Write a message' }).waitFor();
      await page.getByRole('link', { name: 'Open: Name the sender' }).click();
      await page.getByText('letters@shop.example').first().waitFor();
      await page.goBack();
      const file = {
        name: 'first.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('email\nlou@first.example\n'),
      };
      const input = page.locator('.people-file input[type=file]');
      // Without the file, there is no target of its people either.
      let writes: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'POST' && pathname.startsWith('/v1/')) writes.push(pathname);
      });
      await input.setInputFiles({ ...file, name: `${'x'.repeat(300)}.csv` });
      await page.locator('.people-file .red').waitFor();
      expect(writes).toEqual(['/v1/demo/files']);
      writes = [];
      await input.setInputFiles(file);
      await page.getByRole('heading', { name: 'Import first.csv' }).waitFor(soon);
      expect(writes[0]).toBe('/v1/demo/files');
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

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
    await page.locator('#content:focus').waitFor();
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
    const counted = async () => (await results()).map(({ nbHumanOpeners }) => nbHumanOpeners);
    await expect.poll(counted, { timeout: 120_000, interval: 500 }).toEqual([1, 0, 0]);
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
    // Each figure opens its people; nobody is behind 0.
    const opens = async (row: string, figure: string, count: number) => {
      await page
        .getByRole('row', { name: new RegExp(`^${row}`) })
        .getByRole('button', { name: `${figure} · \u2068${row}\u2069 · Last 7 days`, exact: true })
        .click();
      const drawer = page.getByRole('dialog', { name: figure });
      await expect.poll(() => drawer.getByRole('link').count(), soon).toBe(count);
      await drawer.getByText('A person is listed once for each sending.').waitFor();
      return drawer;
    };
    const gmail = await opens('Gmail', '24 people: a message was sent', 24);
    await picture(tab, 'overview-provider');
    expect(await tab.audit()).toEqual([]);
    const saved = page.waitForEvent('download');
    await gmail.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toBe('people-7-days.csv');
    await page.keyboard.press('Escape');
    await gmail.waitFor({ state: 'detached' });
    const opener = await opens('Gmail', '4.2% · 1 person opened', 1);
    await page.keyboard.press('Escape');
    await opener.waitFor({ state: 'detached' });
    const failed = await opens('Orange', '3 of 3 · 3 people: the message was not delivered', 3);
    await failed.getByRole('link', { name: 'refused0@orange.fr' }).waitFor();
    await page.keyboard.press('Escape');
    await failed.waitFor({ state: 'detached' });
    const others = await opens('Others', '3 people: a message was sent', 3);
    await others.getByRole('link', { name: 'reader0@post.example' }).waitFor();
    await page.keyboard.press('Escape');
    await others.waitFor({ state: 'detached' });
    expect(
      await page
        .getByRole('row', { name: /^Others/ })
        .getByRole('button')
        .count(),
    ).toBe(1);
    // Enter opens the people of the bar that is read, a click those above or below the line.
    await chart.focus();
    await growth.getByText(/230 joined, 201 left .*A click or Enter lists them\.$/).waitFor();
    await chart.press('Enter');
    const joined = page.getByRole('dialog', { name: /^Joined 230 · / });
    await expect.poll(() => joined.getByRole('link').count(), soon).toBe(30);
    await picture(tab, 'overview-bar');
    expect(await tab.audit()).toEqual([]);
    await joined.getByRole('button', { name: 'left 201' }).click();
    const left = page.getByRole('dialog', { name: /^Left 201 · / });
    await expect.poll(() => left.getByRole('link').count(), soon).toBe(1);
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'detached' });
    await growth.getByText(/230 joined, 201 left/).waitFor();
    const box = (await chart.boundingBox())!;
    await chart.click({ position: { x: box.width - 10, y: 10 } });
    await expect.poll(() => joined.getByRole('link').count(), soon).toBe(30);
    await page.keyboard.press('Escape');
    await joined.waitFor({ state: 'detached' });
    await chart.click({ position: { x: box.width - 10, y: box.height - 10 } });
    await expect.poll(() => left.getByRole('link').count(), soon).toBe(1);
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'detached' });
    // Nobody joined or left the day before.
    await chart.press('ArrowLeft');
    await chart.press('Enter');
    await growth.getByText(/: 0 joined, 0 left$/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('opens those who joined and left, and says how many of them can be listed', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo?days=7`);
    const opens = async (name: string, said: string, people: number) => {
      await page.getByRole('button', { name, exact: true }).click();
      const drawer = page.getByRole('dialog', { name, exact: true });
      await drawer.getByText(said, { exact: true }).waitFor();
      await expect.poll(() => drawer.getByRole('link').count(), soon).toBe(people);
      return drawer;
    };
    const close = async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    // The people of the sample data are deleted.
    const why =
      'can be listed, by the dates in their profiles. Not listed: people who were deleted, ' +
      'whose status has changed again since, or whose profile has no such date.';
    const joined = await opens('Joined 230 · Last 7 days', `30 of 230 ${why}`, 30);
    await picture(tab, 'overview-joined');
    expect(await tab.audit()).toEqual([]);
    await joined.getByRole('searchbox').fill('orange.fr');
    await expect.poll(() => joined.getByRole('link').count(), soon).toBe(3);
    const saved = page.waitForEvent('download');
    await joined.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^people-\d{4}(-\d\d){2}-\d{4}(-\d\d){2}\.csv$/);
    await close();
    await opens('Left 201 · Last 7 days', `1 of 201 ${why}`, 1);
    await close();
    const byCause = page.getByRole('button', {
      name: /^1 left, unsubscribed in the mail program · /,
    });
    const name = (await byCause.getAttribute('aria-label'))!;
    const left = await opens(name, 'Listed by the dates in their profiles.', 1);
    await left.getByRole('link').press('Enter');
    await page.waitForURL(/\/subscribers\/\d+$/);
    // Dates that a program wrote: more have one than the figure counts.
    await page.route('**/statistics/growth/people?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { nbListed: number } };
      body.data.nbListed = 240;
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${t.url}/console/demo?days=7`);
    await opens(
      'Joined 230 · Last 7 days',
      '240 people have such a date in their profile; the figure counts 230. ' +
        'Imports and programs can write other dates than the day of the change.',
      30,
    );
    await page.unroute('**/statistics/growth/people?*');
    expect(tab.faults).toEqual([]);
    await tab.close();
    const phone = await t.open({ width: 390, language: 'fr-FR' });
    await phone.page.goto(`${t.url}/console/demo?days=7`);
    await phone.page.getByRole('button', { name: /^Arrivées 230 · 7 derniers jours$/ }).click();
    await phone.page.getByText(/^Personnes listées\s: 30 sur 230/).waitFor();
    await picture(phone, 'overview-joined-phone');
    expect(await phone.audit()).toEqual([]);
    expect(phone.faults).toEqual([]);
    await phone.close();
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
    await chart.press('Enter');
    const week = page.getByRole('dialog', { name: /^Joined 230 · Week from / });
    await expect.poll(() => week.getByRole('link').count(), soon).toBe(30);
    await page.keyboard.press('Escape');
    await week.waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('opens the people behind each figure of the period', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    // The period before is made as good as this one.
    await page.route('**/statistics/jobs?*', async (route) => {
      const url = new URL(route.request().url());
      const ends = Date.parse(url.searchParams.get('filters.endDate')!);
      if (ends > Date.now() - 86_400_000) return route.continue();
      url.searchParams.set('filters.endDate', new Date().toISOString());
      return route.fulfill({ response: await route.fetch({ url: url.href }) });
    });
    await page.goto(`${t.url}/console/demo?days=7`);
    const figures = page.getByRole('region', { name: 'Last 7 days' });
    // Sample data came and went; one of the thirty left.
    await figures.getByText('+29 in 7 days').waitFor();
    const people = figures.getByRole('link', { name: 'Subscribed people: 29', exact: true });
    await people.waitFor();
    expect(await people.getAttribute('href')).toMatch(/\/subscribers\?state=eligible$/);
    await figures.getByText('100.0% the 7 days before').waitFor();
    expect(await figures.getByText('3.7% before').count()).toBe(2);
    const opens = async (figure: RegExp, title: string, people: number) => {
      await figures.getByRole('button', { name: figure }).click();
      const drawer = page.getByRole('dialog', { name: title });
      await expect.poll(() => drawer.getByRole('link').count(), soon).toBe(people);
      await drawer.getByText('A person is listed once for each sending.').waitFor();
      return drawer;
    };
    // A drawer that cannot be loaded says so, and opens when the service is back.
    await page.route('**/console/**', (route) => route.fulfill({ status: 502 }));
    await figures.getByRole('button', { name: /^Delivered: 100\.0%$/ }).click();
    await page.getByRole('dialog').getByText('This could not be loaded.').waitFor();
    await page.unroute('**/console/**');
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: '27 people: accepted, and not returned' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const delivered = await opens(/^Delivered: 100\.0%$/, '27 people: accepted, and not returned', 27);
    await delivered.getByRole('link', { name: 'reader23@gmail.com' }).waitFor();
    expect(await delivered.getByText('refused').count()).toBe(0);
    const saved = page.waitForEvent('download');
    await delivered.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toBe('people-7-days.csv');
    await delivered.getByRole('searchbox').fill('POST.example');
    await expect.poll(() => delivered.getByRole('link').count(), soon).toBe(3);
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await delivered.waitFor({ state: 'detached' });
    const opened = await opens(/^Opened, people only: 3\.7%$/, '1 person opened', 1);
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    const left = await opens(/^Unsubscribed: 3\.7%$/, '1 person unsubscribed', 1);
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'detached' });
    // Nobody is behind 0: the only click is a scanner's.
    expect(await figures.getByRole('button', { name: /^Clicked/ }).count()).toBe(0);
    await page.getByRole('button', { name: `Unsubscribed: 3.7%, ${hostile}` }).click();
    await page.getByRole('dialog', { name: '1 person unsubscribed' }).getByRole('link').waitFor();
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Sent: 27, ${hostile}` }).click();
    const sent = page.getByRole('dialog', { name: '27 people: the message was accepted' });
    await expect.poll(() => sent.getByRole('link').count(), soon).toBe(27);
    await page.keyboard.press('Escape');
    await sent.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Delivered: 100.0%, ${hostile}` }).click();
    await delivered.getByRole('link', { name: 'reader23@gmail.com' }).waitFor();
    await page.keyboard.press('Escape');
    await delivered.waitFor({ state: 'detached' });
    await figures.getByRole('link', { name: 'Subscribed people: 29', exact: true }).click();
    await page.getByRole('link', { name: 'reader23@gmail.com' }).waitFor();
    expect(tab.faults.filter((fault) => !/status of 502|^NoConnection/.test(fault))).toEqual([]);
    await tab.close();
  });

  it('lets the period begin earlier and later by [ and ]', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    const period = page.getByLabel('Period');
    await period.waitFor();
    for (const [key, days] of [
      ['[', '90'],
      ['[', '365'],
      ['[', '365'],
      [']', '90'],
      [']', '30'],
      [']', '7'],
      [']', '7'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => period.inputValue(), soon).toBe(days);
    }
    await page.waitForURL(/days=7$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Period that begins earlier').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('has the period in a menu on a phone', patience, async () => {
    const tab = await t.open({ width: 390 });
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    await page.getByRole('button', { name: 'Period', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click();
    await page.waitForURL(/days=7$/);
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await tab.audit()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'shows whether the relays answer below the navigation, and on a phone in the menu',
    patience,
    async () => {
      const tab = await t.open({ width: 390 });
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns`);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Relays answer' }).waitFor();
      await picture(tab, 'overview-relays-phone');
      await page.getByRole('menuitem', { name: 'Relays answer' }).click();
      await page.waitForURL(/settings\/relays$/);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('shows what is scheduled while nothing runs, the earliest date first', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const later = await start(tab, 'Later seeds', '2040-07-02T05:30:00Z');
    const sooner = await start(tab, 'Sooner seeds', '2040-07-01T05:30:00Z');
    await page.goto(`${t.url}/console/demo`);
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Scheduled' }) });
    await expect
      .poll(() => card.innerText(), soon)
      .toMatch(/Sooner seeds\s+Sun 1 Jul 2040, 07:30\s[\s\S]*Later seeds\s+Mon 2 Jul 2040, 07:30\s/);
    await picture(tab, 'overview-scheduled');
    expect(await tab.audit()).toEqual([]);
    for (const id of [later, sooner]) await call(tab, 'POST', '/campaigns/stop', id);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows what runs with its speed, and pauses it; others become a number', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    relayMs = 8_000;
    const ids = [await start(tab, 'Slow seeds')];
    await page.goto(`${t.url}/console/demo`);
    const run = page.getByRole('article', { name: 'Slow seeds' });
    await run.getByText(/^of 29 accepted$/).waitFor({ timeout: 60_000 });
    await run.getByText(/^Started at \d\d:\d\d by /).waitFor();
    await expect.poll(() => run.innerText(), { timeout: 60_000 }).toMatch(/\d a second/);
    await expect
      .poll(() => run.getByRole('img').first().getAttribute('aria-label'), { timeout: 60_000 })
      .toMatch(/^[1-9]\d* of 29 accepted$/);
    const speeds = run.getByRole('img', {
      name: /^Accepted a second since the start: \d+ at most, now \d+$/,
    });
    await speeds.waitFor({ timeout: 60_000 });
    await expect.poll(() => speeds.locator('path').count(), soon).toBe(2);
    await picture(tab, 'overview-speed');
    // While the audience is being frozen, the number is not the whole.
    await page.route('**/statistics/jobs?*', async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const { data } = (await response.json()) as { data: { campaignName: string }[] };
      const freezing = { jobStateName: 'Generating', nbAddressSent: 0, nbAddressToSend: 12 };
      const items = data.map((job) => (job.campaignName === 'Slow seeds' ? { ...job, ...freezing } : job));
      await route.fulfill({ response, json: { data: items } });
    });
    await page.reload();
    await run.getByText('Freezing the audience: 12 people so far').waitFor();
    expect(await run.getByText(/accepted$/).count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await run.getByText(/^of 29 accepted$/).waitFor();
    await run.getByRole('button', { name: 'Pause' }).click();
    await run.getByRole('button', { name: 'Resume' }).waitFor();
    await run.getByText('Paused').waitFor();
    await run.getByRole('button', { name: /^[1-9]\d* of 29 accepted: Slow seeds$/ }).click();
    const accepted = page.getByRole('dialog', { name: /^\d+ (person|people): the message was accepted$/ });
    await accepted.getByRole('link').first().waitFor();
    await page.keyboard.press('Escape');
    await accepted.waitFor({ state: 'detached' });
    // A user's own pause needs no attention; one by the service is listed once, with its reason.
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await page.getByText('A sending is paused').count()).toBe(0);
    const why = 'The relay permanently rejected 190 of 200 messages, the last one with code 550';
    await changeDatabase("update site_demo.job set error_info = $1 where state = 'Paused'", [why]);
    await page.reload();
    const ofSeeds = page.locator('.attention li', { hasText: 'Slow seeds' });
    await ofSeeds.getByText(`Slow seeds\u2069: ${why}`).waitFor();
    await expect.poll(() => ofSeeds.count(), soon).toBe(1);
    await ofSeeds.getByText('A sending is paused').waitFor();
    for (const name of ['Second', 'Third', 'Fourth', 'Fifth']) ids.push(await start(tab, name));
    await page.getByRole('link', { name: '2 more' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(3);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'overview-running');
    // An editor sees it without the means to pause it.
    await call(tab, 'POST', '/admin/v1/users', {
      ...{ name: 'Edith', email: 'edith@shop.example', password: 'a long enough password' },
      sites: [{ name: 'demo', role: 'editor' }],
    });
    const edith = await t.open({ isSignedIn: false });
    await signIn(edith.page, {
      ...t.started,
      ...{ adminEmail: 'edith@shop.example', adminPassword: 'a long enough password' },
    });
    await edith.page.getByRole('link', { name: '2 more' }).waitFor();
    expect(await edith.page.getByRole('button', { name: /^(Pause|Resume)$/ }).count()).toBe(0);
    await edith.page.getByText('Relays answer').waitFor();
    expect(await edith.page.getByRole('link', { name: 'Relays answer' }).count()).toBe(0);
    expect(edith.faults).toEqual([]);
    await edith.close();
    await page.getByRole('link', { name: '2 more' }).click();
    await page.waitForURL(/campaigns\?part=sending$/);
    for (const id of ids) await call(tab, 'POST', '/campaigns/stop', id);
    relayMs = 0;
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows a run while it loads, when it cannot be read, and then with its relays', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    relayMs = 8_000;
    const id = await start(tab, 'Slow bulbs');
    const accepted = async () => {
      const sendings = await call<{ nbAddressSent: number }[]>(tab, 'GET', `/campaigns/${id}/sendings`);
      return sendings.reduce((sum, { nbAddressSent }) => sum + nbAddressSent, 0);
    };
    await expect.poll(accepted, { timeout: 60_000 }).toBeGreaterThan(0);
    await call(tab, 'POST', '/campaigns/pause', id);
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    // What is refused is not tried again at once.
    const refusal = { status: 409, json: { success: false, error: 'Not now' } };
    await page.route('**/sendings', async (route) => {
      await isHeld;
      await route.fulfill(refusal);
    });
    for (const part of ['unreached', 'statistics/providers', 'statistics/job-events', 'sending-health'])
      await page.route(new RegExp(`/${part}(\\?|$)`), (route) => route.fulfill(refusal));
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'attached' });
    await page.getByText('The message and the segments cannot be changed now.').waitFor();
    expect(await page.getByText('Freezing').count()).toBe(0);
    release();
    await page.getByRole('alert').getByText('Not now').first().waitFor();
    expect(await page.getByText('Freezing').count()).toBe(0);
    await page.unroute('**/sendings');
    await page.getByText('Accepted by the relays').waitFor();
    // Four parts cannot be read: the states, the relays, the providers and what happened.
    await expect.poll(() => page.getByRole('alert').count(), soon).toBe(4);
    const states = page.locator('.run-states li');
    await expect.poll(() => states.filter({ hasText: /–$/ }).count(), soon).toBe(6);
    await page.getByText('Paused: – people are waiting.').waitFor();
    await picture(tab, 'run-failed');
    expect(await tab.audit()).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await expect.poll(() => states.filter({ hasText: /\d$/ }).count(), soon).toBe(7);
    const relays = page.getByRole('region', { name: 'Relays' });
    await relays.getByText(`127.0.0.1:${sink.port}`).waitFor();
    await relays.getByText('answers', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
    await auditEverywhere(t, `/campaigns/${id}`, /^(answers|répond)$/, 'run-relays');
    relayMs = 0;
  });

  it('lets the message and the segments of a run be read and duplicated, not changed', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const { items } = await call<{ items: { id: number; parameters: { name: string } }[] }>(
      tab,
      'GET',
      '/campaigns?filter.sortBy=Id&filter.order=DESC&filter.name=Slow%20bulbs',
    );
    const { id } = items[0]!;
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    const message = page.getByRole('region', { name: 'Message' });
    await message.getByText('Seeds', { exact: true }).waitFor();
    await page.frameLocator('iframe[title="Preview of the message"]').getByText('Hello').waitFor();
    await page.getByRole('region', { name: 'Segments' }).getByText('All', { exact: true }).waitFor();
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
    await page
      .getByText('The message and the segments cannot be changed now. Duplicate the campaign to change them.')
      .waitFor();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue(), soon).toBe('Slow bulbs (copy)');
    expect(page.url()).not.toMatch(new RegExp(`/${id}$`));
    expect(tab.faults).toEqual([]);
    await tab.close();
    // A reader sees it without names of relays, and without the means to duplicate it.
    const reader = await t.open();
    await call(reader, 'POST', '/admin/v1/users', {
      ...{ name: 'Rea', email: 'rea@shop.example', password: 'a long enough password' },
      sites: [{ name: 'demo', role: 'reader' }],
    });
    await reader.close();
    const rea = await t.open({ isSignedIn: false });
    await signIn(rea.page, {
      ...t.started,
      ...{ adminEmail: 'rea@shop.example', adminPassword: 'a long enough password' },
    });
    await rea.page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await rea.page
      .getByText('The message and the segments cannot be changed now.', { exact: true })
      .waitFor();
    const relays = rea.page.getByRole('region', { name: 'Relays' });
    await relays.getByText('Relay 1', { exact: true }).waitFor();
    expect(await relays.innerText()).not.toContain('127.0.0.1');
    expect(await rea.page.getByRole('button', { name: 'Duplicate' }).count()).toBe(0);
    expect(rea.faults).toEqual([]);
    await rea.close();
    const last = await t.open();
    await call(last, 'POST', '/campaigns/stop', id);
    await last.close();
  });

  it('says which date a campaign missed: in the overview, the list and the composer', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await start(tab, 'Missed seeds', '2040-07-02T05:30:00Z');
    // The service was down at the date, and for more than an hour after it.
    const missed = [id, '2026-03-02T06:00:00Z'];
    await changeDatabase(
      'update site_demo.campaign set calendar_dates = array[$2::timestamptz] where id = $1',
      missed,
    );
    await changeDatabase('update site_demo.job set scheduled_at = $2 where id_campaign = $1', missed);
    await changeDatabase(
      "update graphile_worker._private_jobs set run_at = now() where key like 'generate %'",
    );
    const state = async () =>
      (await call<{ schedulingInfos: { state: string } }>(tab, 'GET', `/campaigns/${id}`)).schedulingInfos
        .state;
    await expect.poll(state, { timeout: 60_000 }).toBe('Missed');
    await page.goto(`${t.url}/console/demo`);
    const attention = page.locator('section', {
      has: page.getByRole('heading', { name: 'Needs attention' }),
    });
    await attention
      .getByRole('listitem')
      .filter({ hasText: /A schedule was missed.*it was to start at Mon 2 Mar( 2026)?, 07:00,/s })
      .waitFor();
    await page.goto(`${t.url}/console/demo/campaigns?part=problems`);
    const row = page.getByRole('row').filter({ hasText: 'Missed seeds' });
    await row.getByText(/^Mon 2 Mar( 2026)?, 07:00$/).waitFor();
    await picture(tab, 'campaigns-problems');
    expect(await tab.audit()).toEqual([]);
    await row.getByRole('link', { name: 'Missed seeds' }).click();
    await page
      .getByText(
        /^It missed its date \(Mon 2 Mar( 2026)?, 07:00, Paris time\): it could not start within an hour\./,
      )
      .waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('unlocks a complaint alert after a question, for those who may', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await changeDatabase(
      `insert into facteur.alert
        (id_site, sender_domain, id_provider, level, hours, nb_sent, nb_complaints, raised_at)
      select id, 'news.example', 1, 3, 24, 2000, 20, now() from facteur.site where name = 'demo'`,
    );
    await page.goto(`${t.url}/console/demo`);
    const attention = page.locator('section', {
      has: page.getByRole('heading', { name: 'Needs attention' }),
    });
    const alert = attention.getByRole('listitem').filter({ hasText: 'gets no messages from news.example' });
    await alert.getByText('1% of messages in 24 hours', { exact: true }).waitFor();
    await alert.getByRole('button', { name: 'Unlock' }).click();
    const dialog = page.getByRole('dialog', { name: /^Send messages from news\.example to .* again\?$/ });
    await dialog.getByText('Messages leave an hour later.').waitFor();
    await picture(tab, 'overview-unlock');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave it suspended' }).click();
    await dialog.waitFor({ state: 'detached' });
    await alert.getByRole('button', { name: 'Unlock' }).click();
    await dialog.getByRole('button', { name: 'Send again in an hour' }).click();
    await dialog.waitFor({ state: 'detached' });
    await alert.getByText(/ · Unlocked: sending resumes on /).waitFor();
    expect(await alert.getByRole('button', { name: 'Unlock' }).count()).toBe(0);
    type Alert = { groupName: string; engagementDate: string | null };
    const alerts = await call<Alert[]>(tab, 'GET', '/admin/v1/alerts');
    expect(alerts.find(({ groupName }) => groupName === 'news.example')!.engagementDate).not.toBeNull();
    await changeDatabase('update facteur.alert set ended_at = now()');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'shows a relay that does not answer, a provider that defers, and missing records',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const closed = await freePort();
      await addRelay(tab, closed);
      const key = await call<{ dnsName: string; dnsText: string }>(
        tab,
        'POST',
        '/admin/v1/sites/demo/sending-domains',
        { domain: 'shop.example' },
      );
      dns.zone[key.dnsName] = { txt: [key.dnsText] };
      isDeferring = true;
      const ids: number[] = [];
      type Health = { relays: { state: string }[]; deferringProviders: unknown[] };
      // The engine reads the relays every few seconds: a sending that begins before that knows only the old one.
      const seen = async () => {
        // Each process writes what it sees every few seconds as well.
        const { relays, deferringProviders } = await call<Health>(tab, 'GET', '/sending-health');
        ids.push(await start(tab, `Deferred seeds ${ids.length}`));
        return [relays.map(({ state }) => state).sort(), deferringProviders.length];
      };
      await expect.poll(seen, { timeout: 120_000, interval: 8_000 }).toEqual([['down', 'up'], 1]);
      await page.goto(`${t.url}/console/demo`);
      const attention = page.locator('section', {
        has: page.getByRole('heading', { name: 'Needs attention' }),
      });
      const item = (title: string) => attention.getByRole('listitem').filter({ hasText: title });
      // Earlier sendings report problems as well.
      await attention.getByRole('button', { name: /^\d+ more$/ }).click();
      await item('Gmail defers messages').waitFor();
      await item('Gmail defers messages')
        .getByText(/^Since \d\d:\d\d it defers messages: now \d+\.\d% of/)
        .waitFor();
      await item('Gmail defers messages').getByRole('link', { name: 'View the replies' }).waitFor();
      await item(`127.0.0.1:${closed} does not answer`)
        .getByText(/^Last attempt: /)
        .waitFor();
      await item('DMARC of shop.example').getByText('The record is missing.').waitFor();
      await item('DMARC of shop.example').getByRole('link', { name: 'What to publish' }).waitFor();
      await item('SPF of localhost').waitFor();
      expect(await item('DKIM').count()).toBe(0);
      await page.getByRole('link', { name: 'A relay does not answer' }).waitFor();
      const french = await t.open({ language: 'fr-FR' });
      await french.page.goto(`${t.url}/console/demo`);
      await french.page.getByRole('link', { name: 'Un relais ne répond pas' }).waitFor();
      await french.close();
      await picture(tab, 'overview-attention');
      expect(await tab.audit()).toEqual([]);
      await item(`127.0.0.1:${closed} does not answer`)
        .getByRole('link', { name: 'Look at the relays' })
        .click();
      await page.waitForURL(/settings\/relays$/);
      isDeferring = false;
      for (const id of ids) await call(tab, 'POST', '/campaigns/stop', id);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, '?days=90', /^(By provider|Par fournisseur)$/, 'overview');
  });
});
