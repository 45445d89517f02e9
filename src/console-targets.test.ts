import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { auditEverywhere, callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp;';

let t: ConsoleTester;
/** A tab that stays open, by which tests prepare and read back. */
let reader: ConsoleTab;
const call = <T>(method: string, path: string, data?: unknown) => callSite<T>(t, reader, method, path, data);

/** Campaigns that were sent, by their place in the list. */
const campaigns: number[] = [];
let thematic = 0;

async function makeCampaigns(): Promise<void> {
  const { id: everyone } = await call<{ id: number }>('POST', '/targets', { name: 'Everyone' });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call('PUT', '/targets/filters/field', { idTarget: everyone, filters });
  const config = await call<{ id: number }>('POST', '/sending-configurations', {
    name: 'Shop',
    senderEMail: 'news@shop.example',
    responseEMail: 'news@shop.example',
  });
  for (const name of ['Winter bulbs', hostile]) {
    const { id } = await call<{ id: number }>('POST', '/campaigns', {
      parameters: { name, subject: 'Bulbs', mode: 'Simple', type: 'Newsletter', idConfiguration: config.id },
      htmlContent: '<html><body><a href="[[LINK.UNSUB]]">Unsubscribe</a></body></html>',
    });
    const segment = { name: `All ${name}`.slice(0, 40), idTarget: everyone, percent: 100, fixedValues: 0 };
    await call('POST', `/campaigns/${id}/segments`, segment);
    await call('POST', '/campaigns/send-now', id);
    campaigns.push(id);
  }
}

/** Opens the screen of a new target with the condition on the status. */
async function openTarget(name: string): Promise<{ tab: ConsoleTab; page: Page; id: number }> {
  const { id } = await call<{ id: number }>('POST', '/targets', { name });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call('PUT', '/targets/filters/field', { idTarget: id, filters });
  const tab = await t.open();
  await tab.page.goto(`${t.url}/console/demo/targets/${id}`);
  await tab.page.locator('.counted').waitFor();
  return { tab, page: tab.page, id };
}

/** Adds a filter, which takes the focus. */
async function add(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: kind, exact: true }).click();
  await page.locator('[data-filter] .card-body :focus').waitFor();
}

/** The input of a list, which has the label of its options as well. */
const inputOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input'));

/** Chooses an option of a list that is searched by typing. */
async function choose(page: Page, list: string, option: string): Promise<void> {
  const field = inputOf(page, list);
  await field.click();
  await page.getByRole('option', { name: option }).first().click();
  await field.press('Escape');
}

/** Reads a filter back through the API until it is as expected. */
const stored = (id: number, kind: string, expected: object) =>
  expect.poll(() => call(`GET`, `/targets/${id}/filters/${kind}`), soon).toMatchObject(expected);

/** Ends a journey: the screen has no violation and no fault, and shows after a reload what was saved. */
async function finish(tab: ConsoleTab, name: string, sentence: RegExp): Promise<void> {
  const { page } = tab;
  await page.getByRole('region', { name: 'In words' }).getByText(sentence).waitFor();
  await picture(tab, name);
  expect(await tab.audit()).toEqual([]);
  await page.reload();
  await page.getByRole('region', { name: 'In words' }).getByText(sentence).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.close();
}

describeWith('chromium', 'the builder of targets', () => {
  beforeAll(async () => {
    t = await openConsole();
    reader = await t.open();
    const people = ['camille@post.example', 'malo@post.example', 'ines@garden.example'];
    await call(
      'POST',
      '/subscribers',
      people.map((value) => ({ fields: [{ idField: 1, value }] })),
    );
    thematic = (await call<{ idThematic: number }>('POST', '/thematics', { name: hostile })).idThematic;
    await makeCampaigns();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('behaviour: days, campaigns, sendings, times, and whether mail programs count', patience, async () => {
    const { tab, page, id } = await openTarget('Readers');
    await add(page, 'Behaviour');
    await page.getByRole('button', { name: 'Use this filter' }).click();
    await stored(id, 'behaviour', { isEnabled: true, behaviourType: 'NbDays', nbDaysAgo: 90, nbTime: '1' });
    await page.getByLabel('What they did').selectOption('did not click');
    await page.getByLabel('How often').selectOption('between');
    await page.getByLabel('Number of times').fill('2');
    await page.getByLabel('At most, times').fill('5');
    await page.getByLabel('Days').fill('30');
    const did = { didAnAction: false, action: 'Click', nbTime: '2;5', nbTimeAndDayOperator: 'Between' };
    await stored(id, 'behaviour', { ...did, behaviourType: 'NbDays', nbDaysAgo: 30 });
    await page.getByLabel('Days').fill('999');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Days').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('In which messages').selectOption('in the campaigns');
    await page.getByText('Complete this filter.').waitFor();
    await choose(page, 'Campaigns', 'Winter bulbs');
    await choose(page, 'Campaigns', hostile);
    await page.getByLabel('Counted').selectOption('in each of them');
    await page.getByLabel('What they did').selectOption('opened');
    await page.getByLabel('Leave out automatic opens').uncheck();
    await stored(id, 'behaviour', {
      behaviourType: 'Campaign',
      nbDaysAgo: null,
      idCampaign: campaigns.join(';'),
      combinaisonMode: 'Intersection',
      action: 'Open',
      filterMpp: false,
    });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('0 people');
    await page.getByRole('switch', { name: 'Apply the filter: Behaviour' }).press('Space');
    await stored(id, 'behaviour', { isEnabled: false, behaviourType: 'Campaign' });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('3 people');
    await finish(tab, 'behaviour', /opened each of the campaigns/);
  });

  it('field: an error of the API is shown at its condition', patience, async () => {
    const { tab, page, id } = await openTarget('By field');
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    await page.locator('.conditions > li:last-child :focus').waitFor();
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    const value = page.getByLabel('Value: Email').last();
    await page.getByLabel('Value: Email').first().fill('@');
    // An accent alone is an empty text, which every text holds.
    await value.fill('\u0301');
    const conditions = page.locator('.conditions > li');
    await conditions.last().getByRole('alert').waitFor();
    expect(await conditions.first().getByRole('alert').count()).toBe(0);
    expect(await tab.audit()).toEqual([]);
    await value.fill('post');
    // By keys: another condition, before the last one, and away again.
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => conditions.count()).toBe(3);
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+Backspace');
    await expect.poll(() => conditions.count()).toBe(2);
    await expect.poll(() => value.inputValue()).toBe('post');
    // The focus stays among the conditions. What was removed comes back to its place, by keys or by the pointer.
    const hasFocus = (one: Locator) => one.evaluate((element) => element.matches(':focus-within'));
    const undo = page
      .locator('.toast', { hasText: 'The condition on Email is removed.' })
      .getByRole('button');
    await expect.poll(() => hasFocus(conditions.nth(1))).toBe(true);
    await undo.click();
    await expect.poll(() => conditions.count()).toBe(3);
    expect(await hasFocus(conditions.nth(1))).toBe(true);
    expect(await page.getByLabel('Value: Email').nth(1).inputValue()).toBe('');
    // A field is found by its number, its type and a part of its name.
    const field = conditions.nth(1).getByLabel('Field', { exact: true });
    const options = page.getByRole('listbox', { name: 'Field' }).getByRole('option');
    await field.fill('date');
    const dates = async () => {
      const texts = await options.allInnerTexts();
      return texts.every((text) => /Date$/.test(text)) ? texts.length : 0;
    };
    await expect.poll(dates).toBeGreaterThan(3);
    await field.fill('gone away');
    await page.getByText('No field has this name, number or type.').waitFor();
    await field.fill('deliv 44');
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringMatching(/^Delivery\s*44 · /)]);
    expect(await tab.audit()).toEqual([]);
    await field.press('Enter');
    await page.getByLabel('Comparison: Delivery').waitFor();
    await page.getByRole('button', { name: 'Remove the condition on Delivery' }).click();
    await expect.poll(() => conditions.count()).toBe(2);
    await expect.poll(() => hasFocus(conditions.nth(1))).toBe(true);
    const operator = 'Contains';
    const both = { filters: [{ idField: 7 }, { operator, value: '@' }, { operator, value: 'post' }] };
    await stored(id, 'field', both);
    // By the menu, as on a phone: the last one up, and down again.
    await page.setViewportSize({ width: 390, height: 844 });
    const values = async () => [
      await page.getByLabel('Value: Email').first().inputValue(),
      await page.getByLabel('Value: Email').last().inputValue(),
    ];
    const order = page.getByRole('button', { name: 'Move the condition on Email', exact: true });
    await order.last().click();
    await picture(tab, 'target-order-phone');
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await expect.poll(values).toEqual(['post', '@']);
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await tab.audit()).toEqual([]);
    await order.first().click();
    expect(await page.getByRole('menuitem', { name: 'Move up' }).isDisabled()).toBe(true);
    await page.getByRole('menuitem', { name: 'Move down' }).click();
    await expect.poll(values).toEqual(['@', 'post']);
    await page.setViewportSize({ width: 1280, height: 800 });
    // The filter is removed with its lock only after the explanation, and comes back.
    const removeFilter = async () => {
      await page.getByRole('button', { name: 'Actions for Fields' }).click();
      await page.getByRole('menuitem', { name: 'Remove the filter' }).click();
    };
    const question = page.getByRole('dialog', { name: 'Include unsubscribed people?' });
    await removeFilter();
    await picture(tab, 'target-filter-removed');
    expect(await tab.audit()).toEqual([]);
    await question.getByRole('button', { name: 'Keep the filter' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await conditions.count()).toBe(2);
    await removeFilter();
    await question.getByRole('button', { name: 'Remove the filter' }).click();
    await page.getByText('Not safe: cannot be sent to').waitFor();
    await expect.poll(() => conditions.count()).toBe(0);
    await page
      .locator('.toast', { hasText: 'The filter “Fields” is removed.' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect.poll(() => conditions.count()).toBe(2);
    await stored(id, 'field', both);
    await finish(tab, 'field', /contains\W+post/);
  });

  it('field: an incomplete condition leaves the stored filter as it was', patience, async () => {
    const { tab, page, id } = await openTarget('By address');
    const address = { idField: 1, operator: 'Contains', value: 'garden' };
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }, address];
    await call('PUT', '/targets/filters/field', { idTarget: id, filters });
    const isAsBefore = async () => {
      expect(await call('GET', `/targets/${id}/filters/field`)).toMatchObject({ filters });
      expect(await call('GET', `/targets/${id}/count`)).toBe(1);
    };
    await page.reload();
    const value = page.getByLabel('Value: Email');
    const notSaved = page.getByText('Not saved: complete the condition');
    await value.fill('');
    await notSaved.waitFor();
    await page.getByText('Of the saved target, without what is incomplete.').waitFor();
    // A part that is complete is saved meanwhile, so what is incomplete has had its time.
    await page.getByLabel('Name of the target').fill('By address, changed');
    const target = () => call('GET', `/targets/${id}`);
    await expect.poll(target, soon).toMatchObject({ parameters: { name: 'By address, changed' } });
    await isAsBefore();
    expect(await page.locator('.counted').innerText()).toBe('1 person');
    await picture(tab, 'target-incomplete');
    expect(await tab.audit()).toEqual([]);
    // To remove the lock, or another condition, waits as well: the target stays safe.
    await page.getByRole('switch', { name: 'Apply these conditions' }).press('Space');
    await page.getByText('Not safe: cannot be sent to').waitFor();
    await page.getByRole('link', { name: 'Targets', exact: true }).first().click();
    await page.getByRole('button', { name: 'New target' }).waitFor();
    await isAsBefore();
    expect(await target()).toMatchObject({ isSafe: true });
    await page.goto(`${t.url}/console/demo/targets/${id}`);
    await notSaved.waitFor();
    expect(await value.inputValue()).toBe('');
    await page.getByRole('switch', { name: 'Apply these conditions' }).press('Space');
    await value.fill('post');
    await notSaved.waitFor({ state: 'hidden', ...soon });
    await stored(id, 'field', { filters: [filters[0], { ...address, value: 'post' }] });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('2 people');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('field: what is not complete yet survives a reload, and can be discarded', patience, async () => {
    const { tab, page, id } = await openTarget('Kept');
    const note = page.getByText('Changes that were kept in this browser are shown.');
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    await page.getByLabel('Comparison: Email').selectOption('is between');
    await page.getByLabel('Value: Email (From)').fill('a');
    // Nothing of it is stored: the other end is missing.
    await page.getByText('Complete this condition.').waitFor();
    await page.reload();
    await note.waitFor(soon);
    await expect.poll(() => page.getByLabel('Value: Email (From)').inputValue(), soon).toBe('a');
    await picture(tab, 'target-kept');
    expect(await tab.audit()).toEqual([]);
    await page.getByLabel('Value: Email (To)').fill('m');
    await note.waitFor({ state: 'hidden', ...soon });
    const entry = { idField: 1, operator: 'Between', value: 'a;m' };
    await stored(id, 'field', { filters: [expect.anything(), expect.objectContaining(entry)] });
    await page.reload();
    await expect.poll(() => page.getByLabel('Value: Email (To)').inputValue(), soon).toBe('m');
    expect(await note.count()).toBe(0);
    await page.getByLabel('Value: Email (To)').fill('');
    await page.getByText('Complete this condition.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Discard them' }).click();
    await note.waitFor({ state: 'hidden', ...soon });
    await expect.poll(() => page.getByLabel('Value: Email (To)').inputValue(), soon).toBe('m');
    // Another user of the browser is shown, and stores, nothing of it.
    await page.getByLabel('Value: Email (To)').fill('');
    await page.getByText('Complete this condition.').waitFor();
    const account = { email: 'edith@shop.example', password: 'a long enough password' };
    await call('POST', '/admin/v1/users', {
      ...{ ...account, name: 'Edith', sites: [{ name: 'demo', role: 'editor' }] },
    });
    await tab.context.clearCookies();
    await signIn(page, { ...t.started, adminEmail: account.email, adminPassword: account.password });
    await page.goto(`${t.url}/console/demo/targets/${id}`);
    await page.getByRole('button', { name: 'Condition', exact: true }).waitFor();
    expect(await page.getByLabel('Value: Email (To)').inputValue()).toBe('m');
    expect(await note.count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('subject: opens and clicks about certain subjects', patience, async () => {
    const { tab, page, id } = await openTarget('Interested');
    await add(page, 'Thematic');
    await choose(page, 'Thematics', hostile);
    await page.getByLabel('Days').fill('7');
    await page.getByLabel('What they did').selectOption('did not open');
    await stored(id, 'thematic', {
      isFilterEnabled: true,
      idsThematics: [thematic],
      fromNbDays: 7,
      action: 'Open',
      didAnAction: false,
      filterMpp: true,
    });
    await finish(tab, 'thematic', /opened no campaign of the thematic/);
  });

  it('what they received: campaigns or sendings, all or any, and why not', patience, async () => {
    const { tab, page, id } = await openTarget('Received');
    await expect
      .poll(async () => (await call<unknown[]>('GET', '/statistics/sendings?nbDays=1')).length, {
        timeout: 60_000,
      })
      .toBe(2);
    await add(page, 'What they received');
    await choose(page, 'Campaigns', 'Winter bulbs');
    await page.getByLabel('Whether they received it').selectOption('did not receive');
    await page.getByText('More', { exact: true }).first().click();
    await page.getByLabel('permanently rejected').check();
    await page.getByLabel('uncertain').check();
    const first = String(campaigns[0]);
    await stored(id, 'sending', {
      hasReceived: false,
      idsCampaigns: first,
      recipientStates: 'Refused;Uncertain',
    });
    await page.getByLabel('Whether they received it').selectOption('received');
    await stored(id, 'sending', { hasReceived: true, idsCampaigns: first, recipientStates: null });
    await page.getByLabel('Campaigns or sendings').selectOption('the sendings');
    await choose(page, 'Sendings of the last 60 days', 'Winter bulbs');
    await choose(page, 'Sendings of the last 60 days', hostile);
    await page.getByLabel('How many of them').selectOption('each of');
    const mode = { hasReceived: true, idsCampaigns: null, combinaisonMode: 'Intersection' };
    await stored(id, 'sending', { ...mode, idSentList: expect.stringMatching(/^\d+;\d+$/) });
    await finish(tab, 'sending', /received each of the sendings/);
  });

  it('pressure: messages over each kind of time', patience, async () => {
    const { tab, page, id } = await openTarget('Few messages');
    // Its first change uses it, once it is known that no scheduled campaign uses the target.
    let answer = (): void => undefined;
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route(/\/campaigns\?.*idTarget/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await add(page, 'Pressure');
    await page.getByLabel('Length of time').fill('24');
    await page.getByText('With it, the target has 3 people.').waitFor();
    expect(await call('GET', `/targets/${id}`)).toMatchObject({ hasEmailPressureFilter: false });
    answer();
    await stored(id, 'email-pressure', { fromTime: 24 });
    await page.getByLabel('Length of time').fill('48');
    await page.getByLabel('Unit of time').selectOption('hours');
    await stored(id, 'email-pressure', { type: 'Since', fromTime: 48, timeType: 1 });
    await page.getByLabel('When').selectOption('between');
    await page.getByLabel('From').fill('2026-01-10T08:30');
    await page.getByLabel('To', { exact: true }).fill('2026-06-10T08:30');
    await stored(id, 'email-pressure', {
      type: 'Between',
      betweenStartDate: '2026-01-10T07:30:00.000Z',
      betweenEndDate: '2026-06-10T06:30:00.000Z',
    });
    await page.getByLabel('To', { exact: true }).fill('2025-06-10T08:30');
    await page.getByRole('alert').getByText('must be after betweenStartDate').waitFor();
    expect(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('When').selectOption('in these weeks');
    await page.getByLabel('last week').check();
    await page.getByLabel('Comparison with the number').selectOption('at least');
    await page.getByLabel('Number of messages', { exact: true }).fill('2');
    await page.getByText('More', { exact: true }).first().click();
    await page.getByLabel('Transactional').check();
    await stored(id, 'email-pressure', {
      type: 'ByWeek',
      thisWeek: true,
      lastWeek: true,
      today: false,
      operatorRequest: 'GREATER_EQUAL',
      nbRequest: 2,
      campaignType: 'Transac',
      betweenStartDate: null,
    });
    await page.getByLabel('When').selectOption('today');
    await stored(id, 'email-pressure', { type: 'Today', thisWeek: null });
    await finish(tab, 'pressure', /received at least 2 messages/);
  });

  it('place: country, postcodes with a distance, departments, exclusions', patience, async () => {
    const { tab, page, id } = await openTarget('Around Lyon');
    await add(page, 'Place');
    const postcodes = inputOf(page, 'Postcodes');
    await postcodes.fill('69001');
    await postcodes.press('Enter');
    await page.getByLabel('Distance in km').fill('2.5');
    await page.getByText('More', { exact: true }).first().click();
    const departments = inputOf(page, 'or in the French departments');
    await departments.fill('38');
    await departments.press('Enter');
    const excluded = inputOf(page, 'Postcodes that are left out');
    await excluded.fill('75001');
    await excluded.press('Enter');
    const place = { country: 'FRANCE', postcode: '69001', radius: 2.5 };
    await stored(id, 'geolocation', { ...place, departmentIds: '38', excludePostCodes: '75001' });
    await departments.fill('99');
    await departments.press('Enter');
    await page.getByRole('alert').getByText("'99' is not a French department").waitFor();
    await departments.press('Backspace');
    await page.getByLabel('Country').selectOption('any country');
    await stored(id, 'geolocation', { ...place, country: '_NBCountry', departmentIds: '38' });
    await finish(tab, 'place', /at most 2.5 km from the postcode/);
  });

  it('place: a town by its name, and how each step narrows the target', patience, async () => {
    const { tab, page, id } = await openTarget('In a town');
    await page.locator('.counted').getByRole('button').click();
    const selected = page.getByRole('dialog', { name: '3 people in this target' });
    await expect.poll(() => selected.getByRole('link').count(), soon).toBe(3);
    await selected.getByRole('searchbox').fill('MALO');
    await expect.poll(() => selected.getByRole('link').allInnerTexts(), soon).toEqual(['malo@post.example']);
    await picture(tab, 'target-people');
    const saved = page.waitForEvent('download');
    await selected.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toBe(`people-${id}.csv`);
    const file = readFileSync(await (await saved).path(), 'utf8');
    expect(file.match(/(post|garden)\.example/g)).toHaveLength(3);
    // It is a target already.
    expect(await selected.getByRole('button', { name: 'Make a target of them' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await selected.waitFor({ state: 'hidden' });
    await add(page, 'Place');
    const town = inputOf(page, 'Find a town by its name');
    await town.fill('VILLEUR');
    await page.getByRole('option', { name: /^Villeurbanne/ }).click();
    await stored(id, 'geolocation', { country: 'FRANCE', postcode: '69100' });
    await expect.poll(() => town.inputValue(), soon).toBe('');
    // A place of another country makes it any country.
    await town.fill('namur');
    await town.press('Enter');
    await stored(id, 'geolocation', { country: '_NBCountry', postcode: '69100;5000' });
    const steps = page.getByRole('group', { name: 'Step by step' }).getByRole('listitem');
    await expect
      .poll(async () => (await steps.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')), soon)
      .toEqual(['All people 3', 'Fields 3', 'Place 0']);
    await page.getByText('Nobody is left after: Place.').waitFor();
    expect(await tab.audit()).toEqual([]);
    // A step opens the people whom it leaves; nobody is behind 0.
    expect(await steps.last().getByRole('button').count()).toBe(0);
    await steps.nth(1).getByRole('button').click();
    const left = page.getByRole('dialog', { name: '3 people left after: Fields' });
    await expect.poll(() => left.getByRole('link').count(), soon).toBe(3);
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'hidden' });
    await finish(tab, 'place-by-name', /postcode/);
  });

  it(
    'list in a file: uploaded or named, its field and date, and red when it is missing',
    patience,
    async () => {
      const { tab, page, id } = await openTarget('Buyers');
      await add(page, 'List in a file');
      await page.locator('input[type=file]').setInputFiles({
        name: 'buyers.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('camille@post.example\nines@garden.example\n'),
      });
      await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('2 people');
      await page.getByLabel('Date of deletion').fill('2031-01-01T00:00');
      const file = { isEnabled: true, filename: expect.stringContaining('buyers.csv'), dbFieldName: 'fld1' };
      await stored(id, 'file', { ...file, fileAutomaticDeletionDate: '2030-12-31T23:00:00.000Z' });
      await page.getByLabel('Field that is compared').selectOption('Client number');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Field that is compared').selectOption('Email');
      await page.getByLabel('Path of the file').fill(`lists/${hostile}.csv`);
      const alert = page.getByRole('region', { name: 'List in a file' }).getByRole('alert');
      await alert.waitFor();
      expect(await page.getByLabel('Path of the file').getAttribute('aria-invalid')).toBe('true');
      await picture(tab, 'file-missing');
      expect(await tab.audit()).toEqual([]);
      await page.getByLabel('Path of the file').fill('buyers.csv');
      await expect.poll(() => alert.count(), soon).toBe(0);
      await finish(tab, 'file', /is listed in the file/);
    },
  );

  it('SQL: a condition, with the rejected word named in its place', patience, async () => {
    const { tab, page, id } = await openTarget('By hand');
    await add(page, 'SQL');
    const sql = page.getByRole('textbox', { name: 'Condition in SQL' });
    await sql.fill("pg_sleep(10) is null and fld1 like '%@post.example'");
    await page.getByRole('alert').getByText('pg_sleep').waitFor();
    await expect.poll(() => page.locator('mark').innerText(), soon).toBe('pg_sleep');
    await picture(tab, 'sql-rejected');
    expect(await tab.audit()).toEqual([]);
    await sql.fill("fld999 = '<b>'");
    await page.getByRole('alert').getByText('fld999').waitFor();
    await expect.poll(() => page.locator('mark').innerText(), soon).toBe('fld999');
    await sql.fill("fld1 like '%@post.example'");
    await stored(id, 'sql', { isEnabled: true, sql: "fld1 like '%@post.example'" });
    // On a few people first; a change of the text takes its result away.
    await page.getByRole('button', { name: 'Try on 100' }).click();
    const tried = page.getByText(/^2 of 3 people match, in [\d.]+ s\.$/);
    await tried.waitFor();
    await picture(tab, 'sql-tried');
    const title = '2 people of the 3 that the condition was tried on';
    await tried.getByRole('button', { name: title }).click();
    const matching = page.getByRole('dialog', { name: title });
    await expect.poll(() => matching.getByRole('link').count(), soon).toBe(2);
    await matching.getByRole('searchbox').fill('Malo');
    await expect.poll(() => matching.getByRole('link').allInnerTexts(), soon).toEqual(['malo@post.example']);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'sql-tried-people');
    await page.keyboard.press('Escape');
    await matching.waitFor({ state: 'hidden' });
    // Saved before the requests are counted below.
    const isSaved = page.waitForResponse((response) => response.url().endsWith('/targets/filters/sql'));
    await sql.fill("fld1 like '%@post.example' ");
    await isSaved;
    await tried.waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('2 people');
    // What a step leaves becomes a target of its own.
    await page.getByRole('button', { name: '2 people left after: SQL' }).click();
    const left = page.getByRole('dialog', { name: '2 people left after: SQL' });
    await left.getByRole('button', { name: 'Make a target of them' }).click();
    await left.getByLabel('Name of the target').fill('Of a step');
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'step-target');
    const make = left.getByRole('button', { name: 'Make the target' });
    // Without its SQL it would select everybody: one call stores all of it.
    const json = { success: false, error: 'Refused for the test', code: 'conflict' };
    const made: string[] = [];
    page.on('request', (request) => {
      const [, path] = /\/targets(|\/with-filters|\/filters\/.*|\/\d+)$/.exec(request.url()) ?? [];
      if (path !== undefined && request.method() !== 'GET') made.push(`${request.method()} ${path}`);
    });
    await page.route('**/targets/with-filters', (route) => route.fulfill({ status: 409, json }));
    await make.click();
    await left.getByText('Refused for the test').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(JSON.stringify(await call('GET', '/targets/all'))).not.toContain('Of a step');
    await make.click();
    await page.getByText('The target “Of a step” has 2 people.').waitFor();
    const newest = '/targets?filter.location=All&filter.sortBy=IdTarget&filter.order=DESC&filter.start=0';
    const { items } = await call<{ items: { idTarget: number; isSafe: boolean }[] }>('GET', newest);
    expect(items[0]).toMatchObject({ name: 'Of a step', isSafe: true });
    expect(made).toEqual(['POST /with-filters', 'POST /with-filters']);
    await stored(items[0]!.idTarget, 'sql', { isEnabled: true, sql: "fld1 like '%@post.example'" });
    await page.getByRole('button', { name: 'Actions for SQL' }).click();
    const remove = page.getByRole('menuitem', { name: 'Remove the filter' });
    await remove.click();
    await stored(id, 'sql', { isEnabled: false, sql: null });
    await page.locator('.toast', { hasText: 'The filter “SQL” is removed.' }).getByRole('button').click();
    await stored(id, 'sql', { isEnabled: true, sql: "fld1 like '%@post.example'" });
    const card = page.getByRole('region', { name: 'SQL' });
    expect(await card.evaluate((one) => one.matches(':focus-within'))).toBe(true);
    await page.getByRole('button', { name: 'Actions for SQL' }).click();
    await remove.click();
    await stored(id, 'sql', { isEnabled: false, sql: null });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('3 people');
    await add(page, 'SQL');
    await sql.fill('fld7 = 0');
    await finish(tab, 'sql', /fulfils the expression/);
  });

  it('sorts targets into directories, and lists those of one', patience, async () => {
    const dirType = 'Filter';
    const spring = await call<number>('POST', '/pictures/directories', { name: 'Spring', dirType });
    await call('POST', '/pictures/directories', { name: hostile, dirType, idParent: spring });
    const { id } = await call<{ id: number }>('POST', '/targets', { name: 'Sorted' });
    const directories = () => call<{ name: string }[]>('GET', `/targets/${id}/directories`);
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/targets`);
    await page.getByRole('button', { name: 'Actions for Sorted' }).click();
    await page.getByRole('menuitem', { name: 'Directories' }).click();
    const dialog = page.getByRole('dialog', { name: 'Directories of “Sorted”' });
    await dialog.getByRole('combobox', { name: 'Directories' }).click();
    const listed = page.getByRole('listbox', { name: 'Directories' });
    await listed.getByRole('option', { name: `Spring / ${hostile}` }).click();
    await page.keyboard.press('Tab');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(directories, soon).toMatchObject([{ name: hostile }]);
    const row = page.getByRole('row', { name: 'Sorted' });
    await row.getByText(hostile).waitFor();
    await page.locator('.toast', { hasText: 'are saved' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(directories, soon).toEqual([]);
    await row.getByText(hostile).waitFor({ state: 'detached' });
    await call('PUT', `/targets/${id}/directories`, [spring]);
    await page.getByRole('combobox', { name: 'Directory' }).selectOption('Spring');
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBe(1);
    await row.getByText('Spring').waitFor();
    expect(new URL(page.url()).searchParams.get('directory')).toBe(String(spring));
    await page.getByRole('searchbox').fill('sping');
    await page.getByText('No target is called “sping”.').waitFor();
    await page.getByText('Only “Spring” is shown.').waitFor();
    await page.getByRole('button', { name: 'Show all targets' }).click();
    await page.getByRole('link', { name: 'Everyone' }).waitFor();
    await auditEverywhere(t, `/targets?directory=${spring}`, 'Sorted', 'targets-of-directory');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('leaves other targets out, takes a part, becomes safe, and begins a campaign', patience, async () => {
    const { id: other } = await call<{ id: number }>('POST', '/targets', { name: hostile });
    const filters = [{ idField: 1, operator: 'Contains', value: 'garden' }];
    await call('PUT', '/targets/filters/field', { idTarget: other, filters });
    const { tab, page, id } = await openTarget('The others');
    // Typed again, what is chosen already stays chosen.
    const leftOut = inputOf(page, 'Leave out the people of these targets');
    for (let time = 0; time < 2; time += 1) {
      await leftOut.fill(hostile);
      await leftOut.press('Enter');
    }
    await leftOut.press('Escape');
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('2 people');
    await page.getByLabel('How many are taken', { exact: true }).selectOption('a share of');
    await page.getByLabel('Share in percent').fill('50');
    await page.getByLabel('Which of them').selectOption('at random');
    const target = () => call(`GET`, `/targets/${id}`);
    await expect.poll(target, soon).toMatchObject({
      parameters: { excludedTargets: [other], pctSelect: 50, isRandomMode: true, maxSelect: null },
    });
    await expect.poll(() => page.locator('.counted').innerText(), soon).toBe('1 person');
    await page.locator('.counted').getByRole('button').click();
    const drawn = page.getByRole('dialog', { name: '1 person in this target' });
    await drawn.getByText('These people are drawn again for each page').waitFor();
    expect(await drawn.getByRole('button', { name: 'Export' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await drawn.waitFor({ state: 'hidden' });
    await page.getByLabel('How many are taken', { exact: true }).selectOption('at most');
    await page.getByLabel('Number of people').fill('20');
    await expect.poll(target, soon).toMatchObject({ parameters: { pctSelect: 100, maxSelect: 20 } });
    await page.getByRole('switch', { name: 'Subscribed people only' }).press('Space');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Keep the condition' }).click();
    await page.getByText('Safe: subscribed people only').waitFor();
    await page.getByRole('switch', { name: 'Subscribed people only' }).press('Space');
    await page.getByRole('button', { name: 'Remove the condition' }).click();
    await expect.poll(target, soon).toMatchObject({ isSafe: false });
    await page.getByRole('button', { name: 'Write to them' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Make it safe' }).click();
    await expect.poll(target, soon).toMatchObject({ isSafe: true });
    // Nothing moves any more once the target is shown as safe.
    await page.getByRole('button', { name: 'Write to them' }).waitFor();
    await page.getByRole('button', { name: 'FR', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'FR', exact: true, pressed: true }).waitFor();
    await page.getByText('Sauf les abonnés des cibles').waitFor();
    await page.getByRole('button', { name: 'Write to them' }).click();
    await page.waitForURL(/\/campaigns\/\d+$/);
    const idCampaign = Number(/\d+$/.exec(page.url())![0]);
    expect(await call('GET', `/campaigns/${idCampaign}/segments`)).toMatchObject([
      { parameters: { idTarget: id, name: 'The others' } },
    ]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'names the campaigns that use it, and asks before a scheduled one loses it from the lists',
    patience,
    async () => {
      const { tab, page, id } = await openTarget('Scheduled for');
      const parameters = { name: hostile, subject: 'Bulbs', mode: 'Simple', type: 'Newsletter' };
      const [config] = (
        await call<{ items: { config: { id: number } }[] }>(
          'GET',
          '/sending-configurations?filter.sortBy=Id&filter.order=DESC',
        )
      ).items;
      const { id: idCampaign } = await call<{ id: number }>('POST', '/campaigns', {
        parameters: { ...parameters, idConfiguration: config!.config.id },
        htmlContent: '<html><body><a href="[[LINK.UNSUB]]">Unsubscribe</a></body></html>',
      });
      const segment = { name: 'All', idTarget: id, percent: 100, fixedValues: 0 };
      await call('POST', `/campaigns/${idCampaign}/segments`, segment);
      await page.reload();
      await page.getByText('Used in 1 campaign').waitFor();
      await page.getByRole('link', { name: hostile }).waitFor();
      await call('POST', `/campaigns/${idCampaign}/schedule/calendar`, ['2031-01-01T08:00:00']);
      await page.reload();
      await page.getByText('One scheduled campaign changes with it.').waitFor();
      await picture(tab, 'used');
      // A new filter changes no scheduled campaign until the user says so.
      await add(page, 'Pressure');
      const card = page.getByRole('region', { name: 'Pressure' });
      const days = page.getByLabel('Length of time');
      const isNotUsed = card.getByText('This filter is not used yet. With it, the target has 3 people.');
      await isNotUsed.waitFor();
      const recounted = page.waitForResponse(/count-unsaved/);
      await days.fill('20');
      await recounted;
      await isNotUsed.waitFor();
      // What is not used cannot be switched off.
      expect(await card.getByRole('switch').count()).toBe(0);
      await card.getByRole('button', { name: 'Actions for Pressure' }).click();
      const copy = page.getByRole('menuitem', { name: 'Duplicate into another target' });
      expect(await copy.isDisabled()).toBe(true);
      await page.getByRole('menuitem', { name: 'Remove the filter' }).click();
      await card.waitFor({ state: 'detached' });
      await page.locator('.toast', { hasText: 'is removed.' }).getByRole('button').click();
      await isNotUsed.waitFor();
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'begun-filter');
      // What another person saves since is shown, with the begun filter on it.
      const { parameters: own } = await call<{ parameters: object }>('GET', `/targets/${id}`);
      await call('PUT', `/targets/${id}`, { ...own, name: 'Renamed since' });
      await page.reload();
      await isNotUsed.waitFor();
      expect(await page.getByLabel('Name of the target').inputValue()).toBe('Renamed since');
      expect(await days.inputValue()).toBe('20');
      await page.setViewportSize({ width: 390, height: 844 });
      await picture(tab, 'begun-filter-phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await call('GET', `/targets/${id}`)).toMatchObject({ hasEmailPressureFilter: false });
      await card.getByRole('button', { name: 'Use this filter' }).click();
      await stored(id, 'email-pressure', { isFilterEnabled: true, fromTime: 20 });
      await isNotUsed.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('One scheduled campaign uses it and will continue to.').waitFor();
      expect(await tab.audit()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
      // What is archived is shown and not changed.
      await page.getByRole('button', { name: 'Restore', exact: true }).waitFor();
      await expect
        .poll(() => page.getByLabel('How many are taken', { exact: true }).isDisabled(), soon)
        .toBe(true);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => call('GET', `/targets/${id}`), soon).toMatchObject({ isArchived: false });
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('shows why a stored filter can no longer be used, in red at the filter', patience, async () => {
    const { id: idTarget } = await call<{ id: number }>('POST', '/targets', { name: 'Broken' });
    const upload = await reader.page.request.post(`${t.url}/v1/demo/files?name=short.csv`, {
      headers: { origin: t.url, 'content-type': 'application/octet-stream' },
      data: Buffer.from('camille@post.example\n'),
    });
    const { path: name } = (await upload.json()).data;
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const file = { idTarget, filename: name, dbFieldName: 'fld1', fileAutomaticDeletionDate: until };
    await call('PUT', '/targets/filters/file', file);
    const files = readdirSync(t.dataDir, { recursive: true, encoding: 'utf8' });
    rmSync(join(t.dataDir, files.find((one) => one.endsWith(`/${name}`))!));
    const tab = await t.open();
    await tab.page.goto(`${t.url}/console/demo/targets/${idTarget}`);
    const region = tab.page.getByRole('region', { name: 'List in a file' });
    await region.getByText('A file filter cannot be used: The file short.csv').waitFor();
    const path = region.getByLabel('Path of the file');
    expect(await path.getAttribute('aria-invalid')).toBe('true');
    expect(await tab.page.locator('.counted').innerText()).toBe('–');
    await picture(tab, 'broken');
    expect(await tab.audit()).toEqual([]);
    // A condition on a field that has another type by now.
    await call('PUT', '/targets/filters/file', { ...file, isEnabled: false });
    const { id: idField } = await call<{ id: number }>('POST', '/fields', {
      ...{ name: 'Size', fieldType: 'Text', length: 20 },
    });
    const entry = { idField, operator: 'Contains', value: '4' };
    const filters = [{ idField: 1, operator: 'Contains', value: 'post' }, entry];
    await call('PUT', '/targets/filters/field', { idTarget, filters });
    await call('PUT', '/fields', { id: idField, name: 'Size', fieldType: 'Integer' });
    await tab.page.reload();
    const said = /^A field filter compares field \d+ by Contains/;
    const conditions = tab.page.locator('.card[data-rejected] .conditions > li');
    await conditions.nth(1).getByText(said).waitFor(soon);
    expect(await conditions.nth(0).getByRole('alert').count()).toBe(0);
    const how = tab.page.getByLabel('Comparison: Size');
    expect(await how.getAttribute('aria-invalid')).toBe('true');
    expect(await tab.page.locator('.counted').innerText()).toBe('–');
    await picture(tab, 'broken-field');
    expect(await tab.audit()).toEqual([]);
    await how.selectOption('is');
    await conditions.first().waitFor({ state: 'detached', ...soon });
    await tab.close();
  });

  it('shows every kind at once in both themes, widths and languages', patience, async () => {
    const { id } = await call<{ id: number }>('POST', '/targets', { name: hostile });
    const idTarget = id;
    const acts = { didAnAction: true, action: 'Open', nbTime: '2', nbTimeAndDayOperator: 'AtLeast' };
    const filters = [{ idField: 1, operator: 'NotContains', value: hostile }];
    await call('PUT', '/targets/filters/field', { idTarget, filters });
    await call('PUT', '/targets/filters/behaviour', {
      idTarget,
      ...acts,
      behaviourType: 'Campaign',
      idCampaign: campaigns.join(';'),
    });
    await call('PUT', '/targets/filters/thematic', {
      idTarget,
      ...acts,
      fromNbDays: 30,
      idsThematics: [thematic],
    });
    await call('PUT', '/targets/filters/sending', {
      idTarget,
      isFilterEnabled: false,
      hasReceived: false,
      idsCampaigns: campaigns.join(';'),
      recipientStates: 'Expired',
    });
    await call('PUT', '/targets/filters/email-pressure', {
      idTarget,
      operatorRequest: 'LOWER',
      nbRequest: 4,
      type: 'ByWeek',
      lastWeek: true,
      campaignType: 'Newsletter',
    });
    await call('PUT', '/targets/filters/geolocation', {
      idTarget,
      country: 'FRANCE',
      postcode: '69001',
      radius: 150,
      departmentIds: '38;73;74',
      excludePostCodes: '75001',
    });
    await call('PUT', '/targets/filters/sql', { idTarget, sql: `fld1 <> '${hostile.replace("'", "''")}'` });
    await auditEverywhere(t, `/targets/${id}`, /In words|En toutes lettres/, 'every-kind');
  });
});
