import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp;';
const long = `Gardeners ${'and their neighbours '.repeat(11)}`.trim();
const rightToLeft = 'بستانيون في باريس';

let t: ConsoleTester;
const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

describeWith('chromium', 'the console for people', () => {
  beforeAll(async () => {
    t = await openConsole();
    const tab = await t.open();
    const people = ['left@post.example', 'camille@post.example', 'malo@post.example', 'ines@garden.example'];
    const body = people.map((value) => ({ fields: [{ idField: 1, value }] }));
    await call(tab, 'POST', '/subscribers', body);
    const [left] = await call<{ id: number }[]>(
      tab,
      'GET',
      '/subscribers?filter.by=Email&filter.values=left@post.example',
    );
    await call(tab, 'POST', '/subscribers/unsubscribe', [{ idSubscriber: left!.id }]);
    await tab.close();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('builds a target whose count follows each change, and takes archiving back', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/targets`);
    await page.getByRole('heading', { name: 'No target yet' }).waitFor();
    await page.getByRole('button', { name: 'New target' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Gardeners');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the target' }).click();
    const count = page.locator('.counted');
    await expect.poll(() => count.innerText(), soon).toBe('3 people');
    await page.getByText('Safe: subscribed people only').waitFor();
    await page.getByRole('button', { name: 'Condition' }).click();
    await page.getByText('Complete this condition.').waitFor();
    await page.getByLabel('Value: Email').fill('@post.example');
    await expect.poll(() => count.innerText(), soon).toBe('2 people');
    await page.getByText(/^Saved at/).waitFor();
    await page.getByText('malo@post.example').waitFor();
    await picture(tab, 'target-built');
    // The lock names how many people it keeps out: those who unsubscribed and meet the other conditions.
    await page.getByRole('switch', { name: 'Subscribed people only' }).press('Space');
    const effect = 'Without this condition, the target includes unsubscribed people (1)';
    await page.getByRole('dialog').getByText(effect).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Remove the condition', exact: true }).click();
    await page.getByText('Not safe: cannot be sent to').waitFor();
    await page.getByText(effect).waitFor();
    await page.getByRole('switch', { name: 'Subscribed people only' }).press('Space');
    await page.getByRole('switch', { name: 'Use for test mailings' }).press('Space');
    await page.getByLabel('Name of the target').fill(hostile);
    type Items = { items: { name: string; isSafe: boolean; isTestTarget: boolean }[] };
    const newest = async () =>
      (
        await call<Items>(
          tab,
          'GET',
          '/targets?filter.location=All&filter.sortBy=IdTarget&filter.order=DESC&filter.start=0',
        )
      ).items[0];
    await expect.poll(newest, soon).toMatchObject({ name: hostile, isSafe: true, isTestTarget: true });
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(newest, soon).toMatchObject({ name: hostile });
    await page.reload();
    await expect.poll(() => count.innerText(), soon).toBe('2 people');
    await expect.poll(() => page.getByLabel('Value: Email').inputValue(), soon).toBe('@post.example');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'shows targets with hostile, long and right-to-left names, and keeps filters that it does not edit',
    patience,
    async () => {
      const tab = await t.open();
      const { id } = await call<{ id: number }>(tab, 'POST', '/targets', { name: long });
      await call(tab, 'POST', '/targets', { name: rightToLeft });
      await call(tab, 'PUT', '/targets/filters/sql', { idTarget: id, sql: "fld1 like '%<b>%'" });
      const filters = [
        { idField: 7, operator: 'Equal', value: '0' },
        { idField: 2, operator: 'LastDays', value: '30' },
        { idField: 44, operator: 'In', value: '0;1' },
        { idField: 1, operator: 'NotContains', value: hostile },
        { idField: 3, operator: 'Between', value: '2026-01-01;2026-12-31' },
      ];
      await call(tab, 'PUT', '/targets/filters/field', { idTarget: id, filters });
      await tab.page.goto(`${t.url}/console/demo/targets`);
      // The palette opens a target and a person by a part of their name.
      const option = (name: string) => tab.page.getByRole('option', { name });
      await tab.page.getByRole('link', { name: rightToLeft }).waitFor();
      await tab.page.keyboard.press('Control+k');
      await tab.page.getByRole('combobox', { name: 'Search or jump to' }).fill('malo@');
      await option('malo@post.example').waitFor();
      expect(await tab.audit()).toEqual([]);
      await tab.page.getByRole('combobox', { name: 'Search or jump to' }).fill(rightToLeft);
      // What is still shown belongs to the text before: Enter waits for what this one finds.
      await tab.page.keyboard.press('Enter');
      await tab.page.getByLabel('Name of the target').waitFor();
      await tab.page.goto(`${t.url}/console/demo/targets`);
      await tab.page.getByRole('button', { name: `Make ${rightToLeft} a favourite` }).click();
      await tab.page.getByRole('button', { name: `${rightToLeft} is a favourite` }).waitFor();
      await tab.page.getByRole('button', { name: 'Favourites' }).click();
      await expect.poll(() => tab.page.locator('tbody tr').count(), soon).toBe(1);
      await auditEverywhere(t, '/targets', rightToLeft, 'targets');
      await auditEverywhere(t, `/targets/${id}`, 'SQL', 'target');
      await tab.page.goto(`${t.url}/console/demo/targets?search=neighb`);
      await tab.page.getByRole('link', { name: long }).waitFor();
      await tab.page.goto(`${t.url}/console/demo/targets?search=sping`);
      await tab.page.getByText('No target is called “sping”.').waitFor();
      await tab.page.goto(`${t.url}/console/demo/targets/${id}`);
      await tab.page.getByLabel('Name of the target').fill('Renamed');
      await tab.page.getByText(/^Saved at/).waitFor();
      expect(await call(tab, 'GET', `/targets/${id}/filters/sql`)).toMatchObject({
        sql: "fld1 like '%<b>%'",
      });
      expect(await call(tab, 'GET', `/targets/${id}/filters/field`)).toMatchObject({ filters });
      await tab.close();
    },
  );

  it('keeps the count and the actions of a target in sight on a phone', patience, async () => {
    const tab = await t.open({ width: 390 });
    const { page } = tab;
    const { id } = await call<{ id: number }>(tab, 'POST', '/targets', { name: 'On a phone' });
    const filters = [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: 1, operator: 'Contains', value: 'garden' },
    ];
    await call(tab, 'PUT', '/targets/filters/field', { idTarget: id, filters });
    await page.goto(`${t.url}/console/demo/targets/${id}`);
    await page.getByText('ines@garden.example').waitFor();
    await page.getByRole('heading', { name: 'Step by step' }).waitFor();
    const topOf = async (place: Locator) => Math.round((await place.boundingBox())!.y);
    const ofCondition = [
      page.getByLabel('Field', { exact: true }).and(page.locator('input')),
      page.getByRole('button', { name: 'Remove the condition on Email' }),
      page.getByLabel('Comparison: Email'),
      page.getByLabel('Value: Email'),
    ];
    const [field, remove, comparison, value] = await Promise.all(ofCondition.map(topOf));
    expect(Math.abs(remove! - field!)).toBeLessThan(10);
    expect(comparison).toBeGreaterThan(field! + 30);
    // A long comparison is shown whole.
    expect(value).toBeGreaterThan(comparison! + 30);
    await page.getByRole('button', { name: 'Archive' }).scrollIntoViewIfNeeded();
    // Below the bar of the site, and above the lower edge of the window.
    await expect.poll(() => topOf(page.locator('.count')), soon).toBe(52);
    for (const action of ['Duplicate', 'Write to them'])
      expect(await topOf(page.getByRole('button', { name: action }))).toBeGreaterThan(784);
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    const below = ['Then', 'Step by step', 'In words', 'Some of them'];
    const tops = await Promise.all(below.map((name) => topOf(page.getByRole('heading', { name }))));
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    await picture(tab, 'target-phone');
    expect(await tab.audit()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('duplicates a filter into another target, and takes it back', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const lock = { idField: 7, operator: 'Equal', value: '0' };
    const condition = { idField: 1, operator: 'Contains', value: 'garden' };
    const acts = { didAnAction: true, action: 'Open', nbTime: '2', nbTimeAndDayOperator: 'AtLeast' };
    const opened = { ...acts, behaviourType: 'NbDays', nbDaysAgo: 30 };
    const clicked = { ...opened, action: 'Click' };
    const make = async (name: string, filters: object[], behaviour?: object) => {
      const { id: idTarget } = await call<{ id: number }>(tab, 'POST', '/targets', { name });
      await call(tab, 'PUT', '/targets/filters/field', { idTarget, filters });
      if (behaviour) await call(tab, 'PUT', '/targets/filters/behaviour', { idTarget, ...behaviour });
      return idTarget;
    };
    const from = await make('From here', [condition], opened);
    const without = await make('Without it', [lock]);
    const having = await make(`With one ${hostile}`, [lock], clicked);
    const target = (id: number) => call(tab, 'GET', `/targets/${id}`);
    const filterOf = (id: number, kind: string) => call(tab, 'GET', `/targets/${id}/filters/${kind}`);
    const dialog = page.getByRole('dialog');
    const begin = async (kind: string, into: string) => {
      await page.getByRole('button', { name: `Actions for ${kind}` }).click();
      await page.getByRole('menuitem', { name: 'Duplicate into another target' }).click();
      await dialog.getByRole('combobox').fill(into);
      await page.getByRole('option', { name: into }).click();
    };
    const end = async (button: string) => {
      await dialog.getByRole('button', { name: button }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().click();
    await page.goto(`${t.url}/console/demo/targets/${from}`);
    await begin('Behaviour', 'Without it');
    await end('Duplicate');
    await expect.poll(() => filterOf(without, 'behaviour'), soon).toMatchObject(opened);
    await undo();
    await expect.poll(() => target(without), soon).toMatchObject({ hasBehaviourFilter: false, isSafe: true });
    // A filter that would be replaced is named and shown first.
    await begin('Behaviour', 'With one');
    await dialog.getByText(/^“With one .* already has a filter “Behaviour”/).waitFor();
    await dialog.getByRole('region', { name: /^Behaviour/ }).waitFor();
    await picture(tab, 'copy-filter');
    expect(await tab.audit()).toEqual([]);
    await end('Replace the filter');
    await expect.poll(() => filterOf(having, 'behaviour'), soon).toMatchObject(opened);
    await undo();
    await expect.poll(() => filterOf(having, 'behaviour'), soon).toMatchObject(clicked);
    // Conditions leave the lock of the other target as it is.
    await begin('Fields', 'Without it');
    await end('Duplicate');
    await expect.poll(() => filterOf(without, 'field'), soon).toMatchObject({ filters: [lock, condition] });
    // What another person changed since then is not taken back.
    await call(tab, 'PUT', '/targets/filters/field', { idTarget: without, filters: [lock, lock] });
    await undo();
    await page
      .getByRole('status')
      .getByText(/changed/i)
      .waitFor();
    expect(await filterOf(without, 'field')).toMatchObject({ filters: [lock, lock] });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('finds people, corrects a field, and takes an unsubscription back', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const { id } = await call<{ id: number }>(tab, 'POST', '/fields', {
      name: hostile,
      fieldType: 'Text',
      length: 300,
    });
    await page.goto(`${t.url}/console/demo/subscribers`);
    const ines = page.getByRole('row', { name: 'ines@garden.example' });
    await ines.waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).not.toContain('City');
    await page.getByText('4 people, the newest first').waitFor();
    // What a site calls name and city has columns.
    const own: { idField: number; value: string }[] = [];
    for (const [name, value] of [
      ['Ville de résidence', rightToLeft],
      ['Nom', 'Moreau'],
      ['Prénom', 'Inès'],
    ] as const) {
      const made = await call<{ id: number }>(tab, 'POST', '/fields', {
        name,
        fieldType: 'Text',
        length: 300,
      });
      own.push({ idField: made.id, value });
    }
    type Found = { id: number }[];
    const [found] = await call<Found>(
      tab,
      'GET',
      '/subscribers?filter.by=Email&filter.values=ines@garden.example',
    );
    await call(tab, 'PUT', '/subscribers', [{ id: found!.id, fields: own }]);
    await page.reload();
    await ines.getByText('Inès Moreau').waitFor();
    await ines.getByText(rightToLeft).waitFor();
    await page.getByRole('columnheader', { name: 'City' }).waitFor();
    await page.getByRole('searchbox').fill('nobody-like-this@x.example');
    await page.getByLabel('State').selectOption('Unsubscribed');
    await page.getByText('No subscriber has “nobody-like-this@x.example”').waitFor();
    await page.getByText('Only “Unsubscribed” is shown.').waitFor();
    await page.getByLabel('State').selectOption('All people');
    await page.getByRole('button', { name: 'Add nobody-like-this@x.example' }).click();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click();
    await page.getByText('nobody-like-this@x.example is subscribed.').waitFor();
    // While the answer is slow to come, the earlier people stay, and are seen to be the earlier ones.
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/subscribers\/search/, async (route) => {
      await isAnswered;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('POST.ex');
    const list = page.locator('section:has(> table)');
    const opacity = () =>
      page.evaluate(`getComputedStyle(document.querySelector('section:has(> table)')).opacity`);
    await expect.poll(opacity, soon).toBe('0.6');
    expect(await list.getByRole('link').count()).toBeGreaterThan(0);
    answer();
    await expect.poll(opacity, soon).toBe('1');
    await page.unroute(/subscribers\/search/);
    await page.getByRole('link', { name: 'ines@garden.example' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'malo@post.example' }).click();
    const edit = page.getByRole('button', { name: `Change ${hostile}` });
    await edit.click();
    await page.getByRole('textbox', { name: hostile }).fill(rightToLeft);
    await page.keyboard.press('Enter');
    await edit.filter({ hasText: rightToLeft }).waitFor();
    const hasFocus = () => edit.evaluate((button) => button === button.ownerDocument.activeElement);
    await expect.poll(hasFocus, soon).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: hostile }).fill('Not this');
    await page.keyboard.press('Escape');
    await edit.filter({ hasText: rightToLeft }).waitFor();
    await expect.poll(hasFocus, soon).toBe(true);
    // A defect is said with the number of the request. The tab counts a 500 as a fault of its own.
    const defect = { 'x-error-code': 'internal', 'x-request-id': 'made-up-7' };
    await page.route('**/v1/demo/subscribers', (route) =>
      route.fulfill({ status: 409, headers: defect, json: { success: false, error: 'Internal error' } }),
    );
    await edit.click();
    await page.getByRole('textbox', { name: hostile }).fill('Not this');
    await page.keyboard.press('Enter');
    await page.getByText(/^A defect of the service\. .* Request made-up-7$/).waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/v1/demo/subscribers');
    await edit.click();
    await page.getByRole('textbox', { name: hostile }).fill('Kept over a reload');
    await page.reload();
    const kept = page.getByRole('textbox', { name: hostile });
    await expect.poll(() => kept.inputValue(), soon).toBe('Kept over a reload');
    await page.getByText('Changes that were kept in this browser are shown.').waitFor();
    // Another field has its own value.
    await kept.press('Escape');
    await page.getByRole('button', { name: 'Change Email' }).click();
    const email = page.getByRole('textbox', { name: 'Email' });
    await expect.poll(() => email.inputValue(), soon).toBe('malo@post.example');
    await email.press('Escape');
    await edit.filter({ hasText: rightToLeft }).waitFor();
    type Person = { id: number; fields: { idField: number; value: unknown }[] };
    const malo = async () =>
      (await call<Person[]>(tab, 'GET', '/subscribers?filter.by=Email&filter.values=malo@post.example'))[0]!;
    const value = async (idField: number) =>
      (await malo()).fields.find((field) => field.idField === idField)?.value;
    expect(await value(id)).toBe(rightToLeft);
    // What was typed over another value is not shown.
    await edit.click();
    await page.getByRole('textbox', { name: hostile }).fill('Too old');
    const store = async (next: string) =>
      call(tab, 'PUT', '/subscribers', [{ id: (await malo()).id, fields: [{ idField: id, value: next }] }]);
    await store('Newer');
    await page.reload();
    await edit.filter({ hasText: 'Newer' }).waitFor();
    expect(await page.getByRole('textbox', { name: hostile }).count()).toBe(0);
    await store(rightToLeft);
    await page.reload();
    await edit.filter({ hasText: rightToLeft }).waitFor();
    // The key E edits the first field, and what was saved can be taken back.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Email' }).fill('malo2@post.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'malo2@post.example' }).waitFor();
    const toast = (text: string) => page.locator('.toast', { hasText: text });
    await toast('Email is saved.').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'malo@post.example' }).waitFor();
    // The history has each change with its cause; values of any form stay apart.
    const changes = page.locator('.event', { has: page.locator('.changed') });
    const texts = async () => (await changes.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    const person = 'by Administrator';
    await expect
      .poll(texts, soon)
      .toEqual([
        expect.stringMatching(new RegExp(`Email: malo2@post.example → .*malo@post.example .*· ${person}`)),
        expect.stringMatching(new RegExp(`Email: malo@post.example → .*malo2@post.example .*· ${person}`)),
        expect.stringContaining(`${hostile}: Newer → `),
        expect.stringContaining('→ became Newer'),
        expect.stringContaining(`${hostile}: None → `),
      ]);
    await changes.last().locator('bdi', { hasText: rightToLeft }).first().waitFor();
    // What is typed is saved when another field is edited.
    await edit.click();
    await page.getByRole('textbox', { name: hostile }).fill('Moved on');
    await page.getByRole('button', { name: 'Change Email' }).click();
    await expect.poll(() => email.inputValue(), soon).toBe('malo@post.example');
    await edit.filter({ hasText: 'Moved on' }).waitFor();
    expect(await value(id)).toBe('Moved on');
    await store(rightToLeft);
    await page.reload();
    await edit.filter({ hasText: rightToLeft }).waitFor();
    const before = [await value(4), await value(7)];
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await page.getByText(/^This person is unsubscribed: nothing is sent to them\. Since /).waitFor();
    expect(await value(7)).toBe(1);
    await toast('is unsubscribed.').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('This person is unsubscribed').waitFor({ state: 'detached' });
    expect([await value(4), await value(7)]).toEqual(before);
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await page.getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByLabel('Where does the consent come from?').fill('Asked by phone');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByText('from Asked by phone').waitFor();
    expect(await value(7)).toBe(0);
    const malosId = (await malo()).id;
    const longAddress = `${'a'.repeat(60)}@${'very-long-name.'.repeat(11)}example`;
    await call(tab, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: longAddress }] }]);
    await auditEverywhere(t, '/subscribers', 'malo@post.example', 'subscribers');
    await auditEverywhere(t, `/subscribers/${malosId}`, rightToLeft, 'subscriber');
    const more = page.getByRole('main').getByRole('button', { name: 'More' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Archive 1 person' }).click();
    await page.getByRole('link', { name: 'ines@garden.example' }).waitFor();
    expect(await malo()).toBe(null);
    await page.goto(`${t.url}/console/demo/subscribers/${malosId}`);
    await page.getByText('This person is archived').waitFor();
    await page.locator('.value', { hasText: rightToLeft }).waitFor();
    expect(await page.locator('main .edit, main .acts button:not([aria-haspopup])').count()).toBe(0);
    await more.click();
    await page.getByRole('menuitem', { name: 'Archive' }).waitFor({ state: 'detached' });
    await page.getByRole('menuitem', { name: 'Erase…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase everything about 1 person?' });
    const address = dialog.getByLabel('Type the address to confirm');
    await address.fill('malo@post.exampl');
    const erase = dialog.getByRole('button', { name: 'Erase 1 person' });
    expect(await erase.isDisabled()).toBe(true);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'erase');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => more.evaluate((button) => button.matches(':focus')), soon).toBe(true);
    await more.click();
    await page.getByRole('menuitem', { name: 'Erase…' }).click();
    await address.fill(' MALO@post.example');
    await erase.click();
    await page.getByRole('link', { name: 'ines@garden.example' }).waitFor();
    await page.getByText('malo@post.example is erased.').waitFor();
    await page.goto(`${t.url}/console/demo/subscribers/${malosId}`);
    await page.getByText(`There is no subscriber ${malosId} on demo.`).waitFor();
    expect(
      await call(tab, 'GET', `/subscribers/archived?filter.by=IdSubscriber&filter.values=${malosId}`),
    ).toEqual([null]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'lists people by state; one has their subscription and the targets that they are in',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const make = async (name: string, more: object, filters: readonly object[]) => {
        const { id } = await call<{ id: number }>(tab, 'POST', '/targets', { name, ...more });
        await call(tab, 'PUT', '/targets/filters/field', { idTarget: id, filters });
        return id;
      };
      const status = (value: string) => ({ idField: 7, operator: 'Equal', value });
      const idLeft = await make('Who left', {}, [status('1')]);
      await make('One of them', { maxSelect: 1 }, [status('1')]);
      await make('Who stayed', {}, [status('0')]);
      await page.goto(`${t.url}/console/demo/subscribers`);
      await page.getByRole('link', { name: 'ines@garden.example' }).waitFor();
      await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('Unsubscribed');
      await page.getByRole('link', { name: 'ines@garden.example' }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('state')).toBe('unsubscribed');
      expect(await page.locator('tbody tr').count()).toBe(1);
      await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('Not reachable');
      await page.getByText('Nobody is in this state.').waitFor();
      await page.getByRole('button', { name: 'Show all subscribers' }).click();
      await page.getByRole('link', { name: 'ines@garden.example' }).waitFor();
      // The address keeps the state.
      await page.goto(`${t.url}/console/demo/subscribers?state=unsubscribed`);
      await page.getByRole('link', { name: 'left@post.example' }).click();
      await page.getByRole('heading', { name: 'left@post.example' }).waitFor();
      const card = (name: string) =>
        page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
      const targets = card('In targets');
      await targets.getByRole('link', { name: 'Who left' }).waitFor(soon);
      const perhaps = targets.getByRole('list', { name: /^Perhaps in these/ });
      expect(await perhaps.getByRole('link').allInnerTexts()).toEqual(['One of them']);
      expect(await targets.getByText('Who stayed').count()).toBe(0);
      const row = (name: string) =>
        card('Status')
          .getByRole('listitem')
          .filter({ hasText: new RegExp(`^${name}`) });
      expect(await row('Status').innerText()).toMatch(/Unsubscribed\s+since \w/);
      expect(await row('Delivery').innerText()).toContain('Reachable');
      await auditEverywhere(
        t,
        new URL(page.url()).pathname.replace('/console/demo', ''),
        'Who left',
        'person-in-targets',
      );
      await targets.getByRole('link', { name: 'Who left' }).click();
      await page.getByLabel('Name of the target').waitFor();
      expect(page.url()).toContain(`/targets/${idLeft}`);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('imports a file: columns, a new field, a cancelled and a finished run', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const lines = [
      'email;Ville;Code;Né',
      'zoe@import.example;Évreux;1;14/03/1985',
      `noor@import.example;${rightToLeft};2;02/11/1979`,
    ];
    const file = {
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from([...lines, `eve@import.example;"${hostile.replaceAll('"', '""')}";3;`].join('\n')),
    };
    await page.goto(`${t.url}/console/demo/imports`);
    await page.getByText('No import in the last 15 days').waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('heading', { name: 'Import people.csv' }).waitFor();
    const column = (name: string) => page.getByRole('combobox', { name: `What ${name} becomes` });
    const email = column('email');
    await expect.poll(() => email.inputValue(), soon).toBe('Email');
    const choose = async (name: string, wanted: string) => {
      await column(name).click();
      await column(name).fill(wanted);
      await page.getByRole('listbox').getByRole('option', { name: wanted }).first().click();
    };
    await choose('Ville', 'New field');
    await page.getByRole('textbox', { name: 'Name' }).fill('Town');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the field' }).click();
    await expect.poll(() => column('Ville').inputValue(), soon).toBe('Town');
    // The type of a new field follows from the values; the focus returns to the column.
    const type = page.getByRole('dialog').getByLabel('Type');
    await choose('Code', 'New field');
    expect(await type.inputValue()).toBe('Integer');
    await page.keyboard.press('Escape');
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    await expect.poll(focused, soon).toBe('What Code becomes');
    await choose('Né', 'New field');
    expect(await type.inputValue()).toBe('Date');
    await page.getByRole('button', { name: 'Create the field' }).click();
    await expect.poll(() => page.getByLabel('Date format').inputValue(), soon).toBe('dd/MM/yyyy');
    await choose('email', 'Do not import');
    await page.getByText('Choose the column that holds the email address').waitFor();
    await choose('email', 'Email');
    await picture(tab, 'import-columns');
    await page.getByRole('button', { name: 'Import 3 people' }).click();
    await page.getByText('The import starts in').waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the import' }).click();
    await page.getByText('people.csv is not imported.').waitFor();
    const countdown = page.locator('.toast', { hasText: /^The import of people\.csv starts in \d+ s\./ });
    expect(await countdown.count()).toBe(0);
    await choose('Ville', 'Town');
    // Whatever screen is open, a message counts down and takes the import back.
    await page.getByRole('button', { name: 'Import 3 people' }).click();
    await page.getByText('The import starts in').waitFor();
    await page.getByRole('link', { name: 'Targets' }).first().click();
    await page.getByRole('heading', { name: 'Targets', level: 1 }).waitFor();
    await picture(tab, 'import-countdown');
    await countdown.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('people.csv is not imported.').waitFor();
    expect(await countdown.count()).toBe(0);
    await page.goto(`${t.url}/console/demo/imports/new?file=people.csv`);
    await page.getByRole('button', { name: 'Import 3 people' }).click();
    await page.getByText('The import is done.').waitFor({ timeout: 60_000 });
    const figures = page.locator('.outcome dd:nth-of-type(1)');
    expect(await figures.allInnerTexts()).toEqual(['3', '0', '0', '0', '0']);
    await picture(tab, 'import-done');
    expect(await tab.audit()).toEqual([]);
    await auditEverywhere(t, '/imports/new?file=people.csv', 'zoe@import.example', 'import-new');
    await auditEverywhere(t, '/imports', 'people.csv', 'imports');
    await page.getByRole('link', { name: 'See the subscribers' }).click();
    // Imported again with other values, a person has the change, and the file that it came from.
    const again = {
      ...file,
      buffer: Buffer.from(`email;Ville\nzoe@import.example;${'Évreux-'.repeat(30)}\n`),
    };
    await page.goto(`${t.url}/console/demo/imports`);
    await page.locator('input[type=file]').setInputFiles({ ...again, name: 'again.csv' });
    await choose('Ville', 'Town');
    await page.getByRole('button', { name: /^Import 1 / }).click();
    await page.getByText('The import is done.').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'See the subscribers' }).click();
    await page.getByRole('link', { name: 'zoe@import.example' }).click();
    const change = page.locator('.event', { hasText: 'Town: Évreux' });
    await expect.poll(() => change.innerText(), soon).toMatch(/Évreux.*…\s+· import again\.csv/);
    const path = new URL(page.url()).pathname.replace('/console/demo', '');
    await auditEverywhere(t, path, 'again.csv', 'changes');
    await change.getByRole('link', { name: 'again.csv' }).click();
    await page.getByRole('heading', { name: /again\.csv/ }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('exports the people of a target to a file', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/exports`);
    await page.getByRole('button', { name: 'Export people' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('Choose a target.').waitFor();
    await page.getByRole('combobox', { name: 'Who' }).click();
    await page.getByRole('option').filter({ hasText: rightToLeft }).click();
    await expect.poll(() => page.getByText('Choose a target.').count(), soon).toBe(0);
    await page.getByLabel('Name of the file').fill('people-out.csv');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('In the SFTP folder: people-out.csv').waitFor({ timeout: 60_000 });
    await page.locator('.state', { hasText: /^Done$/ }).waitFor();
    await auditEverywhere(t, '/exports', 'people-out.csv', 'exports');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
