import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres } from './platform/postgres/embedded.ts';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { onePixel } from './testing/make-picture.ts';
import { textRow, workbookParts, zipOf } from './testing/make-workbook.ts';

let t: ConsoleTester;
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

/** The site's folder on the embedded SFTP server. */
const folder = () => join(t.dataDir, 'sftp', '1');
/** The five figures of a dry run or a run. */
const figures = (page: Page) => page.locator('.outcome dd:nth-of-type(1)').allInnerTexts();
const settled = (page: Page) => page.getByText(/^Dry run done in/).waitFor(soon);
const column = (page: Page, name: string) => page.getByRole('combobox', { name: `What ${name} becomes` });
/** Chooses what a column becomes by a part of the name. */
const becomes = async (page: Page, name: string, wanted: string) => {
  await column(page, name).click();
  await column(page, name).fill(wanted);
  await page.getByRole('listbox').getByRole('option', { name: wanted }).first().click();
};
const saved = async (page: Page, name: string) => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
};
/** Opens the people of a figure; they are listed under its title. */
const openPeople = async (page: Page, title: string) => {
  await page.getByRole('button', { name: title, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: title, exact: true });
  await drawer.getByRole('searchbox').waitFor(soon);
  return drawer;
};
const people = [
  'email;Town;Seen',
  'known@garden.example;;2026-01-31',
  'gone@garden.example;Lyon;2026-01-31',
  'new@garden.example;Paris;2026-01-31',
  'new@garden.example;Évreux;2026-01-31',
  'jean@@garden.example;Nantes;2026-01-31',
];

/** Swipes a finger over a part of a page, from its middle, by so many pixels. */
async function swipe({ page, context }: ConsoleTab, part: Locator, by: number): Promise<void> {
  const { x, y, width, height } = (await part.boundingBox())!;
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: x + width / 2, y: y + height / 2 + at }],
    });
  await touch('touchStart', 0);
  for (let step = 1; step <= 10; step += 1) await touch('touchMove', (by * step) / 10);
  // A finger that rests is not fast.
  await page.waitForTimeout(by < 50 ? 300 : 0);
  await touch('touchEnd', by);
  await session.detach();
}

/** A sheet of a phone follows a finger on its head, and closes if the swipe is long; what was typed is kept. */
async function swipesAway(tab: ConsoleTab, sheet: Locator): Promise<void> {
  const { page } = tab;
  const head = sheet.locator('[data-swipe]');
  const top = async () => (await sheet.boundingBox())!.y;
  const first = await top();
  await sheet.getByLabel('Name of the file').fill('kept_{dd}.csv');
  await picture(tab, 'sheet');
  await swipe(tab, head, 40);
  await expect.poll(top).toBe(first);
  // Its body scrolls instead.
  await swipe(tab, sheet.locator('.mantine-Drawer-body, .mantine-Modal-body').first(), 200);
  expect(await top()).toBe(first);
  await swipe(tab, head, 200);
  await sheet.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Actions: phone.csv' }).click();
  await page.getByRole('menuitem', { name: 'Every night…' }).click();
  expect(await sheet.getByLabel('Name of the file').inputValue()).toBe('kept_{dd}.csv');
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
}

/** Changes the schedule of the nightly import that a tab shows, even after another person has changed it. */
async function changeNightly(tab: ConsoleTab): Promise<void> {
  const { page } = tab;
  const path = `/imports/${/\d+$/.exec(page.url())![0]}`;
  const change = page.getByRole('button', { name: 'Change', exact: true });
  const form = page.getByRole('dialog', { name: 'Change the schedule' });
  const save = form.getByRole('button', { name: 'Save', exact: true });
  await change.click();
  await form.getByLabel('Every how many days').fill('0');
  await form.getByText('Enter a number of days from 1 to 999.').waitFor();
  await form.getByLabel('Every how many days').fill('2');
  await form.getByLabel('Time in Paris').fill('02:15');
  await form.getByText(/^In the night when the clocks go forward/).waitFor();
  await picture(tab, 'import-nightly-changed');
  expect(await tab.audit()).toEqual([]);
  await save.click();
  await form.waitFor({ state: 'hidden' });
  await page.getByText('Then every 2 days at 02:15.').waitFor();
  await change.click();
  await form.getByLabel('Name of the file').fill('mine_{dd}.csv');
  await call(tab, 'PUT', `${path}/schedule`, {
    isRecurring: true,
    recurringInfos: { filenameTemplate: 'theirs_{dd}.csv', frequencyUnits: 'Day', time: '04:00:00' },
  });
  await save.click();
  const both = form.getByRole('alert');
  await both.getByText('theirs_{dd}.csv').waitFor();
  await both.getByText('mine_{dd}.csv').waitFor();
  await both.getByText(/^Administrator saved this at/).waitFor();
  await picture(tab, 'import-nightly-conflict');
  expect(await tab.audit()).toEqual([]);
  await both.getByRole('button', { name: 'Save yours' }).click();
  await form.waitFor({ state: 'hidden' });
  expect(await call(tab, 'GET', path)).toMatchObject({
    schedulingInfos: {
      recurringInfos: { filenameTemplate: 'mine_{dd}.csv', frequency: 2, time: '02:15:00' },
    },
  });
  // What is restored after a reload does not overwrite another person's change either.
  await change.click();
  await form.getByLabel('Every how many days').fill('3');
  await call(tab, 'PUT', `${path}/schedule`, {
    isRecurring: true,
    recurringInfos: { filenameTemplate: 'mine_{dd}.csv', frequencyUnits: 'Day', time: '05:00:00' },
  });
  await page.reload();
  await change.click();
  await form.getByText('Changes that were kept in this browser are shown.').waitFor();
  await save.click();
  await both.getByText(/every day at 05:00$/).waitFor();
  await both.getByText(/every 3 days at 02:15$/).waitFor();
  await both.getByRole('button', { name: 'Save yours' }).click();
  await form.waitFor({ state: 'hidden' });
  expect(await call(tab, 'GET', path)).toMatchObject({
    schedulingInfos: { recurringInfos: { frequency: 3, time: '02:15:00' } },
  });
  await page.getByText('Then every 3 days at 02:15.').waitFor();
  await changeUnits(tab, path);
}

/** Makes the import that a tab shows one of weeks, hours and months; one of a single date cannot be changed here. */
async function changeUnits(tab: ConsoleTab, path: string): Promise<void> {
  const { page } = tab;
  const change = page.getByRole('button', { name: 'Change', exact: true });
  const form = page.getByRole('dialog', { name: 'Change the schedule' });
  const save = form.getByRole('button', { name: 'Save', exact: true });
  const infos = async () =>
    (await call<{ schedulingInfos: { recurringInfos: object } }>(tab, 'GET', path)).schedulingInfos
      .recurringInfos;
  await change.click();
  await form.getByRole('button', { name: 'Weeks' }).click();
  await form.getByLabel('Monday').uncheck();
  await form.getByText('Choose at least one weekday.').waitFor();
  await form.getByLabel('Sunday').check();
  await form.getByLabel('Thursday').check();
  await form.getByLabel('Every how many weeks').fill('0');
  await form.getByText('Enter a number of weeks from 1 to 999.').waitFor();
  await form.getByLabel('Every how many weeks').fill('2');
  // No run is due while the test lasts.
  await form.getByLabel('From', { exact: true }).fill('2098-01-01');
  await form.getByText(/^Next dates: Thu,? 2 Jan 2098.* 02:15;/).waitFor();
  await picture(tab, 'import-weekly');
  expect(await tab.audit()).toEqual([]);
  await save.click();
  await form.waitFor({ state: 'hidden' });
  await page.getByText('Then every 2 weeks on Thursday and Sunday at 02:15.').waitFor();
  expect(await infos()).toMatchObject({ frequencyUnits: 'Week', frequency: 2, weekDays: 'Thursday;Sunday' });
  await change.click();
  await form.getByRole('button', { name: 'Hours' }).click();
  await form.getByLabel('Every how many hours').fill('6');
  await form.getByLabel('Counted from, in Paris').fill('00:45');
  await picture(tab, 'import-hourly');
  expect(await tab.audit()).toEqual([]);
  await save.click();
  await form.waitFor({ state: 'hidden' });
  await page.getByText('Then every 6 hours, counted from 00:45.').waitFor();
  expect(await infos()).toMatchObject({
    frequencyUnits: 'Hour',
    frequency: 6,
    weekDays: null,
    time: '00:45:00',
  });
  await change.click();
  await form.getByLabel('Every how many hours').fill('1');
  await form.getByRole('button', { name: 'Months' }).click();
  await form.getByLabel('Day of the month', { exact: true }).fill('32');
  await form.getByText('Enter a day from 1 to 31.').waitFor();
  await form.getByLabel('Day of the month', { exact: true }).fill('31');
  await form.getByText(/^Next dates: Fri,? 31 Jan 2098.* 00:45; Fri,? 28 Feb 2098/).waitFor();
  await picture(tab, 'import-monthly');
  expect(await tab.audit()).toEqual([]);
  await save.click();
  await form.waitFor({ state: 'hidden' });
  await page.getByText('Then every month on day 31 at 00:45.').waitFor();
  expect(await infos()).toMatchObject({
    frequencyUnits: 'Month',
    frequency: 1,
    monthDay: 31,
    monthDay2: null,
  });
  await change.click();
  await form.getByLabel('On which day of the month').selectOption('Last');
  await form.getByLabel('Weekday').selectOption('Friday');
  await form.getByLabel('Every how many months').fill('2');
  await form.getByText(/^Next dates: Fri,? 31 Jan 2098.*; Fri,? 28 Mar 2098/).waitFor();
  await tab.page.setViewportSize({ width: 390, height: 800 });
  await picture(tab, 'import-monthly-390');
  expect(await tab.audit()).toEqual([]);
  await tab.page.setViewportSize({ width: 1280, height: 800 });
  await save.click();
  await form.waitFor({ state: 'hidden' });
  await page.getByText('Then every 2 months on the last Friday at 00:45.').waitFor();
  expect(await infos()).toMatchObject({ frequency: 2, monthDay: null, monthDay2: 'Last Friday' });
  await change.click();
  await form.getByLabel('Every how many months').fill('1');
  const { filenameTemplate } = (await infos()) as { filenameTemplate: string };
  await call(tab, 'PUT', `${path}/schedule`, { isRecurring: false, scheduledDate: '2098-01-01T00:00:00Z' });
  await save.click();
  await form.getByText('Another program has made this a schedule that the console cannot change.').waitFor();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await change.waitFor({ state: 'detached' });
  await call(tab, 'PUT', `${path}/schedule`, {
    ...{
      isRecurring: true,
      recurringInfos: {
        filenameTemplate,
        frequencyUnits: 'Month',
        monthDay2: 'first monday',
        time: '04:00:00',
      },
    },
  });
  await page.reload();
  await page.getByText('Then every month on the first Monday at 04:00.').waitFor();
}

/** Opens the people of the runs of an import that a tab shows: also of an earlier one, a deleted one, and of none. */
async function showPeople(tab: ConsoleTab): Promise<void> {
  const { page } = tab;
  const closed = async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  };
  const person = 'run@garden.example';
  const phone = await openPeople(page, '1 person not changed');
  await phone.getByRole('link', { name: person }).waitFor(soon);
  await picture(tab, 'import-people-phone');
  expect(await tab.audit()).toEqual([]);
  await closed();
  await page.setViewportSize({ width: 1280, height: 800 });
  const earlier = await openPeople(page, '1 person added');
  const link = earlier.getByRole('link', { name: person });
  await link.waitFor(soon);
  await earlier.getByRole('button', { name: 'Make a target of them' }).waitFor();
  await picture(tab, 'import-people');
  expect(await tab.audit()).toEqual([]);
  const id = Number(/\d+$/.exec((await link.getAttribute('href'))!)![0]);
  await closed();
  await call(tab, 'DELETE', `/subscribers?idSubscribers=${id}`);
  await page.reload();
  const gone = await openPeople(page, '1 person not changed');
  await gone.getByText('1 of them was deleted since and is not listed.').waitFor(soon);
  await picture(tab, 'import-people-deleted');
  expect(await tab.audit()).toEqual([]);
  await closed();
  // As after an update from a version that recorded nobody.
  await changeDatabase('delete from site_demo.import_people');
  await page.reload();
  const unknown = await openPeople(page, '1 person added');
  await unknown.getByText(/^The people of this import were not recorded/).waitFor(soon);
  expect(await unknown.getByRole('button', { name: /^(Export|Make)/ }).count()).toBe(0);
  await picture(tab, 'import-people-unknown');
  expect(await tab.audit()).toEqual([]);
  await closed();
}

describeWith('chromium', 'the imports of the console', () => {
  beforeAll(async () => {
    t = await openConsole();
    const tab = await t.open();
    for (const field of [
      { name: 'Town', fieldType: 'Text', length: 255 },
      { name: 'Seen', fieldType: 'Date' },
    ])
      await call(tab, 'POST', '/fields', field);
    const made = await call<{ id: number }[]>(
      tab,
      'POST',
      '/subscribers',
      ['known', 'gone'].map((name) => ({
        fields: [
          { idField: 1, value: `${name}@garden.example` },
          { idField: 101, value: 'Lyon' },
        ],
      })),
    );
    await call(tab, 'POST', '/subscribers/subscribe', [{ idSubscriber: made[0]!.id, firstOrigin: 'Shop' }]);
    await call(tab, 'POST', '/subscribers/unsubscribe', [{ idSubscriber: made[1]!.id, from: 'Newsletter' }]);
    mkdirSync(join(folder(), 'lists'), { recursive: true });
    writeFileSync(join(folder(), 'people.csv'), people.join('\n'));
    writeFileSync(join(folder(), 'lists/people_20261124.csv'), people.join('\n'));
    await tab.close();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('tries an import at each change, and shows the people concerned', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports/new?file=people.csv`);
    await settled(page);
    // The known one loses the town and gets a date, the gone one a date; of the new one the last row counts.
    await expect.poll(() => figures(page), soon).toEqual(['1', '2', '0', '1', '1']);
    await page.getByText('1 of the known people is unsubscribed and stays so.').waitFor();
    await page.getByText('An empty cell clears the value: 1 value would be removed.').waitFor();
    await page.getByRole('heading', { name: '1 rejected row' }).waitFor();
    await page.getByText('jean@@garden.example').first().waitFor();
    const rejected = await saved(page, 'Download rejected rows: All');
    expect(rejected.name).toBe('people.csv.rejected.csv');
    expect(rejected.text).toMatch(/^\ufeff"Row";"Reason"\r\n"6";".*";"jean@@garden\.example";"Nantes"/);
    // Each figure opens its rows.
    const card = page.getByRole('region', { name: 'What would happen' });
    // A browser puts one or two line breaks between the lines of a row.
    const rows = async () =>
      (await card.locator('.rejected li').allInnerTexts()).map((row) => row.replaceAll(/\n+/g, '\n'));
    for (const [name, shown] of [
      ['New: 1', ['5\nnew@garden.example; Évreux; 2026-01-31']],
      ['Changed: 2', [/^2\nknown@garden\.example; ; /, /^3\ngone@garden\.example; Lyon; /]],
      ['Repeated: 1', ['4\nnew@garden.example; Paris; 2026-01-31']],
      ['Rejected: 1', [/^6\njean@@garden\.example; Nantes; 2026-01-31\n/]],
    ] as const) {
      await card.getByRole('button', { name, exact: true }).press('Enter');
      await card.getByRole('heading', { name: `${name.slice(0, name.indexOf(':'))}: All` }).waitFor();
      const matched = shown.map((row) => (typeof row === 'string' ? row : expect.stringMatching(row)));
      expect([name, await rows()]).toEqual([name, matched]);
    }
    await picture(tab, 'import-dry-run');
    expect(await tab.audit()).toEqual([]);
    const rule = (name: string) => page.getByRole('switch', { name });
    // All or nothing holds it.
    await rule('All or nothing').press('Space');
    await page.getByText('Nothing would be changed: row 6 is invalid').waitFor(soon);
    await rule('All or nothing').press('Space');
    // Without new people.
    await rule('Add new people').press('Space');
    await page.getByText('1 unknown person is not added, because of the rule.').waitFor(soon);
    await page.getByRole('button', { name: 'Import 2 people' }).waitFor(soon);
    await rule('Add new people').press('Space');
    await page.getByRole('button', { name: 'Import 3 people' }).waitFor(soon);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('finds what a column becomes by keys: arrows, Enter, and a part of the name', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports/new?file=people.csv`);
    await settled(page);
    const options = page.getByRole('listbox').getByRole('option');
    await column(page, 'email').focus();
    expect(await options.count()).toBe(0);
    await page.keyboard.press('Enter');
    await options.first().waitFor();
    // In the open choice, they move between the fields.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await options.first().waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowDown');
    expect(await options.count()).toBe(0);
    await page.keyboard.type('not imp');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Do not import']);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(tab, `import-column-choice-${colorScheme}`);
      expect(await tab.audit()).toEqual([]);
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    // However fast Enter follows, it means the first option that is shown.
    await page.keyboard.type('tow');
    await page.keyboard.press('Enter');
    await expect.poll(() => column(page, 'Seen').inputValue(), soon).toBe('Town');
    await expect.poll(() => column(page, 'Town').inputValue()).toBe('Do not import');
    // One letter is enough; it replaces the name in a field that has just got the focus.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await page.keyboard.press('Enter');
    await expect.poll(() => column(page, 'Seen').inputValue()).toBe('Do not import');
    await page.keyboard.type('zzz');
    await page.keyboard.press('Enter');
    await page.getByText('No field has this name, number or type.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0);
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    // After a choice by mouse, the arrows move between the columns again.
    await column(page, 'Seen').fill('tow');
    await options.filter({ hasText: 'Town' }).first().click();
    await expect.poll(() => column(page, 'Seen').inputValue()).toBe('Town');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toBe('What Town becomes');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toBe('What email becomes');
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
    await column(page, 'Seen').fill('date');
    await options.filter({ hasText: 'Seen' }).waitFor();
    await picture(tab, 'import-column-choice-phone');
    expect(await tab.audit()).toEqual([]);
    // A double click creates one field.
    await column(page, 'Seen').fill('New');
    await options.filter({ hasText: 'New field…' }).click();
    let creations = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/fields')) creations += 1;
    });
    const dialog = page.getByRole('dialog', { name: 'New field' });
    await dialog.getByLabel('Name', { exact: true }).fill('Seen twice');
    await dialog.getByRole('button', { name: 'Create the field' }).dblclick();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => column(page, 'Seen').inputValue(), soon).toBe('Seen twice');
    expect(creations).toBe(1);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('requires the consent of unsubscribed people, with their number', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports/new?file=people.csv`);
    await settled(page);
    const rule = page.getByRole('switch', { name: 'Unsubscribed people stay unsubscribed' });
    await rule.press('Space');
    const dialog = page.getByRole('dialog', { name: '1 unsubscribed person would be subscribed again' });
    await dialog.getByText('Do you have their consent?').waitFor();
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave them out' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await rule.isChecked()).toBe(true);
    await rule.press('Space');
    await page.getByRole('button', { name: 'Subscribe 1 person again' }).click();
    await page.getByText('1 unsubscribed person would be subscribed again.').waitFor(soon);
    expect(await rule.isChecked()).toBe(false);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('reads a file differently, and fills a field that is not in it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    // é as Windows-1252 writes it.
    writeFileSync(
      join(folder(), 'western.csv'),
      Buffer.from('email;Town\nzoe@west.example;\xc9vreux\n', 'latin1'),
    );
    await page.goto(`${t.url}/console/demo/imports/new?file=western.csv`);
    await settled(page);
    await page.getByText('Western European', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Read it differently' }).click();
    await page.locator('#read-as').getByText('Évreux').waitFor();
    await picture(tab, 'import-read');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Read as UTF-8' }).click();
    await expect.poll(() => page.getByLabel('Encoding').inputValue(), soon).toBe('65001');
    await expect.poll(() => figures(page), soon).toEqual(['0', '0', '0', '0', '1']);
    await page.getByRole('button', { name: 'Read as Western European' }).click();
    await expect.poll(() => figures(page), soon).toEqual(['1', '0', '0', '0', '0']);
    await page.getByRole('button', { name: 'Fill a field that is not in the file' }).click();
    await page.getByLabel('Field that is not in the file').selectOption({ label: 'Seen' });
    await page.getByRole('switch', { name: 'Time of the import' }).press('Space');
    await page.getByRole('button', { name: 'Import 1 person' }).waitFor(soon);
    // All of it survives a reload.
    await becomes(page, 'Town', 'Do not import');
    await page.getByRole('switch', { name: 'All or nothing' }).press('Space');
    await page.reload();
    await settled(page);
    await expect.poll(() => column(page, 'Town').inputValue(), soon).toBe('Do not import');
    expect(await page.getByRole('switch', { name: 'All or nothing' }).isChecked()).toBe(true);
    expect(await page.getByRole('switch', { name: 'Time of the import' }).isChecked()).toBe(true);
    await page.getByText('Western European', { exact: true }).waitFor();
    // The sheets of a workbook are offered by their names.
    const book = workbookParts({ rows: textRow(1, ['email', 'Town']), sheets: ['Now', 'Old people'] });
    writeFileSync(join(folder(), 'book.xlsx'), await zipOf(book));
    await page.goto(`${t.url}/console/demo/imports/new?file=book.xlsx`);
    await page.getByRole('button', { name: 'Read it differently' }).click();
    const sheet = page.getByLabel('Sheet');
    expect(await sheet.locator('option').allInnerTexts()).toEqual(['Now', 'Old people']);
    expect(await sheet.inputValue()).toBe('Now');
    await picture(tab, 'import-sheets');
    expect(await tab.audit()).toEqual([]);
    await sheet.selectOption('Old people');
    // It is empty.
    await expect.poll(() => page.getByRole('combobox', { name: /^What .* becomes$/ }).count()).toBe(0);
    expect(await sheet.inputValue()).toBe('Old people');
    // A later file of this name may not have that sheet.
    const other = workbookParts({ rows: textRow(1, ['email', 'Town']), sheets: ['Now'] });
    writeFileSync(join(folder(), 'book.xlsx'), await zipOf(other));
    await page.reload();
    await page.getByText(/no sheet/).waitFor(soon);
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Detect the settings again' }).click();
    await column(page, 'Town').waitFor(soon);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows how much of a file has been sent, and cancels it', patience, async () => {
    const tab = await t.open({ width: 390 });
    const { page, context } = tab;
    await page.goto(`${t.url}/console/demo/imports`);
    const network = await context.newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    const row = 'someone@large.example\n';
    const file = (name: string, rows: number) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(`email\n${row.repeat(rows)}`),
    });
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles(file('large.csv', 200_000));
    const bar = page.getByRole('progressbar', { name: 'large.csv is being uploaded.' });
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow')), soon).toBeGreaterThan(5);
    await page.getByText(/^[0-3]\.\d of 4\.2 MB$/).waitFor();
    await picture(tab, 'import-uploading');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the upload' }).click();
    await bar.waitFor({ state: 'detached' });
    const choose = page.getByRole('button', { name: 'Choose a file' });
    await expect.poll(() => choose.isEnabled()).toBe(true);
    expect(readdirSync(folder())).not.toContain('large.csv');
    // A second file waits for its turn, and an upload ends with its screen.
    await input.setInputFiles(file('left.csv', 200_000));
    await page.getByRole('progressbar', { name: 'left.csv is being uploaded.' }).waitFor();
    await input.setInputFiles(file('second.csv', 1));
    await page.getByText('Wait for the end of this upload, or cancel it.', { exact: false }).waitFor();
    await page.getByRole('progressbar', { name: 'left.csv is being uploaded.' }).waitFor();
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/files?'));
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' }).click();
    await ended;
    await page.goBack();
    await choose.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of ['left.csv', 'second.csv']) expect(readdirSync(folder())).not.toContain(name);
    // What the service says is shown as before, and so is a session that has ended.
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await input.setInputFiles(file(`${'x'.repeat(300)}.csv`, 1));
    await page.locator('[role=status] .red').waitFor();
    await network.send('Network.emulateNetworkConditions', { ...slow, offline: true });
    await input.setInputFiles(file('offline.csv', 1));
    await page.getByText('The service cannot be reached', { exact: false }).waitFor();
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await context.clearCookies();
    await input.setInputFiles(file('signed-out.csv', 1));
    const signIn = page.getByRole('dialog');
    await signIn.locator('input[type=password]').waitFor();
    // A swipe does not close what Escape does not close.
    await swipe(tab, signIn.locator('.mantine-Modal-title'), 200);
    expect(await signIn.isVisible()).toBe(true);
    await tab.close();
  });

  it('takes a file that is dropped anywhere', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports`);
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    const drop = async (name: string, over: string, text = 'email;Town\\nada@drop.example;Lyon\\n') => {
      const dataTransfer = await page.evaluateHandle(`(() => {
        const dropped = new DataTransfer();
        dropped.items.add(new File(['${text}'], '${name}'));
        return dropped;
      })()`);
      await page.dispatchEvent('h1', 'dragover', { dataTransfer });
      await page.locator(over).waitFor();
      await picture(tab, `import-${over}`);
      await page.dispatchEvent('h1', 'drop', { dataTransfer });
    };
    const isPrepared = (name: string) => page.getByRole('heading', { name: `Import ${name}` }).waitFor(soon);
    await drop('dropped.csv', '.drop[data-over]');
    await isPrepared('dropped.csv');
    await settled(page);
    await page.getByRole('button', { name: 'Import 1 person' }).waitFor(soon);
    // The same file, corrected, with dates as its country writes them.
    await drop(
      'dropped.csv',
      '.drop-anywhere',
      'email;Town;Seen\\nada@drop.example;Lyon;31/01/2026\\neve@drop.example;Lyon;01/02/2026\\n',
    );
    await page.getByRole('button', { name: 'Import 2 people' }).waitFor(soon);
    // Nothing is chosen yet; what is chosen then is not replaced without a question.
    await drop('second.csv', '.drop-anywhere');
    await isPrepared('second.csv');
    await settled(page);
    await becomes(page, 'Town', 'Do not import');
    await drop('third.csv', '.drop-anywhere');
    const question = page.getByRole('dialog', { name: 'Prepare third.csv instead?' });
    await question.getByText('second.csv is not imported yet.').waitFor();
    await settled(page);
    await picture(tab, 'import-replaced');
    expect(await tab.audit()).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await isPrepared('second.csv');
    await drop('third.csv', '.drop-anywhere');
    await question.getByRole('button', { name: 'Prepare the other file' }).click();
    await isPrepared('third.csv');
    await expect.poll(() => column(page, 'Town').inputValue(), soon).toBe('Town');
    await page.goBack();
    await isPrepared('second.csv');
    await expect.poll(() => column(page, 'Town').inputValue(), soon).toBe('Do not import');
    // On one import as well.
    const { id } = await call<{ id: number }>(tab, 'POST', '/imports/scheduled', {
      parameters: {
        filename: 'second.csv',
        columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
      },
      schedulingInfos: { scheduledDate: '2098-12-24T18:00:00+01:00' },
    });
    await page.goto(`${t.url}/console/demo/imports/${id}`);
    await page.getByRole('heading', { name: 'second.csv' }).waitFor(soon);
    await drop('fourth.csv', '.drop-anywhere');
    await isPrepared('fourth.csv');
    await call(tab, 'DELETE', `/imports/${id}`);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('imports pasted rows, and the rejected ones again once they are corrected', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports`);
    await page.getByRole('button', { name: 'Paste rows' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste rows' });
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText('Paste at least one row.').waitFor();
    expect(await tab.audit()).toEqual([]);
    const rows = 'email\tTown\nida@paste.example\tLille\nida@@paste.example\tLille';
    await dialog.getByLabel('Rows').fill(rows);
    // They survive a reload, and an upload that fails.
    await page.reload();
    await page.getByRole('button', { name: 'Paste rows' }).click();
    await dialog.getByText('Changes that were kept in this browser are shown.').waitFor();
    await expect.poll(() => dialog.getByLabel('Rows').inputValue(), soon).toBe(rows);
    const upload = '**/v1/demo/files?name=pasted_*';
    await page.route(upload, (route) => route.fulfill({ status: 413, json: { success: false } }));
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute(upload);
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: /^Import pasted_/ }).waitFor(soon);
    await settled(page);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('ida@@');
    // What is chosen here is not what the service guesses.
    expect(await page.getByText(/^Not imported:/).count()).toBe(0);
    await becomes(page, 'Town', 'Do not import');
    await page
      .getByText('Not imported: Town. Choose a field for each column that you want to import.')
      .waitFor();
    await page.getByRole('switch', { name: 'Delete the file afterwards' }).press('Space');
    await page.getByRole('button', { name: 'Fill a field that is not in the file' }).click();
    await page.getByLabel('Field that is not in the file').selectOption({ label: 'Seen' });
    await page.getByRole('switch', { name: 'Time of the import' }).press('Space');
    await page.getByRole('button', { name: 'Import 1 person' }).click();
    await page.getByText('The import is done.').waitFor({ timeout: 60_000 });
    await expect.poll(() => figures(page), soon).toEqual(['1', '0', '0', '0', '1']);
    await page
      .locator('.rejected li', { hasText: /^3\s*ida@@paste\.example.*not an email address/s })
      .waitFor(soon);
    await picture(tab, 'import-rejected');
    expect(await tab.audit()).toEqual([]);
    await page.locator('.state.amber', { hasText: /^Done, 1 rejected$/ }).waitFor();
    const rejected = await saved(page, 'Download them');
    expect(rejected.name).toMatch(/^pasted_\d{14}\.csv\.errors\.csv$/);
    expect(rejected.text).toContain('ida@@paste.example');
    await page.locator('input[type=file]').setInputFiles({
      name: 'corrected.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(rejected.text.replace('@@', '@')),
    });
    await page.getByRole('heading', { name: 'Import corrected.csv' }).waitFor(soon);
    await settled(page);
    // The columns and rules of the import that it corrects; the columns behind them are skipped.
    await expect.poll(() => column(page, 'email').inputValue(), soon).toBe('Email');
    expect(await column(page, 'Town').inputValue()).toBe('Do not import');
    expect(await page.getByRole('switch', { name: 'Delete the file afterwards' }).isChecked()).toBe(true);
    expect(await page.getByRole('switch', { name: 'Time of the import' }).isChecked()).toBe(true);
    await expect.poll(() => figures(page), soon).toEqual(['0', '1', '0', '0', '0']);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('says in French why rows were rejected and why an import failed', patience, async () => {
    const tab = await t.open({ language: 'fr-FR' });
    const { page } = tab;
    // Texts that come late hide no screen.
    const slow = { offline: false, latency: 300, downloadThroughput: -1, uploadThroughput: -1 };
    const session = await tab.context.newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', slow);
    await page.addInitScript(`requestAnimationFrame(function watch() {
      window.wasHidden ||= document.querySelector('h1')?.checkVisibility() === false;
      requestAnimationFrame(watch);
    })`);
    await page.goto(`${t.url}/console/demo/imports`);
    await page.getByRole('button', { name: 'Coller des lignes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Coller des lignes' });
    await dialog
      .getByLabel('Lignes')
      .fill('email\tSeen\nida@@paste.example\t2026-01-31\nida@paste.example\tsoon');
    await dialog.getByRole('button', { name: 'Continuer' }).click();
    const rejected = page.locator('.rejected');
    await rejected
      .getByText(/^Colonne email, Champ 1 \(Email\)\s: n’est pas une adresse e-mail$/)
      .waitFor(soon);
    await rejected
      .getByText(/^Colonne Seen, Champ 102 \(Seen\)\s: n’est pas une date au format/)
      .waitFor(soon);
    expect(await page.evaluate('window.wasHidden')).toBe(false);
    await picture(tab, 'import-rejected-fr');
    // A file that is gone by the time of its import.
    writeFileSync(join(folder(), 'lists/short.csv'), 'Town\nLyon');
    const columnMapping = [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }];
    const { id } = await call<{ id: number }>(tab, 'POST', '/imports/immediate', {
      parameters: { filename: 'lists/short.csv', columnMapping },
    });
    await page.goto(`${t.url}/console/demo/imports/${id}`);
    await page
      .getByRole('alert')
      .getByText(/^Le fichier n’a pas de colonne email/)
      .waitFor({ timeout: 60_000 });
    const shown = await page.locator('main').innerText();
    expect(shown).not.toMatch(/has no column|does not/);
    expect(await tab.audit()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('takes a file of the SFTP account, and imports one like it every night', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    writeFileSync(join(folder(), 'old.csv'), 'email\n');
    mkdirSync(join(folder(), 'many'));
    for (let number = 0; number <= 100; number += 1)
      writeFileSync(join(folder(), 'many', `${number}.csv`), 'email\n');
    await page.goto(`${t.url}/console/demo/imports`);
    await page.getByRole('button', { name: 'Take one from SFTP' }).click();
    const dialog = page.getByRole('dialog', { name: 'Files of the SFTP account' });
    await dialog.getByRole('button', { name: 'people.csv', exact: true }).waitFor();
    await picture(tab, 'import-folder');
    expect(await tab.audit()).toEqual([]);
    await dialog
      .getByRole('button', { name: /old\.csv$/ })
      .last()
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete old.csv?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await dialog.getByRole('button', { name: 'old.csv', exact: true }).waitFor({ state: 'hidden' });
    // A folder with one file more than a page shows.
    await dialog.getByRole('button', { name: 'many', exact: true }).click();
    const files = dialog.getByRole('listitem');
    await expect.poll(() => files.count(), soon).toBe(100);
    await dialog.getByRole('button', { name: 'More', exact: true }).click();
    await expect.poll(() => files.count(), soon).toBe(101);
    await dialog.getByRole('button', { name: 'More', exact: true }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Up', exact: true }).click();
    await dialog.getByRole('button', { name: 'lists' }).click();
    await dialog.getByRole('button', { name: 'people_20261124.csv', exact: true }).click();
    await page.getByRole('heading', { name: 'Import lists/people_20261124.csv' }).waitFor();
    await settled(page);
    await page.getByRole('button', { name: 'Every night…' }).click();
    const form = page.getByRole('dialog', { name: 'Import a file on a schedule' });
    expect(await form.getByLabel('Name of the file').inputValue()).toBe('lists/people_{yyyy}{MM}{dd}.csv');
    await form.getByLabel('Time in Paris').fill('03:15');
    await page.reload();
    await page.getByRole('button', { name: 'Every night…' }).click();
    await form.getByText('Changes that were kept in this browser are shown.').waitFor();
    await expect.poll(() => form.getByLabel('Time in Paris').inputValue(), soon).toBe('03:15');
    expect(await tab.audit()).toEqual([]);
    await form.getByRole('button', { name: 'Schedule the import' }).click();
    await page.getByText(/^The next import runs on .*03:15\.$/).waitFor(soon);
    await page.locator('.state', { hasText: /^Starts (at 03:15|.+, 03:15)$/ }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: it does not run until you resume it.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^The next import runs on/).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByText('Then every day at 03:15.').waitFor();
    await changeNightly(tab);
    await page.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the scheduled import of mine_{dd}.csv?' });
    await question.getByRole('button', { name: 'Delete', exact: true }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Cancelled').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows the earlier runs of a nightly import', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    writeFileSync(join(folder(), 'runs.csv'), 'email\nrun@garden.example\nrun@@garden.example\n');
    const parameters = {
      filename: 'runs.csv',
      columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
    };
    const { id } = await call<{ id: number }>(tab, 'POST', '/imports/scheduled', {
      parameters,
      schedulingInfos: {
        isRecurring: true,
        recurringInfos: { frequencyUnits: 'Day', time: '04:00:00', startDate: '2098-12-24T00:00:00Z' },
      },
    });
    const runs = async () =>
      (await call<{ totalCount: number }>(tab, 'GET', `/imports/${id}/logs`)).totalCount;
    /** Runs the next night now. */
    const run = () =>
      changeDatabase(
        `update graphile_worker._private_jobs set run_at = now() where (payload ->> 'idImport')::int = $1`,
        [id],
      );
    await run();
    await expect.poll(runs, { timeout: 60_000 }).toBe(1);
    await page.goto(`${t.url}/console/demo/imports/${id}`);
    await expect.poll(() => figures(page), soon).toEqual(['1', '0', '0', '0', '1']);
    expect(await page.getByRole('heading', { name: 'Earlier runs' }).count()).toBe(0);
    await run();
    await expect.poll(runs, { timeout: 60_000 }).toBe(2);
    await page.getByRole('heading', { name: 'Earlier runs' }).waitFor(soon);
    const earlier = page.getByRole('row').filter({ hasText: 'runs.csv' });
    await expect
      .poll(async () => (await earlier.locator('.num').allInnerTexts()).join(' '), soon)
      .toBe('1 0 0 0 1');
    await expect.poll(() => figures(page), soon).toEqual(['0', '0', '1', '0', '1']);
    await picture(tab, 'import-runs');
    expect(await tab.audit()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(tab, 'import-runs-phone');
    expect(await tab.audit()).toEqual([]);
    await showPeople(tab);
    // While the next one runs, the last one is an earlier one.
    await page.route(new RegExp(`/v1/demo/imports/${id}$`), async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const { data, ...envelope } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { ...envelope, data: { ...data, importState: 'InProgress' } } });
    });
    await page.reload();
    await expect
      .poll(async () => (await earlier.locator('.num').allInnerTexts()).join(' '), soon)
      .toBe('0 0 1 0 1 1 0 0 0 1');
    await call(tab, 'DELETE', `/imports/${id}`);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('counts new, changed and unchanged people while an import runs', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const { id } = await call<{ id: number }>(tab, 'POST', '/imports/scheduled', {
      parameters: {
        filename: 'long.csv',
        columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
      },
      schedulingInfos: { scheduledDate: '2098-12-24T18:00:00+01:00' },
    });
    let nbInserts = 31_204;
    // A run that takes as long as the test looks at it.
    await page.route(new RegExp(`/v1/demo/imports(/${id}$|\\?)`), async (route) => {
      const url = route.request().url().replace('=InProgress', '=Scheduled');
      const response = await route.fetch({ url });
      const { data, ...envelope } = (await response.json()) as { data: { items?: object[] } };
      const counted = nbInserts > 31_204 && { totalRows: 80_000, totalDuplicateKeys: 2, nbErrorRows: 3 };
      const written = { nbInserts, nbUpdates: 9, nbUnchanged: nbInserts > 31_204 ? 1_500 : 1_200 };
      const run = { importState: 'InProgress', progression: '62 %', ...written, ...counted };
      const items = data.items?.map((item) => ('id' in item && item.id === id ? { ...item, ...run } : item));
      const shown = items ? { ...data, items } : { ...data, importState: 'InProgress' };
      await route.fulfill({ response, json: { ...envelope, data: shown } });
    });
    await page.goto(`${t.url}/console/demo/imports/${id}`);
    await expect.poll(() => figures(page), soon).toEqual(['31,204', '9', '1,200', '–', '–']);
    await picture(tab, 'import-runs-now');
    expect(await tab.audit()).toEqual([]);
    nbInserts = 40_000;
    await expect.poll(() => figures(page), soon).toEqual(['40,000', '9', '1,500', '2', '3']);
    await call(tab, 'DELETE', `/imports/${id}`);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps the address of a person who is being added', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const open = () => page.getByRole('button', { name: 'Add a person' }).click();
    const field = page.getByRole('dialog').getByLabel('Email address');
    await page.goto(`${t.url}/console/demo/subscribers`);
    await open();
    await field.fill('zoe@garden.example');
    await page.reload();
    await open();
    await page.getByText('Changes that were kept in this browser are shown.').waitFor();
    expect(await field.inputValue()).toBe('zoe@garden.example');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click();
    await field.waitFor({ state: 'hidden' });
    await open();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('has its buttons at the bottom of a phone, and every night in a menu', patience, async () => {
    const tab = await t.open({ width: 390, isDark: true });
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/imports`);
    await page.locator('input[type=file]').setInputFiles({
      name: 'phone.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\nlou@phone.example\nzoe@phone.example\n'),
    });
    const start = page.getByRole('button', { name: 'Import 2 people' });
    await start.waitFor(soon);
    const { y, height } = (await start.boundingBox())!;
    expect(y).toBeGreaterThan(784);
    expect(y + height).toBeLessThanOrEqual(844);
    await expect.poll(() => page.locator('.tabbar').isVisible()).toBe(false);
    await picture(tab, 'import-phone');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Actions: phone.csv' }).click();
    await page.getByRole('menuitem', { name: 'Every night…' }).click();
    const nightly = page.getByRole('dialog');
    await nightly.waitFor();
    await swipesAway(tab, nightly);
    await page.locator('.bottom-bar').getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL(/\/imports$/);
    await page.locator('.tabbar').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('looks right everywhere', patience, async () => {
    await auditEverywhere(t, '/imports/new?file=people.csv', 'jean@@garden.example', 'import-prepared');
  });

  it('downloads an export, and names its author', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const { id: idTarget } = await call<{ id: number }>(tab, 'POST', '/targets', {
      name: 'All of them',
    });
    await call(tab, 'POST', '/exports', {
      idTarget,
      idsFields: ['1'],
      idsEncodeFields: [],
      encoding: 'None',
      typeList: 'VALUE',
      filename: 'all.csv',
    });
    await page.goto(`${t.url}/console/demo/exports`);
    const { name, text } = await saved(page, 'Download all.csv');
    expect([name, text]).toEqual(['all.csv', expect.stringContaining('known@garden.example')]);
    const { user } = (await (await page.request.get(`${t.url}/v1/me`)).json()).data as {
      user: { name: string };
    };
    await page.getByRole('cell', { name: user.name, exact: true }).waitFor();
    await auditEverywhere(t, '/exports', 'all.csv', 'exports-done');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('finds imports and exports by name, state, page and key', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const columnMapping = [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }];
    const schedulingInfos = { scheduledDate: '2098-12-24T18:00:00+01:00' };
    for (let number = 0; number < 51; number += 1)
      await call(tab, 'POST', '/imports/scheduled', {
        parameters: { filename: `pagéd_${number}.csv`, columnMapping },
        schedulingInfos,
      });
    await page.goto(`${t.url}/console/demo/imports`);
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count(), soon).toBe(50);
    await page.getByRole('searchbox').fill('PAGED_');
    await page.getByText('1 to 50 of 51').waitFor(soon);
    await page.getByRole('button', { name: 'Scheduled', exact: true }).press('Enter');
    await expect.poll(() => page.url(), soon).toMatch(/\?search=PAGED_&part=Scheduled$/);
    await page.getByText('1 to 50 of 51').waitFor(soon);
    await page.keyboard.press(']');
    await page.getByText('51 to 51 of 51').waitFor(soon);
    await expect.poll(() => rows.allInnerTexts(), soon).toEqual([expect.stringContaining('pagéd_0.csv')]);
    // The address has it all.
    await page.reload();
    await page.getByText('51 to 51 of 51').waitFor(soon);
    await page.locator('tbody').getByText('pagéd_0.csv').waitFor();
    await page.keyboard.press('[');
    await page.getByText('1 to 50 of 51').waitFor(soon);
    await expect.poll(() => rows.count(), soon).toBe(50);
    for (const [key, at] of [
      ['j', '50'],
      ['j', '49'],
      ['k', '50'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator('tr[data-current]').getByText(`pagéd_${at}.csv`).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'pagéd_50.csv' }).waitFor(soon);
    await page.goto(`${t.url}/console/demo/imports?search=missing`);
    await page.getByText('No file of the last 15 days is called “missing”.').waitFor(soon);
    await page.getByRole('button', { name: 'Show all imports' }).click();
    await expect.poll(() => rows.count(), soon).toBe(50);
    await page.goto(`${t.url}/console/demo/exports?part=FAILED`);
    await page.getByText('No export is in this state.').waitFor(soon);
    await page.getByRole('searchbox').fill('ALL.c');
    await page.getByText('No export is called “ALL.c”.').waitFor(soon);
    await page.getByText('Only “Failed” is shown.').waitFor();
    await picture(tab, 'exports-nothing');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Done', exact: true }).press('Enter');
    await rows.getByText('all.csv', { exact: true }).waitFor(soon);
    await page.keyboard.press('j');
    await page.locator('tr[data-current]').getByText('all.csv', { exact: true }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toBe('all.csv');
    expect(tab.faults).toEqual([]);
    await tab.close();
    await auditEverywhere(t, '/imports?search=paged', 'pagéd_50.csv', 'imports');
  });

  it('shows where a picture is used, and names the uses before it is deleted', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const upload = (name: string) =>
      call<{ idPicture: number; url: string }>(tab, 'POST', '/pictures', {
        name,
        fileName: 'bulbs.png',
        base64Content: onePixel.toString('base64'),
      });
    const { url } = await upload('Bulbs');
    const parameters = { name: 'Autumn', subject: 'Bulbs' };
    await call(tab, 'POST', '/campaigns', { parameters, htmlContent: `<img src="${url}" alt="">` });
    await page.goto(`${t.url}/console/demo/library`);
    const menu = page
      .getByRole('article', { name: 'Bulbs' })
      .getByRole('button', { name: /Bulbs$/ })
      .last();
    await page.getByRole('article', { name: 'Bulbs' }).getByText('Used in 1 campaign').waitFor(soon);
    await picture(tab, 'picture-grid');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Where it is used' }).click();
    const uses = page.getByRole('dialog', { name: 'Where Bulbs is used' });
    await uses.getByText('Used in 1 campaign').waitFor();
    await uses.getByRole('link', { name: 'Autumn' }).waitFor();
    await picture(tab, 'picture-uses');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await uses.waitFor({ state: 'hidden' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const deletion = page.getByRole('dialog', { name: 'Delete Bulbs?' });
    await deletion.getByRole('link', { name: 'Autumn' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await deletion.getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('No picture yet').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
