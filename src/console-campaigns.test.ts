import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, settled, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { until } from './testing/until.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';
const [many, archived, scheduled] = [1_000, 40, 5];
/** The number of the campaign that is sent. */
const sent = 901;
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';

let t: ConsoleTester;
let idDirectory: number;
let idTarget: number;
/** The campaigns by the order in which they were made. */
const ids: number[] = [];

const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

async function administer<T>({ page }: ConsoleTab, method: string, path: string, data?: unknown): Promise<T> {
  const reply = await page.request.fetch(`${t.url}/admin/v1${path}`, {
    ...{ method, headers: { origin: t.url } },
    ...(data !== undefined && { data }),
  });
  expect(await reply.text()).toContain('"success":true');
  return (await reply.json()).data;
}

async function makeCampaigns(tab: ConsoleTab): Promise<void> {
  ({ id: idTarget } = await call<{ id: number }>(tab, 'POST', '/targets', { name: 'Everyone' }));
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget, filters });
  await call(tab, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: 'ines@post.example' }] }]);
  const configuration = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
    ...{ name: 'Shop', senderEMail: 'news@shop.example', responseEMail: 'news@shop.example' },
  });
  for (let number = 1; number <= many; number++) {
    const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns', {
      parameters: {
        name: number === 500 ? hostile : `Letter ${number}`,
        subject: number % 100 === 0 ? `Été ${number}` : `Bulbs ${number}`,
        type: number % 10 === 0 ? 'Dedicated' : 'Newsletter',
        ...{ mode: 'Simple', idConfiguration: configuration.id, isArchive: number <= archived },
      },
      htmlContent: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
    });
    ids.push(id);
    if (number <= many - scheduled) continue;
    await addSegment(tab, id);
    await call(tab, 'POST', `/campaigns/${id}/schedule/calendar`, ['2040-07-02T05:30:00Z']);
  }
}

async function addSegment(tab: ConsoleTab, idCampaign: number): Promise<void> {
  const segment = { name: 'All', idTarget, percent: 100, fixedValues: 0 };
  await call(tab, 'POST', `/campaigns/${idCampaign}/segments`, segment);
}

/** Sends a campaign to the one subscriber, who opens it. */
async function send(tab: ConsoleTab, idCampaign: number): Promise<void> {
  await addSegment(tab, idCampaign);
  await call(tab, 'POST', '/campaigns/send-now', idCampaign);
  const isSent = async () => (await readCampaign(tab, idCampaign)).schedulingInfos.state === 'Finished';
  await until(isSent, 'the end of the sending', soon.timeout);
  const { items } = await administer<{ items: { id: number }[] }>(tab, 'GET', '/mailbox');
  const { raw } = await administer<{ raw: string }>(tab, 'GET', `/mailbox/${items[0]!.id}`);
  const { html = '' } = await PostalMime.parse(raw);
  const { pathname } = new URL(/<img[^>]+src="([^"]+\/o\/[^"]+)"/.exec(html)![1]!);
  const opened = await fetch(`${t.url}${pathname}`, { headers: { 'user-agent': phone } });
  expect(opened.status).toBe(200);
}

/** Opens a campaign that is ready for the people whose address has a part. Returns its id. */
async function openReady(tab: ConsoleTab, number: number, part: string): Promise<number> {
  const { id: own } = await call<{ id: number }>(tab, 'POST', '/targets', { name: part });
  const filters = [
    { idField: 7, operator: 'Equal', value: '0' },
    { idField: 1, operator: 'Contains', value: part },
  ];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget: own, filters });
  const id = ids[number - 1]!;
  const segment = { name: part, idTarget: own, percent: 100, fixedValues: 0 };
  await call(tab, 'POST', `/campaigns/${id}/segments`, segment);
  await tab.page.goto(`${t.url}/console/demo/campaigns/${id}`);
  await tab.page.locator('.cm-content').waitFor();
  return id;
}

interface StoredCampaign {
  readonly schedulingInfos: { readonly state: string; readonly calendarDates: string };
  readonly idDirectory: number | null;
}

const readCampaign = (tab: ConsoleTab, idCampaign: number) =>
  call<StoredCampaign>(tab, 'GET', `/campaigns/${idCampaign}`);

/** The dates of a campaign's schedule, once they are these. */
const expectDates = (tab: ConsoleTab, number: number, dates: string) =>
  expect
    .poll(async () => (await readCampaign(tab, ids[number - 1]!)).schedulingInfos.calendarDates, soon)
    .toBe(dates);

describeWith('chromium', 'the list of 1,000 campaigns', () => {
  beforeAll(async () => {
    t = await openConsole({ FACTEUR_REQUESTS_PER_MINUTE: '1000000', FACTEUR_SEND_DELAY_S: '1' });
    const tab = await t.open();
    idDirectory = await call<number>(tab, 'POST', '/pictures/directories', {
      ...{ name: 'Spring', dirType: 'Campaign' },
    });
    await makeCampaigns(tab);
    await send(tab, ids[sent - 1]!);
    await tab.close();
  }, 240_000);
  afterAll(async () => {
    await t?.close();
  });

  const open = async (address = '') => {
    const tab = await t.open();
    await tab.page.goto(`${t.url}/console/demo/campaigns${address}`);
    await settled(tab.page);
    const { page } = tab;
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    return { tab, page, rows };
  };

  it('finds by name, subject and number, and counts each part', patience, async () => {
    const { tab, page, rows } = await open();
    const part = (name: string) => page.getByRole('button', { name, exact: true });
    await part(`All ${many - archived}`).waitFor();
    await part(`Drafts ${many - archived - scheduled - 1}`).waitFor();
    await part(`Scheduled ${scheduled}`).waitFor();
    await page.getByText(`1 to 50 of ${many - archived}`).waitFor();
    const search = page.getByRole('searchbox', { name: 'Name, subject or number' });
    await search.fill('ete');
    await expect.poll(() => rows.count(), soon).toBe(10);
    await part('Drafts 9').waitFor();
    await search.fill(String(ids[699]));
    await expect.poll(() => rows.first().innerText(), soon).toContain('Letter 700');
    await search.fill('no such letter');
    await page.getByText('No campaign is called “no such letter”.').waitFor();
    await page.getByText('Search for a shorter part of the name or subject, or for the number.').waitFor();
    await page.getByRole('button', { name: 'Show all campaigns' }).click();
    await part('Problems 0').click();
    await page.getByText('No campaign is in this state.').waitFor();
    await page.getByText('Paused, missed and failed sendings come here.').waitFor();
    await part(`Archive ${archived}`).click();
    await expect.poll(() => rows.count(), soon).toBe(archived);
    await part(`Scheduled ${scheduled}`).click();
    await expect.poll(() => rows.count(), soon).toBe(scheduled);
    await page.getByLabel('Type').selectOption('Dedicated');
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.waitForURL(/type=Dedicated/);
    await page.reload();
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.getByLabel('Created until').fill('2020-01-01');
    await page.getByText('No campaign fits these filters.').waitFor();
    await page
      .getByText('The list is limited by: Scheduled, Type, Created until. Remove one of these limits')
      .waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('walks, selects, marks and opens rows by the keyboard', patience, async () => {
    const { tab, page, rows } = await open('?sort=Id&order=DESC');
    const current = () => page.locator('tr[data-current]').innerText();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await expect.poll(current, soon).toContain('Letter 999');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Letter 999');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Letter 999 is a favourite' }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 campaign selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 campaigns selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/campaigns/${ids[997]}$`));
    await page.goBack();
    await page.getByLabel('Place').selectOption('Favourites');
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.waitForURL((url) => !url.pathname.endsWith('/campaigns'));
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue(), soon).toMatch(/copy/);
    await page.goto(`${t.url}/console/demo/campaigns?sort=Id&order=DESC`);
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.keyboard.press(']');
    await page.getByText(/^51 to 100 of/).waitFor();
    await page.keyboard.press('[');
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.keyboard.press('c');
    await page.waitForURL(/\/campaigns\/\d+$/);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('acts on a range: into a directory, archive and undo, duplicate', patience, async () => {
    const { tab, page, rows } = await open('?sort=Id&order=ASC&search=Letter');
    const box = (number: number) =>
      page.getByRole('checkbox', { name: `Select Letter ${number}`, exact: true });
    await box(41).click();
    await box(45).click({ modifiers: ['Shift'] });
    await page.getByText('5 campaigns selected').waitFor();
    await picture(tab, 'campaigns-selected');
    expect(await tab.audit()).toEqual([]);
    await page.getByLabel('Move to a directory').selectOption('Spring');
    await page.getByText('5 campaigns moved to “Spring”.').waitFor();
    await page.goto(`${t.url}/console/demo/campaigns?where=${idDirectory}`);
    await expect.poll(() => rows.count(), soon).toBe(5);
    await page.getByRole('checkbox', { name: 'Select all of this page' }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived: 5 campaigns.').waitFor();
    await page.getByText('No campaign fits these filters.').waitFor();
    // The message of the move can still be undone too.
    const archivedToast = page.locator('.toast', { hasText: 'Archived: 5 campaigns.' });
    await archivedToast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rows.count(), soon).toBe(5);
    await page.getByRole('checkbox', { name: 'Select all of this page' }).click();
    await bar.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByText('5 campaigns duplicated as drafts.').waitFor();
    await expect.poll(() => rows.count(), soon).toBe(10);
    expect(await page.title()).not.toContain('alert');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'shows figures of the last job of each campaign with one request, and who opened',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const asked: URL[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/statistics/jobs?filters.idsCampaign'))
          asked.push(new URL(request.url()));
      });
      await page.goto(`${t.url}/console/demo/campaigns?sort=Id&order=ASC&page=18`);
      await page.getByRole('link', { name: 'Letter 901', exact: true }).waitFor();
      const row = page.getByRole('row', { name: 'Letter 901' });
      const opened = row.getByRole('button', { name: '1 of 1 opened: Letter 901' });
      await opened.waitFor();
      const cells = (await row.getByRole('cell').allInnerTexts()).map((text) => text.trim());
      expect(cells.slice(3, 8)).toEqual(['1', '1 of 1', '1 of 1', '0 of 1', 'Newsletter']);
      // The same request again and again, never one for a row.
      expect(new Set(asked.map(({ search }) => search)).size).toBe(1);
      expect(asked[0]!.searchParams.getAll('filters.idsCampaign')).toHaveLength(50);
      await opened.click();
      await page.getByRole('dialog').getByText('ines@post.example').waitFor();
      expect(await tab.audit()).toEqual([]);
      for (const [cell, title] of [
        ['1 people', '1 person in the audience'],
        ['1 of 1 delivered', '1 person: accepted, and not returned'],
      ]) {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await row.getByRole('button', { name: `${cell}: Letter 901`, exact: true }).click();
        await page.getByRole('dialog', { name: title! }).getByText('ines@post.example').waitFor();
      }
      // A page behind the last one becomes the last one.
      await page.goto(`${t.url}/console/demo/campaigns?sort=Id&order=ASC&search=Letter 9&page=9`);
      await page.getByText(/^101 to (\d+) of \1$/).waitFor();
      expect(new URL(page.url()).searchParams.get('page')).toBe('3');
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('keeps rows in place under the pointer until the changes are taken', patience, async () => {
    const { tab, page, rows } = await open();
    const first = () => rows.first().innerText();
    const before = await first();
    const write = (name: string) => call(tab, 'POST', '/campaigns', { parameters: { name } });
    await rows.nth(4).hover();
    await write('Newcomer');
    const changed = page.getByRole('button', { name: '1 changed' });
    await changed.waitFor({ timeout: 60_000 });
    expect(await first()).toBe(before);
    await picture(tab, 'campaigns-changed');
    expect(await tab.audit()).toEqual([]);
    await changed.click();
    await expect.poll(first, soon).toContain('Newcomer');
    await changed.waitFor({ state: 'detached' });
    await page.mouse.move(2, 2);
    await write('Second newcomer');
    await expect.poll(first, { timeout: 60_000 }).toContain('Second newcomer');
    await page.keyboard.press('j');
    await write('Third newcomer');
    await changed.waitFor({ timeout: 60_000 });
    expect(await first()).toContain('Second newcomer');
    await changed.press('Enter');
    await expect.poll(first, soon).toContain('Third newcomer');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Third newcomer');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('filters by another author, whom the address keeps', patience, async () => {
    const { tab, page, rows } = await open();
    const { id: idUser } = await administer<{ id: number }>(tab, 'POST', '/users', {
      ...{ name: 'Malo Riou', email: 'malo@shop.example', sites: [{ name: 'demo', role: 'editor' }] },
    });
    const { token } = await administer<{ token: string }>(tab, 'POST', '/tokens', {
      ...{ idUser, role: 'editor', sites: ['demo'] },
    });
    const made = await fetch(`${t.url}/v1/demo/campaigns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ parameters: { name: 'By Malo' } }),
    });
    expect(made.status).toBe(200);
    await page.reload();
    await rows.first().waitFor();
    await page.getByLabel('Author').selectOption('Malo Riou');
    await expect.poll(() => rows.allInnerTexts(), soon).toEqual([expect.stringContaining('By Malo')]);
    await page.waitForURL(new RegExp(`author=${idUser}`));
    await page.reload();
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.getByRole('button', { name: 'Drafts 1', exact: true }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('sorts by its columns, and keeps the filters of each user', patience, async () => {
    const { tab, page, rows } = await open();
    // The people of a segment are known once they were counted.
    await call(tab, 'GET', `/campaigns/${ids[many - 2]}/segments/count`);
    const scheduledPart = page.getByRole('button', { name: /^Scheduled \d/ });
    await scheduledPart.click();
    await page.getByRole('button', { name: 'People', exact: true }).click();
    await page.waitForURL(/sort=LastNbAddressesCount/);
    await page.locator('th[aria-sort="descending"]', { hasText: 'People' }).waitFor();
    await expect.poll(() => rows.first().innerText(), soon).toContain(`Letter ${many - 1}`);
    expect(await page.getByLabel('Order').inputValue()).toBe('people');
    await page.getByRole('searchbox').fill('Letter');
    await page.waitForURL(/search=Letter/);
    const places = page.getByRole('navigation', { name: 'Main' });
    const leave = async () => {
      await places.getByRole('link', { name: 'Targets' }).click();
      await page.getByRole('heading', { level: 1, name: 'Targets' }).waitFor();
    };
    await leave();
    await places.getByRole('link', { name: 'Campaigns' }).click();
    // What was searched for is not kept.
    await page.waitForURL(/campaigns\?part=scheduled&sort=LastNbAddressesCount&order=DESC$/);
    await page.locator('button[aria-pressed="true"]', { hasText: 'Scheduled' }).waitFor();
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.waitForURL(/part=scheduled/);
    // A link with filters of its own changes nothing of what is kept.
    await page.goto(`${t.url}/console/demo/campaigns?part=drafts`);
    await page.locator('button[aria-pressed="true"]', { hasText: 'Drafts' }).waitFor();
    await administer(tab, 'POST', '/users', {
      ...{ name: 'Nora', email: 'nora@shop.example', password: 'a long enough password' },
      sites: [{ name: 'demo', role: 'editor' }],
    });
    const enter = async (of: object, name: string) => {
      await tab.context.clearCookies();
      await signIn(page, { ...t.started, ...of });
      await page.goto(`${t.url}/console/demo/campaigns`);
      await page.locator('button[aria-pressed="true"]', { hasText: name }).waitFor();
    };
    await enter({ adminEmail: 'nora@shop.example', adminPassword: 'a long enough password' }, 'All');
    expect(page.url()).toMatch(/campaigns$/);
    await enter({}, 'Scheduled');
    await page.getByRole('button', { name: /^All \d/ }).click();
    await page.waitForURL(/campaigns\?sort=/);
    await page.getByLabel('Order').selectOption('Last changed first');
    await page.waitForURL(/campaigns$/);
    await leave();
    await places.getByRole('link', { name: 'Campaigns' }).click();
    await page.locator('button[aria-pressed="true"]', { hasText: 'All' }).waitFor();
    expect(page.url()).toMatch(/campaigns$/);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('moves a row that is dropped on a directory', patience, async () => {
    const { tab, page } = await open('?sort=Id&order=ASC&search=Letter 60');
    await page.getByRole('link', { name: 'Letter 60', exact: true }).locator('xpath=../..').hover();
    await page.mouse.down();
    await page.mouse.move(600, 300, { steps: 4 });
    const places = page.getByRole('list', { name: 'Move to a directory' });
    await picture(tab, 'campaigns-dragged');
    await places.getByText('Spring').hover();
    await page.mouse.up();
    await page.getByText('1 campaign moved to “Spring”.').waitFor();
    await places.waitFor({ state: 'detached' });
    expect((await readCampaign(tab, ids[59]!)).idDirectory).toBe(idDirectory);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('selects by a long press on a phone', patience, async () => {
    const tab = await t.open({ width: 390 });
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns?sort=Id&order=ASC&search=Letter 60`);
    const row = page.getByRole('link', { name: 'Letter 60', exact: true });
    await row.waitFor();
    // The name of the screen has room beside its actions.
    expect(
      await page.evaluate(`(() => {
      const name = document.createRange();
      name.selectNodeContents(document.querySelector('h1'));
      const [a, b] = [name, document.querySelector('.head > .acts')].map((one) => one.getBoundingClientRect());
      return a.right < b.left || a.bottom <= b.top;
    })()`),
    ).toBe(true);
    await picture(tab, 'campaigns-phone');
    const finger = { pointerType: 'touch', clientX: 100, clientY: 300, bubbles: true };
    await row.dispatchEvent('pointerdown', finger);
    await page.getByText('1 campaign selected').waitFor();
    await row.dispatchEvent('pointerup', finger);
    // The click at the end of the press opens nothing.
    await row.dispatchEvent('click');
    await page.getByRole('checkbox', { name: 'Select Letter 60', exact: true, checked: true }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/campaigns$/);
    await picture(tab, 'campaigns-pressed');
    // Its menu has what a wide row shows as a star.
    const menu = page.getByRole('button', { name: 'Actions for Letter 60', exact: true });
    const favourite = page.getByRole('menuitemcheckbox', { name: 'Favourite' });
    await menu.click();
    await favourite.and(page.locator('[aria-checked=false]')).click();
    await menu.click();
    await favourite.and(page.locator('[aria-checked=true]')).waitFor();
    await picture(tab, 'campaigns-favourite');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, '/campaigns', /^Letter 9/, 'campaigns');
  });

  const openMonth = async (month: string) => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/calendar?month=${month}`);
    await page.getByRole('table').waitFor();
    const day = (date: string) =>
      page.getByRole('cell').filter({ has: page.locator(`time[datetime="${date}"]`) });
    return { tab, page, day };
  };

  /** Waits until the entry of a campaign on a day has the focus; no locator, which would set it. */
  const expectFocus = (page: ConsoleTab['page'], name: string, day: string) =>
    expect
      .poll(
        () =>
          page.evaluate(`[document.activeElement.querySelector('bdi')?.textContent,
            document.activeElement.closest('td')?.querySelector('time').dateTime]`),
        soon,
      )
      .toEqual([name, day]);

  it('moves a scheduled campaign to the day it is dropped on, after a question', patience, async () => {
    const { tab, page, day } = await openMonth('2040-07');
    const entry = day('2040-07-02').getByRole('listitem').filter({ hasText: 'Letter 1000' });
    await entry.hover();
    await page.mouse.down();
    await page.mouse.move(600, 400, { steps: 4 });
    await day('2040-07-04').hover();
    await page.mouse.up();
    const dialog = page.getByRole('dialog', { name: 'Move “Letter 1000” to Wed 4 Jul 2040, for 1 person?' });
    await dialog.getByText('It then starts on Wed 4 Jul 2040, 07:30 instead of').waitFor();
    await picture(tab, 'calendar-asks');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await entry.waitFor();
    await entry.hover();
    await page.mouse.down();
    await page.mouse.move(600, 400, { steps: 4 });
    await day('2040-07-04').hover();
    await page.mouse.up();
    await dialog.getByRole('button', { name: 'Move for 1 person' }).click();
    await dialog.waitFor({ state: 'detached' });
    await day('2040-07-04').getByText('Letter 1000').waitFor();
    await expectDates(tab, 1000, '2040-07-04T05:30:00.000Z');
    // Another user adds a date before the move is undone.
    const dates = ['2040-07-04T05:30:00Z', '2040-09-03T05:30:00Z'];
    await call(tab, 'POST', `/campaigns/${ids[999]}/schedule/calendar`, dates);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectDates(tab, 1000, '2040-07-02T05:30:00.000Z;2040-09-03T05:30:00.000Z');
    await entry.waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('moves it by the keyboard too, and at once if nobody gets it', patience, async () => {
    const { tab, page, day } = await openMonth('2040-07');
    const menu = page.getByRole('button', { name: 'Actions for Letter 999, ' });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'A day later' }).focus();
    await page.keyboard.press('Enter');
    const back = page.getByRole('button', { name: 'Go back' });
    await expect.poll(() => back.evaluate((one) => one === one.ownerDocument.activeElement), soon).toBe(true);
    await page.getByRole('button', { name: 'Move for 1 person' }).press('Enter');
    await day('2040-07-03').getByText('Letter 999').waitFor();
    await expectDates(tab, 999, '2040-07-03T05:30:00.000Z');
    await expectFocus(page, 'Letter 999', '2040-07-03');
    const filters = [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: 1, operator: 'Contains', value: '@nobody.example' },
    ];
    await call(tab, 'PUT', '/targets/filters/field', { idTarget, isEnabled: true, filters });
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Choose a day…' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.type'), soon).toBe('date');
    await page.getByRole('dialog').getByLabel('Day').fill('2040-07-20');
    await page.keyboard.press('Enter');
    await page.getByText('“Letter 999” starts on Fri 20 Jul 2040, 07:30 (Paris time).').waitFor();
    await day('2040-07-20').getByText('Letter 999').waitFor();
    await expectDates(tab, 999, '2040-07-20T05:30:00.000Z');
    await expectFocus(page, 'Letter 999', '2040-07-20');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows the entries of a full day, of all pages, and those that cannot be moved', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const paused = ids[105]!;
    for (const id of ids.slice(100, 106)) {
      await addSegment(tab, id);
      const dates = ['2041-03-04T05:30:00Z', '2041-03-11T05:30:00Z'];
      await call(
        tab,
        'POST',
        `/campaigns/${id}/schedule/calendar`,
        id === paused ? dates : dates.slice(0, 1),
      );
    }
    await call(tab, 'POST', '/campaigns/pause', paused);
    await page.route(/limit=1000/, (route) =>
      route.continue({ url: route.request().url().replace('limit=1000', 'limit=2') }),
    );
    await page.goto(`${t.url}/console/demo/campaigns/calendar?month=2041-03`);
    const entries = (date: string) =>
      page
        .locator('td')
        .filter({ has: page.locator(`time[datetime="${date}"]`) })
        .getByRole('listitem');
    await page.getByRole('button', { name: '2 more' }).press('Enter');
    await expect.poll(() => entries('2041-03-04').count(), soon).toBe(6);
    const fifth = await entries('2041-03-04').nth(4).getByRole('link').innerText();
    await expect.poll(() => page.evaluate('document.activeElement.innerText'), soon).toBe(fifth);
    await entries('2041-03-11').filter({ hasText: 'Letter 106' }).getByText('Paused').waitFor();
    await entries('2041-03-11').getByRole('button', { name: 'Actions for Letter 106' }).click();
    await page.getByText('Its dates can be moved afterwards.').waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Open']);
    await picture(tab, 'calendar-full');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await tab.audit()).toEqual([]);
    for (const id of ids.slice(100, 106)) await call(tab, 'POST', '/campaigns/stop', id);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('walks through the months, which the address keeps, and shows what was sent', patience, async () => {
    const { tab, page } = await openMonth('2040-07');
    await page.getByRole('heading', { name: 'July 2040' }).waitFor();
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    const list = /\/campaigns\?.*states=Programmed/;
    await page.route(list, async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: 'August 2040' }).waitFor();
    const nothing = page.getByText('No campaign is scheduled or was sent in this month.');
    expect(await nothing.count()).toBe(0);
    release();
    // A wide screen does not show it.
    await nothing.waitFor({ state: 'attached' });
    await page.unroute(list);
    await page.waitForURL(/month=2040-08/);
    await page.getByRole('button', { name: 'Previous month' }).click();
    await page.waitForURL(/month=2040-07/);
    await page.getByRole('button', { name: 'This month' }).click();
    await page.waitForURL(/calendar$/);
    await page.getByRole('listitem').filter({ hasText: 'Letter 901' }).getByText('Sent').waitFor();
    await page.getByRole('link', { name: /Letter 901/ }).click();
    await page.waitForURL(new RegExp(`/campaigns/${ids[sent - 1]}$`));
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('has a calendar that is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, '/campaigns/calendar?month=2040-07', /^Letter 99/, 'calendar');
  });

  it('schedules in a part of its own, in the time of Paris and in that of the user', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const session = await tab.context.newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
    await openReady(tab, 601, 'ines@post.example');
    const rail = page.locator('.composer-rail');
    await rail.getByText('Immediately, 1 s after you confirm').waitFor();
    await rail.getByRole('button', { name: 'Plan it' }).click();
    const main = page.getByRole('tabpanel', { name: 'Schedule' });
    await main.getByLabel('Day').fill('2040-07-02');
    await main.getByLabel('Time in Paris').fill('05:30');
    await main.getByText('05:30 in Paris, Sun 1 Jul 2040, 23:30 for you').waitFor();
    await main.getByLabel('Time in Paris').fill('15:00');
    await main.getByText('15:00 in Paris, 09:00 for you').waitFor();
    expect(await tab.audit()).toEqual([]);
    await main.getByRole('button', { name: 'Schedule' }).click();
    const dialog = page.getByRole('dialog', { name: /^Schedule “.*” for 1 person\?$/ });
    await dialog.getByText('15:00 in Paris, 09:00 for you').waitFor();
    await picture(tab, 'schedule-asks');
    await dialog.getByRole('button', { name: 'Schedule for 1 person' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await main.getByText('The new date replaces the present schedule.').waitFor();
    await rail.getByText('Mon 2 Jul 2040, 15:00 (Paris time)').waitFor();
    await expectDates(tab, 601, '2040-07-02T13:00:00.000Z');
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Brussels' });
    await page.reload();
    await page.getByRole('button', { name: 'Change the date' }).first().click();
    await main.getByLabel('Day').waitFor();
    expect(await page.getByText('for you').count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('asks again when the audience has changed much since it was named', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const add = (name: string) =>
      call(tab, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: `${name}@pots.example` }] }]);
    await add('ada');
    const id = await openReady(tab, 602, 'pots.example');
    // From 10,000 people on the number is typed; so many more are counted than there are.
    let more = 9_999;
    await page.route('**/segments/count', async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const { data } = (await response.json()) as { data: { segmentCount: number }[] };
      await route.fulfill({
        response,
        json: { data: data.map((one) => ({ ...one, segmentCount: one.segmentCount + more })) },
      });
    });
    await page.getByRole('button', { name: 'Review and send' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send to 10,000 people' }).waitFor();
    const field = dialog.getByRole('textbox');
    await field.fill('10000');
    const state = async () => (await readCampaign(tab, id)).schedulingInfos.state;
    for (const now of [10_011, 10_033]) {
      more = now - 1;
      const asked = await dialog.getByRole('button', { name: /^Send to/ }).innerText();
      await dialog.getByRole('button', { name: /^Send to/ }).click();
      const number = now.toLocaleString('en-GB');
      await dialog.getByText(`The audience is now ${number} people.`).waitFor();
      // What was typed stays; the new number is asked about.
      expect(await field.inputValue()).toBe(asked.replaceAll(/\D/g, ''));
      await expect
        .poll(() => dialog.getByRole('button', { name: `Send to ${number} people` }).isDisabled())
        .toBe(true);
      expect(await state()).toBe('None');
      await field.fill(String(now));
    }
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'audience-changed');
    // The site says from how many people on the number is typed: 0 means never.
    for (const [typedConfirmationFrom, fields] of [
      [0, 0],
      [10_034, 0],
      [10_033, 1],
    ] as const) {
      await call(tab, 'PUT', '/site', { typedConfirmationFrom });
      await page.reload();
      await page.getByRole('button', { name: 'Review and send' }).click();
      const send = dialog.getByRole('button', { name: 'Send to 10,033 people' });
      await send.waitFor();
      await expect.poll(() => send.isDisabled(), soon).toBe(fields === 1);
      expect([typedConfirmationFrom, await field.count()]).toEqual([typedConfirmationFrom, fields]);
    }
    await field.fill('10 033');
    await call(tab, 'PUT', '/site', { typedConfirmationFrom: 10_000 });
    // Somebody who joins changes nothing.
    await add('bo');
    await dialog.getByRole('button', { name: 'Send to 10,033 people' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(state, { timeout: 20_000 }).not.toBe('None');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
