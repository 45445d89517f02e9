import { readFileSync } from 'node:fs';
import type { FrameLocator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { type SmtpSink, smtpSink } from './testing/smtp-sink.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
/** User agent of Apple's mail privacy proxy. */
const privacyProxy = 'Mozilla/5.0';

let t: ConsoleTester;
let sink: SmtpSink;
let idConfiguration: number;
/** Milliseconds that the relay takes for a message. */
let relayMs = 0;

const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** A message with one address in two places, another one, and a picture of another host. */
const htmlContent =
  '<p>Hello <a href="https://shop.example/guide?a=1&amp;b=2">The guide</a></p>' +
  '<p><a href=" https://shop.example/guide?a=1&amp;b=2 ">Again</a> <a href="https://shop.example/rules">Rules</a>' +
  '<img src="https://pictures.example/x.png" alt=""></p>';

/** Makes a target of the people at a domain. */
async function makeTarget(tab: ConsoleTab, name: string, domain: string): Promise<number> {
  const { id } = await call<{ id: number }>(tab, 'POST', '/targets', { name });
  const filters = [
    { idField: 7, operator: 'Equal', value: '0' },
    { idField: 1, operator: 'Contains', value: `@${domain}` },
  ];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget: id, isEnabled: true, filters });
  return id;
}

/** Makes a campaign with a segment for each target, and sends it now. */
async function send(
  tab: ConsoleTab,
  name: string,
  targets: readonly number[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns?trackAllLinks=true', {
    parameters: { name, subject: 'Seeds', mode: 'Simple', type: 'Newsletter', idConfiguration, ...more },
    htmlContent,
  });
  for (const idTarget of targets)
    await call(tab, 'POST', `/campaigns/${id}/segments`, {
      ...{ name: `Segment ${idTarget}`, idTarget, percent: 100, fixedValues: 0 },
    });
  await call(tab, 'POST', '/campaigns/send-now', id);
  return id;
}

/** Fetches an address of the service as a mail program does. */
async function visit(address: string, agent: string, method = 'GET'): Promise<void> {
  const { pathname, search } = new URL(address);
  const response = await fetch(`${t.url}${pathname}${search}`, {
    method,
    redirect: 'manual',
    headers: { 'user-agent': agent, 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
  });
  await response.arrayBuffer();
  expect(response.status).toBeLessThan(400);
}

/** Twelve people open, three machines do, six of the people and a scanner of a seventh click, and one unsubscribes. */
async function react(): Promise<void> {
  const messages = sink.messages.filter(({ to }) => to.endsWith('@post.example'));
  for (const [index, { raw }] of messages.slice(0, 15).entries()) {
    const { html = '', headers } = await PostalMime.parse(raw!);
    await visit(/<img[^>]+src="([^"]+\/o\/[^"]+)"/.exec(html)![1]!, index < 12 ? phone : privacyProxy);
    const agent = index < 6 ? phone : privacyProxy;
    if (index < 7) await visit(/href="([^"]+\/r\/[^"]+)"/.exec(html)![1]!, agent);
    const oneClick = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    if (index === 0) await visit(/<(https?:[^>]+)>/.exec(oneClick)![1]!, phone, 'POST');
  }
}

let idCampaign: number;

/** The message, in view: Chromium may lay out a sandboxed frame only there, and until then all in it is hidden. */
async function seenMessage(page: Page): Promise<FrameLocator> {
  // A frame is replaced when its text changes, for example when the shares of the links are read.
  await expect
    .poll(async () => {
      await page.locator('iframe').scrollIntoViewIfNeeded();
      return true;
    }, soon)
    .toBe(true);
  return page.frameLocator('iframe');
}

describeWith('chromium', 'the console after a sending', () => {
  beforeAll(async () => {
    sink = await smtpSink({
      keepRaw: true,
      get delayMs() {
        return relayMs;
      },
      misdeed: (to) => {
        if (to.startsWith('torn')) return 'takeAndTear';
        if (to.startsWith('deferred')) return { rcpt: '451 4.7.1 Greylisted' };
        return to.startsWith('refused') ? 'refuseData' : undefined;
      },
    });
    t = await openConsole({ FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8' });
    const tab = await t.open();
    const { page } = tab;
    const route = await page.request.post(`${t.url}/admin/v1/sites/demo/routes`, {
      headers: { origin: t.url },
      data: {
        ...{ host: '127.0.0.1', port: sink.port, tls: 'none', username: null, password: null },
        ...{ maxConnections: 4, messagesPerHour: 0 },
      },
    });
    expect(await route.text()).toContain('"success":true');
    const text = { id: null, fieldType: 'Text', length: 100, list: null };
    const name = await call<{ id: number }>(tab, 'POST', '/fields', { ...text, name: 'Name' });
    const city = await call<{ id: number }>(tab, 'POST', '/fields', { ...text, name: 'City' });
    const addresses = [
      ...Array.from({ length: 30 }, (_, index) => `reader${index + 1}@post.example`),
      ...['refused1@garden.example', 'refused2@garden.example', 'ines@gmail.com'],
      ...['deferred1@later.example', 'deferred2@later.example', 'malo@later.example'],
      ...['torn@torn.example', 'whole@torn.example'],
      ...Array.from({ length: 210 }, (_, index) => `refused${index + 1}@wall.example`),
    ];
    await call(
      tab,
      'POST',
      '/subscribers',
      addresses.map((value) => ({
        fields: [
          { idField: 1, value },
          ...(value.startsWith('reader')
            ? [
                { idField: name.id, value: `${hostile} ${value.slice(0, -'@post.example'.length)}` },
                { idField: city.id, value: 'Lyon' },
              ]
            : []),
        ],
      })),
    );
    const configuration = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
      ...{ name: 'News', senderEMail: 'news@shop.example', senderAlias: 'Shop', recipientAlias: '' },
      ...{ responseEMail: 'reply@shop.example', responseAlias: 'Shop', headerHtml: '', headerTxt: '' },
      ...{ footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>', footerTxt: '[[LINK.UNSUB]]' },
      objectPrefixBAT: '[TEST] ',
    });
    idConfiguration = configuration.id;
    const targets = [await makeTarget(tab, hostile, 'post.example'), await makeTarget(tab, 'Gardeners', 'g')];
    idCampaign = await send(tab, hostile, targets, { useListUnsubscribeHeader: true });
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    await page.getByText('From the audience to the clicks').waitFor({ timeout: 60_000 });
    await react();
    await tab.close();
  }, 240_000);
  afterAll(async () => {
    await t?.close();
    await sink?.close();
  });

  it('shows figures of people or with machines, and the people behind each', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    const step = (name: string) => page.locator('.funnel li', { hasText: new RegExp(`^${name}`) });
    await expect.poll(() => step('Opened').innerText(), soon).toMatch(/12[\s\S]*38\.7%/);
    await expect.poll(() => step('Clicked').innerText(), soon).toMatch(/6[\s\S]*19\.4%/);
    expect(await step('Audience').innerText()).toMatch(/33/);
    expect(await step('Sent').innerText()).toMatch(/31[\s\S]*93\.9%[\s\S]*2 not sent/);
    expect(await step('Unsubscribed').innerText()).toMatch(/1[\s\S]*3\.2%/);
    await page.getByText(/^It was sent (just now|\d+ minutes? ago)\./).waitFor();
    await page.getByText('Left out: 3 people whose messages only machines opened').waitFor();
    await page.getByRole('button', { name: 'With machines' }).click();
    await expect.poll(() => step('Opened').innerText(), soon).toMatch(/15[\s\S]*48\.4%/);
    await page.getByText('Included: 3 people').waitFor();
    await expect.poll(() => step('Clicked').innerText(), soon).toMatch(/7[\s\S]*22\.6%/);
    await page.getByRole('row', { name: /30 50\.0% 23\.3%$/ }).waitFor();
    await page.getByRole('row', { name: /guide.* 7 7$/ }).waitFor();
    await page.getByRole('button', { name: 'People', exact: true }).click();
    // Fewer than 20 people have no share.
    const few = page.getByRole('row', { name: /^Gardeners/ }).getByText('0 of 1');
    await few.first().waitFor();
    await page.getByRole('slider', { name: 'Over time' }).press('ArrowLeft');
    await page.getByText(/: 12 opens, 6 clicks|: 0 opens, 0 clicks/).waitFor();
    await page.getByRole('button', { name: 'Over time: Show as table' }).click();
    const numbers = page.getByRole('region', { name: 'Over time' });
    const figures = (await numbers.locator('td.num').allInnerTexts()).map(Number);
    const sumOf = (line: number) => figures.reduce((sum, n, i) => (i % 2 === line ? sum + n : sum), 0);
    expect([sumOf(0), sumOf(1)]).toEqual([12, 6]);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'report-numbers');
    await page.getByRole('button', { name: 'Over time: Hide the table' }).click();
    await numbers.waitFor({ state: 'hidden' });
    await step('Opened').getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: '12 people opened' });
    await expect.poll(() => drawer.getByRole('link').count(), soon).toBe(12);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'report-people');
    await drawer.getByRole('searchbox').fill('NOBODY');
    await drawer.getByText('Nobody here has “NOBODY” in their address or a text field.').waitFor();
    // The title keeps the whole number.
    for (const [part, count] of [
      ['@POST', 12],
      [hostile, 12],
      ['READER2', 1],
    ] as const) {
      await drawer.getByRole('searchbox').fill(part);
      await drawer.getByText(`${count} ${count === 1 ? 'is' : 'are'} shown.`, { exact: true }).waitFor();
      expect(await drawer.getByRole('link').count()).toBe(count);
    }
    await picture(tab, 'report-people-found');
    await drawer.getByRole('button', { name: 'Make a target of them' }).click();
    await drawer.getByLabel('Name of the target').fill(`Opened ${hostile}`);
    await drawer.getByRole('button', { name: 'Make the target' }).click();
    // One of the twelve has unsubscribed.
    await page.getByText(`The target “Opened ${hostile}” has 11 people.`).waitFor();
    await page
      .getByRole('row', { name: /shop\.example\/guide/ })
      .getByRole('button')
      .click();
    const clickers = page.getByRole('dialog', { name: '6 people clicked' });
    await expect.poll(() => clickers.getByRole('link').count(), soon).toBe(6);
    await clickers.getByRole('link').first().click();
    await page.waitForURL(/\/subscribers\/\d+$/);
    // The year of this person: a mark a week, the last of which is this one.
    const year = page.getByRole('region', { name: 'A year' });
    await expect
      .poll(async () => (await year.locator('dd').allInnerTexts()).slice(0, 3), soon)
      .toEqual(['1', '1', '1']);
    const marks = year.getByRole('group', { name: 'Weeks' }).getByRole('button');
    expect(await marks.count()).toBe(52);
    await marks.last().focus();
    await page.keyboard.press('ArrowLeft');
    await year.getByText(/^Week from .*: no message$/).waitFor();
    await page.keyboard.press('End');
    await year.getByText(/: clicked; /).waitFor();
    await picture(tab, 'subscriber-year');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Enter');
    const message = page.getByRole('dialog', { name: /^To reader\d+@post\.example, / });
    await message.frameLocator('iframe').getByText('The guide').waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await message.waitFor({ state: 'hidden' });
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Review and send' }).waitFor(soon);
    // The list of campaigns and the overview count the same people.
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.getByRole('button', { name: /^19\.4% clicked: / }).click();
    await expect.poll(() => clickers.getByRole('link').count(), soon).toBe(6);
    await page.goto(`${t.url}/console/demo`);
    await page
      .getByRole('region', { name: 'Last 30 days' })
      .getByRole('button', { name: /^Clicked: / })
      .click();
    await expect.poll(() => clickers.getByRole('link').count(), soon).toBe(6);
    // The filter on clicks would select the one whose scanner clicked, too. One of the six has unsubscribed.
    await clickers.getByRole('button', { name: 'Make a target of them' }).click();
    await clickers.getByLabel('Name of the target').fill('Clicked');
    await clickers.getByRole('button', { name: 'Make the target' }).click();
    await page.getByText('The target “Clicked” has 5 people.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'opens everyone of the audience, of a provider and of a segment, and limits the list',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
      const step = (name: string) =>
        page.locator('.funnel li', { hasText: new RegExp(`^${name}`) }).locator('.funnel-value');
      const drawer = page.getByRole('dialog');
      const linksOf = async (count: number) =>
        expect.poll(() => drawer.getByRole('link').count(), soon).toBe(count);
      const close = async () => {
        await page.keyboard.press('Escape');
        await drawer.waitFor({ state: 'hidden' });
      };
      await step('Delivered').getByRole('button').click();
      await page.getByRole('dialog', { name: '31 people: accepted, and not returned' }).waitFor();
      await linksOf(31);
      await close();
      await step('Sent').getByRole('button').click();
      await page.getByRole('dialog', { name: '31 people: the message was accepted' }).waitFor();
      await linksOf(31);
      await close();
      await step('Audience').getByRole('button').click();
      await page.getByRole('dialog', { name: '33 people in the audience' }).waitFor();
      await linksOf(33);
      await drawer.getByText(`${hostile} reader30`, { exact: true }).waitFor();
      await expect.poll(() => drawer.getByText('Lyon', { exact: true }).count(), soon).toBe(30);
      // Arrow keys move from the search into the list, and through it.
      const links = drawer.getByRole('link');
      const isFocused = (index: number) =>
        links.nth(index).evaluate((link) => link === link.ownerDocument.activeElement);
      await drawer.getByRole('searchbox').press('ArrowDown');
      await expect.poll(() => isFocused(0), soon).toBe(true);
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => isFocused(1), soon).toBe(true);
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => isFocused(0), soon).toBe(true);
      const segment = drawer.getByLabel('Only the people of a segment');
      const provider = drawer.getByLabel('Only the people of a provider');
      await segment.selectOption('Gardeners');
      await linksOf(3);
      await provider.selectOption('Others');
      await linksOf(2);
      await segment.selectOption('All segments');
      await linksOf(32);
      await provider.selectOption('Gmail');
      await linksOf(1);
      await picture(tab, 'report-people-limited');
      expect(await tab.audit()).toEqual([]);
      await drawer.getByRole('button', { name: 'Make a target of them' }).click();
      await drawer.getByLabel('Name of the target').fill('At Gmail');
      await drawer.getByRole('button', { name: 'Make the target' }).click();
      await page.getByText('The target “At Gmail” has 1 person.').waitFor();
      await drawer.waitFor({ state: 'hidden' });
      await page
        .getByRole('row', { name: /^Others/ })
        .getByRole('button')
        .nth(2)
        .click();
      await page.getByRole('dialog', { name: '12 people opened · Others' }).waitFor();
      await linksOf(12);
      expect(await provider.count()).toBe(0);
      await close();
      await step('Clicked').getByRole('button').click();
      const link = drawer.getByLabel('Only the people who clicked a link');
      await link.selectOption({ label: 'https://shop.example/rules' });
      await linksOf(0);
      await link.selectOption({ label: 'https://shop.example/guide?a=1&b=2' });
      await linksOf(6);
      await links.first().press('Enter');
      await page.waitForURL(/\/subscribers\/\d+$/);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it(
    'has steps in lines, shares in a table and the rarer actions in a menu on a phone',
    patience,
    async () => {
      const tab = await t.open({ width: 390 });
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
      const step = page.locator('.funnel li', { hasText: /^Opened/ });
      await expect.poll(() => step.innerText(), soon).toMatch(/12[\s\S]*38\.7%/);
      const tops = async (...parts: string[]) => {
        const boxes = await Promise.all(parts.map((one) => step.locator(one).boundingBox()));
        return boxes.map((box) => box!.y + box!.height / 2);
      };
      const [word, number, share, bar, loss] = await tops(
        ...['.strong', '.funnel-value', '.funnel-share', '.meter', '.funnel-note'],
      );
      expect(Math.abs(word! - number!)).toBeLessThan(6);
      expect(Math.abs(word! - share!)).toBeLessThan(6);
      expect(bar).toBeGreaterThan(number! + 6);
      expect(loss).toBeGreaterThan(bar! + 6);
      const providers = page
        .getByRole('table')
        .filter({ has: page.getByRole('columnheader', { name: 'Provider' }) });
      await expect
        .poll(() => providers.getByRole('columnheader').allInnerTexts(), soon)
        .toEqual(['Provider', 'Delivered', 'Opened', 'Clicked']);
      expect(await page.getByRole('button', { name: 'Write to those who did not open' }).count()).toBe(0);
      await page.getByRole('button', { name: /^Actions: / }).click();
      await expect
        .poll(() => page.getByRole('menuitem').allInnerTexts(), soon)
        .toEqual(['Write to those who did not open', 'Duplicate', 'Send it again…', 'Page to share']);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      const back = page.locator('.topbar').getByRole('link', { name: 'Campaigns' });
      await back.click();
      await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('closes what is open above a screen by Back, and leaves nothing of it behind', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    const opener = page.getByRole('button', { name: '12', exact: true }).first();
    const drawer = page.getByRole('dialog', { name: '12 people opened' });
    const place = (): Promise<unknown[]> =>
      page.evaluate('[location.href, Math.round(scrollY), history.length]');
    const open = async () => {
      await opener.click();
      await drawer.getByRole('link').first().waitFor();
    };
    await opener.scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 120);
    await open();
    const before = await place();
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    expect(await place()).toEqual(before);
    await expect.poll(() => opener.evaluate((one) => one.matches(':focus')), soon).toBe(true);
    // Forward opens nothing, and the next dialog has no second entry.
    await page.goForward();
    expect(await drawer.isVisible()).toBe(false);
    await open();
    expect(await place()).toEqual(before);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await place()).toEqual(before);
    // A person who is opened from the drawer leads back to the report.
    await open();
    await drawer.getByRole('link').first().click();
    await page.waitForURL(/\/subscribers\/\d+$/);
    await opener.waitFor({ state: 'detached' });
    await page.goBack();
    await opener.waitFor();
    expect(page.url()).toBe(before[0]);
    expect(await drawer.isVisible()).toBe(false);
    // After a reload, nothing of a dialog is left but its entry, which Back passes.
    await page.goto(`${t.url}/console/demo/targets`);
    await page.getByRole('button', { name: 'New target' }).click();
    await page.getByRole('dialog').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'New target' }).waitFor();
    await page.evaluate('history.back()');
    await opener.waitFor();
    // A list that is searched after a dialog keeps its search, also below a person.
    await page.goto(`${t.url}/console/demo/subscribers`);
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('searchbox').fill('reader12');
    await page.waitForURL(/reader12/);
    await page.getByRole('row', { name: 'reader12@' }).getByRole('link').first().click();
    await page.waitForURL(/\/subscribers\/\d+$/);
    await page.goBack();
    await page.waitForURL(/reader12/);
    await expect.poll(() => page.getByRole('searchbox').inputValue(), soon).toBe('reader12');
    // So does one under the palette, which Back closes.
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(page.url()).toContain('reader12');
    await page.goBack();
    await opener.waitFor();
    // After Back and Forward over that search, too, Back closes a dialog and stays on the screen.
    await page.goForward();
    await page.goForward();
    await page.waitForURL(/reader12/);
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(page.url()).toContain('reader12');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('opens people in a sheet on a phone, with its actions at the bottom', patience, async () => {
    const tab = await t.open({ width: 390, isDark: true });
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    await page.getByRole('button', { name: '12', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: '12 people opened' });
    await expect.poll(() => sheet.getByRole('link').count(), soon).toBe(12);
    const bottom = async (name: string) => {
      const { y, height } = (await sheet.getByRole('button', { name }).boundingBox())!;
      return Math.round(y + height);
    };
    for (const name of ['Export', 'Make a target of them']) {
      await expect.poll(() => bottom(name), soon).toBe(832);
    }
    expect((await sheet.boundingBox())!.width).toBe(390);
    await picture(tab, 'report-people-sheet');
    await sheet.getByRole('searchbox').fill('ler3@post');
    await sheet.getByText('Nobody here has “ler3@post” in their address or a text field.').waitFor();
    await picture(tab, 'report-people-sheet-none');
    expect(await tab.audit()).toEqual([]);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'hidden' });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('lists who was not reached, exports, and shares a page', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    await (await seenMessage(page)).getByText('Hello').waitFor();
    const note = page.locator('.note', { hasText: 'Not reached: 2 people.' });
    await note.getByRole('button', { name: '2', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: '2 people: the message was rejected' });
    await drawer.getByRole('link', { name: 'refused1@garden.example' }).waitFor();
    await drawer.getByText(/554/).first().waitFor();
    await page.keyboard.press('Escape');
    await note.getByRole('button', { name: 'Resend to them' }).click();
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('What the file lists').selectOption({ label: 'People who clicked' });
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await page.getByText(`You will get an email at ${t.started.adminEmail}.`).waitFor();
    const exports = await call<{ items: unknown[] }>(
      tab,
      'GET',
      '/exports?filter.sortBy=Id&filter.order=DESC',
    );
    expect(exports.items).toHaveLength(1);
    await page.getByRole('button', { name: /^Actions:/ }).click();
    await page.getByRole('menuitem', { name: 'Page to share' }).click();
    await page.getByRole('button', { name: 'Make the page' }).click();
    const address = await page.getByRole('dialog').locator('code').innerText();
    const shared = await fetch(address);
    expect(shared.status).toBe(200);
    expect(await shared.text()).not.toContain('<img src=x');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'shows the share of the clicks at each link of the message, and fetches no picture',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
      const frame = await seenMessage(page);
      // Fewer than 20 clicks have no share. The address is in two places, and has one figure.
      await expect.poll(() => frame.getByText('1 · 6 of 6').count(), soon).toBe(2);
      await frame.getByText('2 · 0 of 6').waitFor();
      await page.getByText('One address is in several places: its figure is for all of them.').waitFor();
      const rows = page.getByRole('row', { name: /shop\.example/ });
      await expect
        .poll(() => rows.allInnerTexts(), soon)
        .toEqual([expect.stringMatching(/^1[\s\S]*guide/), expect.stringMatching(/^2[\s\S]*rules/)]);
      expect(await frame.locator('img').first().getAttribute('src')).toBeNull();
      await picture(tab, 'report-map');
      expect(await tab.audit()).toEqual([]);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, `/campaigns/${idCampaign}`, /By provider|Par fournisseur/, 'report');
    await auditEverywhere(t, '?days=90', /Needs attention|À voir/, 'overview');
  });

  it('says what needs attention, hides it for a day, and keeps the period', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo`);
    await page.getByText('No DKIM key for shop.example').waitFor();
    await page
      .getByText(/2 refused/)
      .first()
      .waitFor();
    await page.getByLabel('Period').selectOption('7');
    await page.waitForURL(/days=7/);
    await page.reload();
    await expect.poll(() => page.getByLabel('Period').inputValue(), soon).toBe('7');
    await page.getByRole('button', { name: 'Hide until tomorrow: No DKIM key for shop.example' }).click();
    await page.reload();
    await page
      .getByText(/2 refused/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText('No DKIM key for shop.example').count(), soon).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('follows, pauses, resumes and stops a sending by its numbers', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const idTarget = await makeTarget(tab, 'Slowly', 'post.example');
    // Four connections, so that it can be watched for a minute.
    relayMs = 12_000;
    const takenBefore = sink.messages.length;
    const id = await send(tab, `Slow ${hostile}`, [idTarget]);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await page.getByText('Accepted by the relays').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.title(), soon).toMatch(/^\d+% · Slow <img/);
    await page.getByText('Providers that slow the sending').waitFor();
    await page.getByRole('slider', { name: 'Accepted a second' }).waitFor();
    await expect.poll(() => page.locator('.run-states li').count(), soon).toBe(7);
    await auditEverywhere(t, `/campaigns/${id}`, /^(Not accepted yet|Pas encore acceptés)$/, 'run');
    const speed = page.locator('dd').first();
    await expect.poll(() => speed.innerText(), soon).toMatch(/a second$/);
    // Without news for half a minute nothing is known of the speed.
    await page.route('**/sendings', (route) => route.abort());
    await page.evaluate('globalThis.realNow = Date.now; Date.now = () => realNow() + 40_000');
    await page.getByText(/^No update for \d+ s$/).waitFor();
    await expect.poll(() => page.locator('dd').allInnerTexts(), soon).toEqual(['–', '–', '–']);
    await page.evaluate('Date.now = realNow');
    await page.unroute('**/sendings');
    const accepted = page.locator('.run-states li', { hasText: /^Accepted/ });
    await accepted.getByRole('button').click();
    const delivered = page.getByRole('dialog', { name: /accepted, and not returned$/ });
    await delivered
      .getByRole('link', { name: /@post\.example$/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await delivered.waitFor({ state: 'hidden' });
    const others = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Others' }) });
    await others.getByRole('cell').nth(1).getByRole('button').click();
    const ofProvider = page.getByRole('dialog', { name: /: the message was accepted · Others$/ });
    await ofProvider
      .getByRole('link', { name: /@post\.example$/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await ofProvider.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused: \d+ people are waiting\.$/).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText(/ paused it\.$/).waitFor();
    expect(await page.getByText('Paused automatically').count()).toBe(0);
    // The relay is still accepting some, who would leave the lists below.
    const beingAccepted = async () =>
      sink.messages.length - takenBefore - Number(/\d+/.exec(await accepted.innerText())?.[0]);
    await expect.poll(beingAccepted, soon).toBe(0);
    // What is left opens its people: of all, of a provider.
    let waiting = '';
    for (const [figure, title] of [
      [page.locator('.run-states li', { hasText: 'Not accepted yet' }), /^\d+ people not attempted yet$/],
      [others.getByRole('cell').nth(2), /^\d+ people without a result, deferred ones included · Others$/],
    ] as const) {
      await figure.getByRole('button').click();
      const left = page.getByRole('dialog', { name: title });
      await left.getByText('While the sending runs, this list changes every second.').waitFor();
      waiting ||= await left.getByRole('link').last().innerText();
      await left.getByRole('searchbox').fill(waiting.toUpperCase());
      await expect.poll(() => left.getByRole('link').allInnerTexts(), soon).toEqual([waiting]);
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'run-left');
      await page.keyboard.press('Escape');
      await left.waitFor({ state: 'hidden' });
    }
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^Paused: \d+ people/).waitFor({ state: 'detached' });
    await happened.getByText(/ resumed it\.$/).waitFor();
    // The freezing of so few people takes no time: the response is made what it is for many.
    await tab.context.route('**/statistics/jobs?*', async (route) => {
      const reply = await (await route.fetch({ maxRetries: 3 })).json();
      const data = [{ ...reply.data[0], jobStateName: 'Generating', nbAddressToSend: 204_000 }];
      await route.fulfill({ json: { ...reply, data } });
    });
    await page.getByText('Freezing the audience: 204,000 people so far').waitFor();
    await page.getByRole('progressbar', { name: /^Freezing the audience: 204,000/ }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'freezing');
    await tab.context.unroute('**/statistics/jobs?*');
    await page.getByText('Accepted by the relays').waitFor();
    await page.getByRole('button', { name: 'Stop permanently' }).click();
    await page.getByText(/^\d+ (person has|people have) it\. \d+ will not get it, and the sending/).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: /^Stop, leave out \d+ people$/ }).click();
    await page.getByText('From the audience to the clicks').waitFor({ timeout: 60_000 });
    relayMs = 0;
    // The browser writes each request that was cut off above.
    const isCutOff = (fault: string) => fault === 'Failed to load resource: net::ERR_FAILED';
    expect(tab.faults.filter((fault) => !isCutOff(fault))).toEqual([]);
    await tab.close();
  });

  it('writes to the people who got the message and did not open it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
    await page.getByRole('button', { name: 'Write to those who did not open' }).click();
    // 31 have it, 12 of them opened.
    await page.getByText(`The target “Did not open: ${hostile}” has 19 people.`).waitFor();
    await page.getByLabel('Subject').waitFor();
    expect(page.url()).not.toContain(`/campaigns/${idCampaign}`);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('opens the people whose message a relay deferred', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const targets = [
      await makeTarget(tab, 'Later', 'later.example'),
      await makeTarget(tab, 'At once', 'gmail.com'),
    ];
    const id = await send(tab, 'Deferred people', targets);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    const deferred = page.locator('.run-states li', { hasText: 'Deferred, being retried' });
    await expect.poll(() => deferred.innerText(), { timeout: 60_000 }).toMatch(/\b2$/);
    // Its lists are limited as those of a report.
    const accepted = page.locator('.run-states li', { hasText: /^Accepted/ });
    await expect.poll(() => accepted.innerText(), soon).toMatch(/\b2$/);
    await accepted.getByRole('button').click();
    const delivered = page.getByRole('dialog', { name: '2 people: accepted, and not returned' });
    const isListed = async (...people: string[]) => {
      const links = delivered.getByRole('link');
      await expect.poll(async () => (await links.allInnerTexts()).sort(), soon).toEqual(people);
    };
    await isListed('ines@gmail.com', 'malo@later.example');
    // The sums open their people, also those of a segment.
    await page.keyboard.press('Escape');
    await delivered.waitFor({ state: 'hidden' });
    for (const [figure, title, people] of [
      [page.locator('.big'), '2 people: the message was accepted', 2],
      [page.getByRole('button', { name: 'of 4', exact: true }), '4 people in the audience', 4],
      [page.getByRole('button', { name: 'of 1', exact: true }), '1 person in the audience · At once', 1],
    ] as const) {
      await figure.click();
      const drawer = page.getByRole('dialog', { name: title, exact: true });
      await expect.poll(() => drawer.getByRole('link').count(), soon).toBe(people);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'hidden' });
    }
    const slow = page.getByRole('row', { name: /^Others/ });
    await slow.getByText('451').waitFor();
    await picture(tab, 'run-provider-reply');
    await accepted.getByRole('button').click();
    await isListed('ines@gmail.com', 'malo@later.example');
    const segment = page.getByRole('dialog').getByLabel('Only the people of a segment');
    const provider = page.getByRole('dialog').getByLabel('Only the people of a provider');
    await segment.selectOption('At once');
    await isListed('ines@gmail.com');
    await segment.selectOption('All segments');
    await provider.selectOption('Others');
    await isListed('malo@later.example');
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'run-people-limited');
    await page.keyboard.press('Escape');
    await delivered.waitFor({ state: 'hidden' });
    await deferred.getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: '2 people: deferred, being retried' });
    await segment.selectOption('At once');
    await drawer.getByText('Nobody is listed.').waitFor();
    await segment.selectOption('All segments');
    // The service does not list those who were not reached by provider.
    expect(await provider.count()).toBe(0);
    await drawer.getByRole('link', { name: 'deferred1@later.example' }).waitFor();
    await drawer
      .getByText('the relay deferred the message, which is retried (SMTP code 451)')
      .first()
      .waitFor();
    expect(await tab.audit()).toEqual([]);
    // No filter knows them: the target lists them.
    await drawer.getByRole('button', { name: 'Make a target of them' }).click();
    await drawer.getByLabel('Name of the target').fill('Deferred');
    // Meanwhile there are more than a target can list: nobody is left out in silence.
    await page.route('**/unreached?*', async (route) => {
      const { searchParams } = new URL(route.request().url());
      const [after, limit] = ['after', 'limit'].map((name) => Number(searchParams.get(name) ?? 0));
      const data = Array.from({ length: limit! }, (_, index) => ({
        ...{ idSubscriber: after! + index + 1, email: null, state: 'deferred', reason: '' },
      }));
      await route.fulfill({ json: { data } });
    });
    await drawer.getByRole('button', { name: 'Make the target' }).click();
    await drawer.getByText('There are more than 10,000 people now.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await drawer.getByRole('button', { name: 'Make the target' }).click();
    await page.getByText('The target “Deferred” has 2 people.').waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText('First deferral with 451; the sending went on. So far: 2 people.').waitFor();
    const replies = page.getByRole('region', { name: 'Replies of mail servers' });
    await replies.getByRole('row', { name: /^451/ }).getByRole('button', { name: '2' }).click();
    const replied = page.getByRole('dialog', { name: '2 people with the reply 451' });
    await replied.getByRole('link', { name: 'deferred2@later.example' }).waitFor();
    await page.keyboard.press('Escape');
    await replied.waitFor({ state: 'hidden' });
    // Of many people, the drawer names its limit before a target is asked for.
    await page.route('**/server-replies?*', async (route) => {
      const { data } = await (await route.fetch({ maxRetries: 3 })).json();
      const many = (data as object[]).map((one) => ({ ...one, nbPeople: 25_000 }));
      await route.fulfill({ json: { data: many } });
    });
    await page.reload();
    await replies.getByRole('button', { name: '25,000' }).click();
    await page.getByText('These are too many for a target: it can list at most 10,000 people.').waitFor();
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'people-limits');
    await call(tab, 'POST', '/campaigns/stop', id);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('says why a sending was paused by itself, and how many wait', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await send(tab, 'Wall', [await makeTarget(tab, 'Wall', 'wall.example')]);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    const note = page.locator('.note', { hasText: 'Paused automatically:' });
    await note.getByText(/The relay permanently rejected \d+ of 200 messages/).waitFor({ timeout: 90_000 });
    // At least 200 have a result.
    await page.getByRole('button', { name: /^Resume for \d+ (person|people)$/ }).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText(/^Paused automatically\. The relay permanently rejected/).waitFor();
    await happened
      .getByText(/^First rejection with 554; the sending went on\. So far: \d+ people\.$/)
      .waitFor();
    await auditEverywhere(
      t,
      `/campaigns/${id}`,
      /^(Paused automatically:|Mise en pause automatique\s:)/,
      'wall',
    );
    const french = await t.open({ language: 'fr-FR' });
    for (const path of [`/campaigns/${id}`, '', '/campaigns?part=problems']) {
      await french.page.goto(`${t.url}/console/demo${path}`);
      const reason = /Le relais a refusé \d+ messages sur 200.*L’envoi est en pause\s: reprenez-le/;
      await french.page.getByText(reason).first().waitFor(soon);
      expect(await french.page.locator('main').innerText()).not.toMatch(/permanently|is paused/i);
    }
    await french.close();
    // Until it is known why it is paused, it needs attention as well.
    const unread = await t.open();
    await unread.context.route(/statistics\/jobs\?.*idsCampaign/, (route) =>
      route.fulfill({ status: 400, json: { success: false } }),
    );
    await unread.page.goto(`${t.url}/console/demo`);
    await unread.page.locator('.attention li', { hasText: /is paused.*Wall/ }).waitFor();
    await unread.close();
    const replies = page.getByRole('region', { name: 'Replies of mail servers' });
    const row = replies.getByRole('row', { name: /^554 5\.7\.1/ });
    await row.getByText('554 5.7.1 not wanted').waitFor();
    await row.getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: /people with the reply 554 5\.7\.1$/ });
    // The button keeps the focus while the next page is read.
    const more = drawer.getByRole('button', { name: 'Show more' });
    await more.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => drawer.getByRole('listitem').count(), soon).toBeGreaterThanOrEqual(100);
    await drawer.locator('button:focus', { hasText: 'Show more' }).waitFor();
    // More than 200, in pages of 50 that follow when the end comes into sight.
    await expect
      .poll(async () => {
        await drawer.getByRole('listitem').last().scrollIntoViewIfNeeded();
        return drawer.getByRole('listitem').count();
      }, soon)
      .toBeGreaterThanOrEqual(200);
    await drawer.getByRole('searchbox').fill('refused10@');
    await expect.poll(() => drawer.getByRole('link').allInnerTexts(), soon).toHaveLength(1);
    const saved = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Export' }).click();
    const file = readFileSync(await (await saved).path(), 'utf8');
    expect(file).toMatch(/^\ufeff"Number";"Email";"Reason"\r\n/);
    expect(file.split('@wall.example"').length - 1).toBeGreaterThanOrEqual(200);
    expect(await tab.audit()).toEqual([]);
    // A list without an end: it is read until its drawer closes.
    let pages = 0;
    await page.route('**/statistics/people?*', async (route) => {
      pages += 1;
      const data = Array.from({ length: 1_000 }, (_, index) => ({
        idSubscriber: pages * 1_000 + index,
        email: null,
      }));
      await route.fulfill({ json: { data } });
    });
    await drawer.getByRole('button', { name: 'Export' }).click();
    await expect.poll(() => pages, soon).toBeGreaterThan(2);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    const readMore = async () => {
      const before = pages;
      await page.waitForTimeout(1_000);
      return pages - before;
    };
    await expect.poll(readMore, soon).toBe(0);
    await call(tab, 'POST', '/campaigns/stop', id);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('announces the end of a sending on every screen once, with its uncertain people', patience, async () => {
    const sender = await t.open();
    const tab = await t.open();
    const { page } = tab;
    const looks = () =>
      page.waitForResponse((response) => response.url().includes('filters.paginationLines=50'));
    const [idTarget, looked] = [await makeTarget(sender, 'Torn', 'torn.example'), looks()];
    await page.goto(`${t.url}/console/demo/targets`);
    await looked;
    const id = await send(sender, `Torn ${hostile}`, [idTarget]);
    const end = page.locator('.toast', { hasText: `“Torn ${hostile}” was sent to 1 person, not to all.` });
    // What others start is noticed within a minute, or when the tab is shown again.
    const shownAgain = async () => {
      await page.locator('body').dispatchEvent('visibilitychange');
      return end.getByText('Uncertain: 1.').count();
    };
    await expect.poll(shownAgain, { timeout: 120_000, interval: 1_000 }).toBe(1);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'ended');
    await end.getByRole('button', { name: 'Open the report' }).click();
    await page.getByText('From the audience to the clicks').waitFor();
    expect(page.url()).toContain(`/campaigns/${id}`);
    await page.getByText('Sent, not to all: 1 uncertain').waitFor();
    const again = looks();
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.getByRole('row', { name: /Torn/ }).getByText('Sent, not to all: 1 uncertain').waitFor();
    await again;
    expect(await page.locator('.toast').count()).toBe(0);
    await page.goto(`${t.url}/console/demo`);
    await page.getByText('Unknown whether 1 person got a message').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
    await sender.close();
  });

  it('shows the variants of an A/B test, and the winner with the reason and the time', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const idTarget = await makeTarget(tab, 'Tested', 'post.example');
    const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns', {
      parameters: {
        ...{ name: 'Two subjects', subject: 'Neither', type: 'Newsletter', idConfiguration },
        ...{ mode: 'TestAb', isAbTest: true, abTestType: 'Subject', nbTests: 2 },
      },
      htmlContent,
    });
    for (const [name, mailObject, fixedValues] of [
      ['A', hostile, 5],
      ['B', 'Subject B', 5],
      ['Rest', null, 0],
    ] as const)
      await call(tab, 'POST', `/campaigns/${id}/segments`, {
        ...{ name, idTarget, mailObject, fixedValues, percent: 100 },
      });
    await call(tab, 'POST', '/campaigns/send-now', id);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    const test = page.getByRole('region', { name: 'A/B test' });
    await test.getByText(/^The winner is chosen on .*, on human opens\.$/).waitFor({ timeout: 60_000 });
    await expect.poll(() => test.getByRole('row', { name: /Subject B/ }).innerText(), soon).toMatch(/\b5\b/);
    await test
      .getByRole('row', { name: /The others/ })
      .getByText('They wait')
      .waitFor();
    await auditEverywhere(t, `/campaigns/${id}`, /^(A\/B test|Test A\/B)$/, 'ab-waiting');
    // The winner is chosen four hours later: the response is made what it will be then.
    const decide = async (reason: 'best' | 'tooFew') =>
      tab.context.route('**/ab-tests', async (route) => {
        const reply = await (await route.fetch({ maxRetries: 3 })).json();
        const [one] = reply.data;
        const [first, second] = one.variants;
        const variants = [
          { ...first, readers: 20, delivered: 60 },
          { ...second, readers: 30, delivered: 60 },
        ];
        const idWinner = reason === 'best' ? second.idSent : first.idSent;
        const data = [{ ...one, variants, idWinner, reason, decidedAt: '2026-11-25T12:05:00Z' }];
        await route.fulfill({ json: { ...reply, data } });
      });
    await decide('best');
    await page.reload();
    await test.getByText(/^Chosen on .*13:05: the winner has the largest share of human opens/).waitFor();
    const winner = test.getByRole('row', { name: /Subject B/ }).first();
    await winner.getByText('Winner').waitFor();
    await winner.getByText('50.0%').waitFor();
    await test.getByText('They get “Subject B”.').waitFor();
    await picture(tab, 'ab-decided');
    expect(await tab.audit()).toEqual([]);
    await tab.context.unroute('**/ab-tests');
    await decide('tooFew');
    await page.reload();
    await test.getByText(/a variant has fewer than 50 delivered messages/).waitFor();
    await tab.context.unroute('**/ab-tests');
    await call(tab, 'POST', '/campaigns/stop', id);
    await page.getByText('From the audience to the clicks').waitFor({ timeout: 60_000 });
    await test.getByText('The sending ended before a winner was chosen.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
