import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, signIn } from './testing/console.ts';
import { type FilledConsole, openFilledConsole } from './testing/console-demo.ts';
import { addressesOf, callSite, picture, routesOf, settled, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Many screens, on a machine that may be busy. */
const patience = { timeout: 300_000 };
/** Buttons of a screen that a reader presses. */
const mostPressed = 16;
const password = 'a password that is long';

const roles = ['reader', 'editor', 'sender'] as const;
type Role = (typeof roles)[number];

let t: FilledConsole;
/** Another draft, which is scheduled for a far date. */
let idScheduled: number;

/** The right that each operation needs, as its description says. */
const rightOf = readRights();
const scopes = ['read', 'write', 'send', 'admin'];
const mostOf: Readonly<Record<Role, string>> = { reader: 'read', editor: 'write', sender: 'send' };

function readRights(): (method: string, path: string) => string | undefined {
  type Described = { readonly description?: string };
  const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { description = '' }]) => ({
      method: method.toUpperCase(),
      // Names before parameters: `/targets/all` is no target.
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length,
      right: /Needs the right `(\w+)`/.exec(description)?.[1],
    })),
  );
  operations.sort((a, b) => a.parameters - b.parameters);
  return (method, path) => operations.find((one) => one.method === method && one.pattern.test(path))?.right;
}

interface RoleTab extends ConsoleTab {
  /** Requests beyond the role, and responses 403, each in words. */
  readonly beyond: readonly string[];
}

/** Signs a user of a role in, and watches the requests of the console. */
async function openAs(role: Role, width = 1280): Promise<RoleTab> {
  const tab = await t.open({ isSignedIn: false, width });
  const beyond: string[] = [];
  tab.page.on('response', (response) => {
    const method = response.request().method();
    const { pathname } = new URL(response.url());
    if (response.status() === 403) beyond.push(`403 ${method} ${pathname}`);
    const right = rightOf(method, pathname);
    if (right && scopes.indexOf(right) > scopes.indexOf(mostOf[role]))
      beyond.push(`${right} ${method} ${pathname}`);
  });
  await signIn(tab.page, { ...t.started, adminEmail: `${role}@shop.example`, adminPassword: password });
  return { ...tab, beyond };
}

const open = async (page: Page, address: string) => {
  await page.goto(`${t.url}/console${address}`);
  await settled(page);
};

/** The addresses of every screen of the site; a campaign in each of its states. */
async function screens(page: Page): Promise<string[]> {
  const routes = (await routesOf(page)).filter((route) => route.startsWith('/$site'));
  const all = routes.flatMap((route) => addressesOf(route, t.records));
  return [...all, `/demo/campaigns/${idScheduled}`, '/demo/imports/new?file=unknown.csv'];
}

/** What is open over a screen; lists that are not open are hidden. */
const opened = (page: Page) =>
  page.locator('[role="dialog"]:visible, [role="menu"]:visible, [role="listbox"]:visible');

/** Closes what is open over the screen. */
async function closeAll(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      if ((await opened(page).count()) > 0) await page.keyboard.press('Escape');
      return opened(page).count();
    }, soon)
    .toBe(0);
}

/** Presses the buttons of the content one after the other, and those of what each opens. Returns how many. */
async function pressEverything(page: Page, address: string): Promise<number> {
  let pressed = 0;
  const inContent = page.locator('main button:visible:enabled');
  for (let index = 0; index < (await inContent.count()) && index < mostPressed; index++) {
    await inContent
      .nth(index)
      .click({ timeout: 1_000 })
      .catch(() => undefined);
    pressed += 1;
    const inside = opened(page).locator('button:visible:enabled, [role="menuitem"]:visible');
    for (let item = 0; item < (await inside.count()) && item < 4; item++) {
      await inside
        .nth(item)
        .click({ timeout: 500 })
        .catch(() => undefined);
      pressed += 1;
    }
    await closeAll(page);
    if (new URL(page.url()).pathname !== `/console${address}`) await open(page, address);
  }
  return pressed;
}

/** Buttons and links of a screen that need the right to change, and those that need the right to send. */
const actions: readonly {
  readonly address: () => string;
  readonly write: readonly (string | RegExp)[];
  readonly send: readonly (string | RegExp)[];
}[] = [
  { address: () => '/demo/campaigns', write: ['New campaign', /^Actions for /], send: [] },
  {
    address: () => `/demo/campaigns/${t.records.idDraft}`,
    write: [],
    send: ['Send a test', 'Plan it', 'Review and send'],
  },
  {
    address: () => `/demo/campaigns/${t.records.idCampaign}`,
    write: ['Export', 'Write to those who did not open'],
    send: [],
  },
  { address: () => `/demo/campaigns/${idScheduled}`, write: [], send: ['Remove the schedule'] },
  { address: () => '/demo/subscribers', write: [/^Add/], send: [] },
  {
    address: () => `/demo/subscribers/${t.records.idSubscriber}`,
    write: [/^(Unsubscribe|Subscribe again)$/, 'More'],
    send: [],
  },
  { address: () => '/demo/targets', write: ['New target'], send: [] },
  { address: () => `/demo/targets/${t.records.idTarget}`, write: ['Duplicate', 'Archive'], send: [] },
  { address: () => '/demo/exports', write: ['New export'], send: [] },
  { address: () => '/demo/library', write: [/^Upload/], send: [] },
  { address: () => '/demo/settings/fields', write: ['New field'], send: [] },
  { address: () => '/demo/settings/senders', write: ['New configuration'], send: [] },
];

/** Whether a page has a button or link of this name. */
async function isOnPage(page: Page, name: string | RegExp): Promise<boolean> {
  const exact = typeof name === 'string' ? { name, exact: true } : { name };
  // Records may have such a name too; the links to actions are in the head.
  const link = page.locator('.head').getByRole('link', exact);
  return (await page.getByRole('button', exact).or(link).count()) > 0;
}

describeWith('chromium', 'what each right sees and does in the console', () => {
  beforeAll(async () => {
    t = await openFilledConsole(600);
    const admin = await t.open();
    const { page } = admin;
    for (const role of roles) {
      const made = await page.request.post(`${t.url}/admin/v1/users`, {
        headers: { origin: t.url },
        data: { name: role, email: `${role}@shop.example`, password, sites: [{ name: 'demo', role }] },
      });
      expect(await made.text()).toContain('"success":true');
    }
    const { parameters, htmlContent } = await callSite<{ parameters: object; htmlContent: string }>(
      ...([t, admin, 'GET', `/campaigns/${t.records.idDraft}`] as const),
    );
    const body = { parameters: { ...parameters, name: 'On a date' }, htmlContent };
    idScheduled = (await callSite<{ id: number }>(t, admin, 'POST', '/campaigns', body)).id;
    await callSite(t, admin, 'POST', `/campaigns/${idScheduled}/segments`, {
      ...{ name: 'All', idTarget: t.records.idTarget, percent: 100, fixedValues: 0 },
    });
    await callSite(t, admin, 'POST', `/campaigns/${idScheduled}/schedule/calendar`, ['2040-07-02T05:30:00Z']);
    await admin.close();
  }, 240_000);
  afterAll(async () => {
    await t?.close();
  });

  // The requests of a reader's screens are watched below, while every button is pressed.
  it.each(['editor', 'sender'] as const)(
    '%s: every screen asks only for what the right allows',
    patience,
    async (role) => {
      const tab = await openAs(role);
      const { page } = tab;
      for (const address of await screens(page)) {
        await open(page, address);
        const failed = await page.locator('.empty[role=alert]').allInnerTexts();
        // An address of a file that is not there says so to those who may read it.
        if (!address.includes('unknown.csv')) expect([address, failed]).toEqual([address, []]);
        expect([address, tab.beyond]).toEqual([address, []]);
      }
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('reader: no button of any screen is refused or writes', patience, async () => {
    const tab = await openAs('reader');
    const { page } = tab;
    let pressed = 0;
    for (const address of await screens(page)) {
      await open(page, address);
      const failed = await page.locator('.empty[role=alert]').allInnerTexts();
      expect([address, failed]).toEqual([address, []]);
      pressed += await pressEverything(page, new URL(`${t.url}${address}`).pathname);
      expect([address, tab.beyond]).toEqual([address, []]);
    }
    expect(pressed).toBeGreaterThan(60);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it.each(roles)('%s: shows the actions that the right allows, and no other', patience, async (role) => {
    const tab = await openAs(role);
    const { page } = tab;
    for (const { address, write, send } of actions) {
      await open(page, address());
      const isShown = (name: string | RegExp) => isOnPage(page, name);
      const shown: (string | RegExp)[] = [];
      const all = [...write, ...send];
      const allowed = { reader: [], editor: write, sender: all }[role];
      for (const name of allowed)
        await expect.poll(() => isShown(name), { ...soon, message: `${address()} ${name}` }).toBe(true);
      for (const name of all) if (await isShown(name)) shown.push(name);
      expect([address(), shown]).toEqual([address(), allowed]);
      if (!shown.includes('More')) continue;
      // Only administrators erase.
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem').first().waitFor();
      expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Archive']);
    }
    expect(tab.beyond).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'says what one may do instead at an address without the right, and who can change it',
    patience,
    async () => {
      const tab = await openAs('reader');
      const { page } = tab;
      const said = {
        'campaigns/new': 'You can view campaigns, but not create them.',
        'imports/new?file=people.csv': 'You can view imports, but not start them.',
        mailbox:
          'You can work on demo, but not view the built-in mailbox: it holds the messages of all sites.',
        'settings/users':
          'You can view fields and sending configurations, but not “Users”, which is for administrators.',
        [`campaigns/${t.records.idDraft}`]: 'You can view campaigns, but not change them.',
      };
      for (const [address, text] of Object.entries(said)) {
        await open(page, `/demo/${address}`);
        await page.getByText(`${text} An administrator can change that.`).waitFor();
        expect([address, await tab.audit()]).toEqual([address, []]);
      }
      await picture(tab, 'rights-reader');
      await tab.close();
      const editor = await openAs('editor', 390);
      await open(editor.page, `/demo/campaigns/${t.records.idDraft}`);
      const text = 'You can write this campaign, but not send it. An administrator can change that.';
      await editor.page.getByText(text).waitFor();
      expect(await editor.audit()).toEqual([]);
      await picture(editor, 'rights-editor');
      expect([...tab.beyond, ...editor.beyond]).toEqual([]);
      await editor.close();
    },
  );

  it('editor: writes a campaign, a target, people and a sender without a refusal', patience, async () => {
    const tab = await openAs('editor');
    const { page } = tab;
    await open(page, '/demo/campaigns/new');
    await page.getByLabel('Subject').fill('Written by an editor');
    await page.getByText(/^Saved at/).waitFor();
    for (const name of ['Sender and options', 'Audience', 'Links', 'Schedule']) {
      await page.getByRole('tab', { name }).click();
      await settled(page);
    }
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.getByRole('dialog').count(), soon).toBe(0);
    await open(page, '/demo/targets');
    await page.getByRole('button', { name: 'New target' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('An editor’s');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/\/targets\/\d+$/);
    await settled(page);
    await page.getByRole('button', { name: 'Write to them' }).click();
    await page.waitForURL(/\/campaigns\/\d+$/);
    await settled(page);
    await open(page, `/demo/campaigns/${t.records.idCampaign}`);
    await page.getByRole('button', { name: 'Write to those who did not open' }).click();
    await page.getByLabel('Subject').waitFor();
    expect(tab.beyond).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('sender: tests, schedules, sends, and pauses without a refusal', patience, async () => {
    const tab = await openAs('sender');
    const { page } = tab;
    await open(page, `/demo/campaigns/${t.records.idDraft}`);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').waitFor();
    await closeAll(page);
    await page.getByRole('button', { name: 'Plan it' }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await closeAll(page);
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('button', { name: /^Send to \d+ people$/ }).click();
    await page.getByText('From the audience to the clicks').waitFor({ timeout: 120_000 });
    await settled(page);
    expect(tab.beyond).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
