import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

let t: ConsoleTester;
/** A tab of another person, who changes the same records. */
let other: ConsoleTab;
const call = <T>(method: string, path: string, data?: unknown) => callSite<T>(t, other, method, path, data);

/** A target of all subscribed people. */
async function makeTarget(name: string): Promise<number> {
  const { id } = await call<{ id: number }>('POST', '/targets', { name });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call('PUT', '/targets/filters/field', { idTarget: id, filters });
  return id;
}

const makeSender = (name: string) =>
  call<{ id: number }>('POST', '/sending-configurations', {
    name,
    senderEMail: 'news@shop.example',
    responseEMail: 'news@shop.example',
  });

/** A campaign with one segment of all subscribed people. */
async function makeCampaign(name: string): Promise<{ id: number; idTarget: number }> {
  const idTarget = await makeTarget(`People of ${name}`);
  const { id: idConfiguration } = await makeSender(`Sender of ${name}`);
  const { id } = await call<{ id: number }>('POST', '/campaigns', {
    parameters: { name, subject: 'Bulbs', mode: 'Simple', type: 'Newsletter', idConfiguration },
    htmlContent: '<html><body><a href="[[LINK.UNSUB]]">Unsubscribe</a></body></html>',
  });
  await call('POST', `/campaigns/${id}/segments`, { name: 'All', idTarget, percent: 100, fixedValues: 0 });
  return { id, idTarget };
}

const subjectOf = async (id: number) =>
  (await call<{ parameters: { subject: string } }>('GET', `/campaigns/${id}`)).parameters.subject;
const nameOfTarget = async (id: number) =>
  (await call<{ parameters: { name: string } }>('GET', `/targets/${id}`)).parameters.name;

async function openAt(path: string, options: Parameters<ConsoleTester['open']>[0] = {}): Promise<ConsoleTab> {
  const tab = await t.open(options);
  await tab.page.goto(`${t.url}/console/demo${path}`);
  return tab;
}

/** Types the password over a screen whose session has ended. */
async function signInAgain(page: Page): Promise<void> {
  await page.getByText('Your session ended.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(t.started.adminPassword!);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Your session ended.').waitFor({ state: 'hidden' });
}

/** Waits until a conflict names who saved the other version, which the audit log has within a second. */
const savedByAnother = (page: Page) =>
  page
    .getByRole('alert')
    .getByText(/^Administrator saved this at \d\d:\d\d while you were writing/)
    .waitFor();

/** Holds the first request of a kind, lets another person act, and releases it. */
async function actBefore(tab: ConsoleTab, method: string, path: RegExp, act: () => Promise<unknown>) {
  let isFirst = true;
  await tab.context.route(path, async (route) => {
    if (isFirst && route.request().method() === method) {
      isFirst = false;
      await act();
    }
    await route.continue();
  });
}

describeWith('chromium', 'two people on one thing in the console', () => {
  beforeAll(async () => {
    // Long enough to be undone on a busy machine.
    t = await openConsole({ FACTEUR_SEND_DELAY_S: '60' });
    other = await t.open();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it(
    'campaign: a change between the read and the write is a conflict, and not overwritten',
    patience,
    async () => {
      const { id } = await makeCampaign('Raced');
      const tab = await openAt(`/campaigns/${id}`);
      const { page } = tab;
      const refused: number[] = [];
      page.on('response', (response) => response.status() === 412 && refused.push(response.status()));
      await actBefore(tab, 'PUT', /\/v1\/demo\/campaigns\?/, () =>
        call('PUT', '/campaigns', { id, parameters: { subject: 'Theirs' } }),
      );
      await page.getByLabel('Subject').fill('Mine');
      await page.getByRole('button', { name: 'Save yours' }).waitFor();
      expect(refused).toEqual([412]);
      expect(await subjectOf(id)).toBe('Theirs');
      // A third version while the user decides is a conflict again.
      await call('PUT', '/campaigns', { id, parameters: { subject: 'Third' } });
      await page.getByRole('button', { name: 'Save yours' }).click();
      await page.locator('.conflict-field', { hasText: 'Third' }).waitFor();
      expect(await subjectOf(id)).toBe('Third');
      expect(await tab.audit()).toEqual([]);
      await page.getByRole('button', { name: 'Save yours' }).click();
      await expect.poll(() => subjectOf(id), soon).toBe('Mine');
      await expect.poll(() => page.getByRole('button', { name: 'Save yours' }).count(), soon).toBe(0);
      // The reply had the next version: later changes meet no refusal.
      await page.getByText(/^Saved at/).waitFor();
      await page.getByLabel('Subject').fill('Mine again');
      await expect.poll(() => subjectOf(id), soon).toBe('Mine again');
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('campaign: another version with the same content is no conflict', patience, async () => {
    const { id, idTarget } = await makeCampaign('Same content');
    const tab = await openAt(`/campaigns/${id}`);
    await tab.page.getByLabel('Subject').waitFor();
    await call('POST', `/campaigns/${id}/segments`, { name: 'More', idTarget, percent: 50, fixedValues: 0 });
    await tab.page.getByLabel('Subject').fill('Mine');
    await expect.poll(() => subjectOf(id), soon).toBe('Mine');
    expect(await tab.page.getByRole('button', { name: 'Save yours' }).count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('campaign: a draft that a reload kept does not overwrite what was saved since', patience, async () => {
    const { id } = await makeCampaign('Kept');
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    await page.getByLabel('Subject').waitFor();
    await tab.context.route('**/v1/demo/campaigns?*', (route) => route.abort());
    await page.getByLabel('Subject').fill('Kept here');
    await page.getByText('Kept in this browser', { exact: true }).waitFor();
    await call('PUT', '/campaigns', { id, parameters: { subject: 'Theirs' } });
    await tab.context.unroute('**/v1/demo/campaigns?*');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: 'Save yours' }).waitFor();
    expect(await subjectOf(id)).toBe('Theirs');
    await page.getByRole('button', { name: 'Take the saved one' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue(), soon).toBe('Theirs');
    await tab.close();
  });

  it('segment: other properties of both people stay, the same one is a conflict', patience, async () => {
    const { id, idTarget } = await makeCampaign('Segments');
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    await page.getByRole('tab', { name: 'Audience' }).click();
    const card = page.locator('.segment-card');
    const name = card.getByLabel('Name', { exact: true });
    await name.waitFor();
    const stored = async () =>
      (await call<[{ parameters: Record<string, unknown> }]>('GET', `/campaigns/${id}/segments`))[0]
        .parameters;
    const put = (of: Record<string, unknown>) =>
      call('PUT', `/campaigns/${id}/segments/1`, {
        name: 'All',
        idTarget,
        percent: 100,
        fixedValues: 0,
        ...of,
      });
    await put({ mailObject: 'Their subject' });
    await name.fill('My name');
    await expect.poll(stored, soon).toMatchObject({ name: 'My name', mailObject: 'Their subject' });
    await actBefore(tab, 'PUT', /\/segments\/1$/, () => put({ name: 'Their name' }));
    await name.fill('My second name');
    await card.getByRole('button', { name: 'Save yours' }).waitFor();
    await card.locator('.conflict-field', { hasText: 'Their name' }).waitFor();
    await savedByAnother(page);
    expect(await stored()).toMatchObject({ name: 'Their name' });
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'segment-conflict');
    await card.getByRole('button', { name: 'Save yours' }).click();
    await expect.poll(stored, soon).toMatchObject({ name: 'My second name' });
    expect(tab.faults).toEqual([]);
    // What could not be saved survives a reload, and is saved after it.
    await page.route(/\/segments\/1$/, (route) => route.abort());
    await name.fill('My third name');
    await card.getByRole('alert').waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('tab', { name: 'Audience' }).click();
    await expect.poll(() => name.inputValue(), soon).toBe('My third name');
    expect(await stored()).toMatchObject({ name: 'My second name' });
    await page.unroute(/\/segments\/1$/);
    await expect.poll(stored, soon).toMatchObject({ name: 'My third name' });
    await tab.close();
  });

  it.each([1280, 390])(
    'target: shows both versions by field at %i px, and stores the chosen one',
    patience,
    async (width) => {
      const id = await makeTarget(`Both ${width}`);
      const tab = await openAt(`/targets/${id}`, { width, isDark: width === 390 });
      const { page } = tab;
      await page.getByLabel('Name of the target').waitFor();
      await page.getByRole('button', { name: 'SQL', exact: true }).click();
      const sql = page.getByRole('textbox', { name: 'Condition in SQL' });
      await sql.fill("fld1 like '%@mine.example'");
      await expect
        .poll(() => call('GET', `/targets/${id}/filters/sql`), soon)
        .toMatchObject({ isEnabled: true });
      const theirs = [
        { idField: 7, operator: 'Equal', value: '0' },
        { idField: 1, operator: 'Contains', value: 'garden' },
      ];
      await call('PUT', '/targets/filters/field', { idTarget: id, filters: theirs });
      await call('PUT', '/targets/filters/sql', { idTarget: id, isEnabled: true, sql: "fld1 <> ''" });
      await page.getByLabel('Name of the target').fill('My name');
      await page.getByRole('button', { name: 'Save yours' }).waitFor();
      const conflict = page
        .getByRole('alert')
        .filter({ hasText: /Administrator saved this at \d\d:\d\d while you were writing/ });
      await conflict.getByText('garden').waitFor();
      await conflict.getByText('My name').waitFor();
      await conflict.getByRole('region', { name: 'SQL: Saved version' }).waitFor();
      expect(await nameOfTarget(id)).toBe(`Both ${width}`);
      // Nothing is counted while the versions differ.
      await page.getByText('Counting', { exact: true }).waitFor({ state: 'hidden' });
      await picture(tab, `target-conflict-${width}`);
      expect(await tab.audit()).toEqual([]);
      if (width === 390) {
        await page.getByRole('button', { name: 'Take the saved one' }).click();
        await expect.poll(() => page.getByLabel('Name of the target').inputValue(), soon).toBe('Both 390');
        await expect.poll(() => sql.inputValue()).toBe("fld1 <> ''");
      } else {
        await page.getByRole('button', { name: 'Save yours' }).click();
        await expect.poll(() => nameOfTarget(id), soon).toBe('My name');
        await expect
          .poll(() => call('GET', `/targets/${id}/filters/field`), soon)
          .toMatchObject({ filters: [{ idField: 7 }] });
        await expect
          .poll(() => call('GET', `/targets/${id}/filters/sql`), soon)
          .toMatchObject({ sql: "fld1 like '%@mine.example'" });
      }
      await page.getByLabel('Name of the target').fill('Later');
      await expect.poll(() => nameOfTarget(id), soon).toBe('Later');
      await expect.poll(() => page.getByRole('button', { name: 'Save yours' }).count(), soon).toBe(0);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it(
    'sending configuration and content block: both versions in the form, nothing overwritten',
    patience,
    async () => {
      const { id } = await makeSender('Shared sender');
      const tab = await openAt('/settings/senders?search=Shared');
      const { page } = tab;
      const alias = async () =>
        (await call<{ senderAlias: string }>('GET', `/sending-configurations/${id}`)).senderAlias;
      await page.getByRole('button', { name: 'Actions: Shared sender' }).click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      await page.getByLabel('Sender’s name', { exact: true }).fill('Mine');
      await actBefore(tab, 'PUT', /\/sending-configurations$/, () =>
        call('PUT', '/sending-configurations', { id, senderAlias: 'Theirs' }),
      );
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Save yours' }).waitFor();
      await savedByAnother(page);
      expect(await alias()).toBe('Theirs');
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'sender-conflict');
      await page.getByRole('button', { name: 'Save yours' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await alias()).toBe('Mine');

      await call('PUT', '/content-blocks', { contentKey: 'shared', contentValue: 'First' });
      await page.goto(`${t.url}/console/demo/library/blocks`);
      await page.getByRole('button', { name: 'Change shared' }).click();
      await expect.poll(() => page.locator('textarea.block-value').inputValue(), soon).toBe('First');
      await call('PUT', '/content-blocks', { contentKey: 'shared', contentValue: 'Theirs' });
      await page.locator('textarea.block-value').fill('Mine');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Take the saved one' }).waitFor();
      await savedByAnother(page);
      expect(await tab.audit()).toEqual([]);
      await page.getByRole('button', { name: 'Take the saved one' }).click();
      const text = page.locator('textarea.block-value');
      await expect.poll(() => text.inputValue(), soon).toBe('Theirs');
      // What was typed before a reload began from an older text. Once it is discarded, the form begins from the newest.
      await text.fill('Kept');
      await page.reload();
      await call('PUT', '/content-blocks', { contentKey: 'shared', contentValue: 'Newest' });
      await page.getByRole('button', { name: 'Change shared' }).click();
      await expect.poll(() => text.inputValue(), soon).toBe('Kept');
      await page.getByRole('dialog').getByRole('button', { name: 'Discard them' }).click();
      await expect.poll(() => text.inputValue(), soon).toBe('Newest');
      await text.fill('Mine at last');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The block “shared” is saved.').waitFor();
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('a session that ends loses nothing of a target, a segment or a form', patience, async () => {
    const idTarget = await makeTarget('Session');
    const { id } = await makeCampaign('Session');
    const { id: idSender } = await makeSender('Session sender');
    const tab = await openAt(`/targets/${idTarget}`);
    const { page } = tab;
    await page.getByLabel('Name of the target').waitFor();
    await page.locator('.counted').waitFor();
    await tab.context.clearCookies();
    await page.getByLabel('Name of the target').fill('Typed without a session');
    await signInAgain(page);
    await expect
      .poll(() => page.getByLabel('Name of the target').inputValue(), soon)
      .toBe('Typed without a session');
    await expect.poll(() => nameOfTarget(idTarget), soon).toBe('Typed without a session');

    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await page.getByRole('tab', { name: 'Audience' }).click();
    const name = page.locator('.segment-card').getByLabel('Name', { exact: true });
    await name.waitFor();
    await tab.context.clearCookies();
    await name.fill('Segment without a session');
    // While the service is away, the form waits for it; what is typed then is not sent by itself.
    await page.getByText('Your session ended.').waitFor();
    await page.clock.install();
    await page.route('**/v1/session', (route) => route.abort());
    let checks = 0;
    await page.route('**/v1/me', () => {
      checks += 1;
    });
    await page.getByLabel('Password', { exact: true }).fill('half a');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const waiting = page.getByText('The service is not responding. Trying again.');
    await waiting.waitFor();
    // A check that has no reply yet is the only one.
    await page.clock.runFor(9_000);
    await expect.poll(() => checks, soon).toBe(1);
    await page.getByLabel('Password', { exact: true }).fill('half a pass');
    await waiting.waitFor({ state: 'hidden' });
    expect(checks).toBe(1);
    await page.unroute('**/v1/me');
    await page.unroute('**/v1/session');
    await signInAgain(page);
    await expect
      .poll(() => call('GET', `/campaigns/${id}/segments`), soon)
      .toMatchObject([{ parameters: { name: 'Segment without a session' } }]);

    await page.goto(`${t.url}/console/demo/settings/senders?search=Session`);
    await page.getByRole('button', { name: 'Actions: Session sender' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await page.getByLabel('Sender’s name', { exact: true }).fill('Alias without a session');
    await tab.context.clearCookies();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await signInAgain(page);
    await expect
      .poll(() => page.getByLabel('Sender’s name', { exact: true }).inputValue(), soon)
      .toBe('Alias without a session');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await call('GET', `/sending-configurations/${idSender}`)).toMatchObject({
      senderAlias: 'Alias without a session',
    });
    await tab.close();
  });

  it(
    'a service that restarts under the page: what was typed while it was away is saved',
    patience,
    async () => {
      const { id, idTarget } = await makeCampaign('Restart');
      const writing = await openAt(`/campaigns/${id}`);
      const building = await openAt(`/targets/${idTarget}`);
      const reading = await openAt('/campaigns');
      const stale = reading.page.getByText(/^These figures are from \d+:\d+:\d+\. Trying again every 5 s\.$/);
      await reading.page.getByRole('link', { name: 'Restart', exact: true }).waitFor();
      await writing.page.getByLabel('Subject').waitFor();
      await building.page.getByLabel('Name of the target').waitFor();
      await building.page.locator('.counted').waitFor();
      await t.stop();
      await writing.page.getByLabel('Subject').fill('Typed while it was away');
      await building.page.getByLabel('Name of the target').fill('Named while it was away');
      await writing.page.getByText('Kept in this browser', { exact: true }).waitFor();
      await building.page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
      await stale.waitFor();
      await picture(reading, 'stale');
      expect(await reading.audit()).toEqual([]);
      await t.start();
      await stale.waitFor({ state: 'hidden' });
      await reading.page.getByRole('link', { name: 'Restart', exact: true }).waitFor();
      await expect.poll(() => subjectOf(id), soon).toBe('Typed while it was away');
      await expect.poll(() => nameOfTarget(idTarget), soon).toBe('Named while it was away');
      await writing.page.getByText(/^Saved at/).waitFor();
      await building.page.getByText(/^Saved at/).waitFor();
      expect(await building.page.getByRole('alert').count()).toBe(0);
      await writing.close();
      await building.close();
      await reading.close();
    },
  );

  it('a part that cannot be loaded says so, and opens when the service is back', patience, async () => {
    const { id } = await makeCampaign('Parts');
    const { id: idEmpty } = await call<{ id: number }>('POST', '/campaigns', {
      parameters: { name: 'Empty', subject: 'Bulbs' },
    });
    const { id: idBlocks } = await makeCampaign('Blocks');
    const image = '<mj-image src="" alt="Bulbs"></mj-image>';
    await call('PUT', `/campaigns/${idBlocks}/mjml`, {
      mjml: `<mjml><mj-body><mj-section><mj-column>${image}</mj-column></mj-section></mj-body></mjml>`,
      htmlContent: '<p>Bulbs</p>',
    });
    // Each is one step before what it cannot load.
    const writing = await openAt(`/campaigns/${id}`);
    const starting = await openAt(`/campaigns/${idEmpty}`);
    const designing = await openAt(`/campaigns/${idBlocks}`);
    const button = ({ page }: ConsoleTab, name: string) => page.getByRole('button', { name, exact: true });
    const source = writing.page.locator('.source');
    await source.getByRole('button', { name: 'Blocks' }).waitFor();
    await button(starting, 'Blocks').click();
    await button(starting, 'Start with blocks').waitFor();
    await designing.page.locator('.block-name', { hasText: 'Picture: Bulbs' }).click();
    await button(designing, 'Choose a picture').waitFor();
    const leaving = await openAt('/campaigns');
    await leaving.page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    await t.stop();

    // A screen whose code was not loaded yet: the console stays, and waits.
    const navigation = leaving.page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Exports' }).click();
    await leaving.page.getByText('The service is not responding. Trying again.').waitFor();
    await picture(leaving, 'screen-away');

    await button(writing, 'Send a test').click();
    const test = writing.page.getByRole('dialog');
    // The composer has read the targets before.
    await test.getByLabel('Addresses of the readers').waitFor();
    await writing.page.keyboard.press('Escape');
    await test.waitFor({ state: 'hidden' });
    await writing.page.getByLabel('Subject').fill('Typed while parts were away');
    await source.getByRole('button', { name: 'Blocks' }).click();
    await source.getByRole('alert').getByText('This could not be loaded.').waitFor();
    expect(await writing.page.getByLabel('Subject').inputValue()).toBe('Typed while parts were away');
    // It is still away, and says so again.
    await source.getByRole('button', { name: 'Try again' }).click();
    await source.getByRole('alert').getByText('This could not be loaded.').waitFor();
    await button(starting, 'Start with blocks').click();
    await starting.page.locator('.source').getByRole('alert').waitFor();
    await button(designing, 'Choose a picture').click();
    const pictures = designing.page.getByRole('dialog');
    await pictures.getByRole('alert').waitFor();
    await picture(designing, 'part-away');
    expect(await designing.audit()).toEqual([]);
    await t.start();

    await leaving.page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
    await source.getByRole('button', { name: 'Try again' }).click();
    await source.getByText('This was written as HTML.').waitFor();
    await expect.poll(() => subjectOf(id), soon).toBe('Typed while parts were away');
    await button(writing, 'Send a test').click();
    await test.getByLabel('Addresses of the readers').waitFor();
    await starting.page.locator('.source').getByRole('button', { name: 'Try again' }).click();
    await starting.page.locator('.block-name', { hasText: 'Text: Hello' }).waitFor();
    // Its looks have come with it.
    const panel = starting.page.locator('.blocks-panel');
    await expect
      .poll(() => panel.evaluate((it) => it.computedStyleMap().get('display')?.toString()))
      .toBe('grid');
    await pictures.getByRole('button', { name: 'Try again' }).click();
    await pictures.getByRole('button', { name: 'Upload pictures' }).waitFor();
    await Promise.all([writing.close(), starting.close(), designing.close(), leaving.close()]);
  });

  it('a part that a proxy answers for while the service is away opens afterwards', patience, async () => {
    const { id } = await makeCampaign('Behind a proxy');
    const { page, close } = await openAt(`/campaigns/${id}`);
    const source = page.locator('.source');
    await source.getByRole('button', { name: 'Blocks' }).waitFor();
    await page.route('**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await source.getByRole('button', { name: 'Blocks' }).click();
    await source.getByRole('alert').getByText('This could not be loaded.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await source.getByRole('button', { name: 'Try again' }).click();
    await source.getByText('This was written as HTML.').waitFor();
    await close();
  });

  it('a piece that a screen does without appears once it can be loaded', patience, async () => {
    const tab = await t.open({ width: 390 });
    const { page } = tab;
    await page.waitForLoadState('networkidle');
    const served = /\/console\/$/;
    const asked = page.waitForRequest(served);
    await page.route(served, (route) => route.abort());
    await page.getByRole('button', { name: 'More' }).click();
    await asked;
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    const health = page.getByRole('menuitem', { name: 'Mail stays here' });
    expect(await health.count()).toBe(0);
    await page.unroute(served);
    await health.waitFor();
    await page.getByText('Times are in Paris time').last().waitFor();
    await tab.close();
  });

  it('a service that is away when the console opens is waited for', patience, async () => {
    for (const [width, language, says, screen] of [
      [1280, 'en-GB', 'The service is not responding. Trying again.', 'Campaigns'],
      [390, 'fr-FR', 'Le service ne répond pas. Nouvel essai en cours.', 'Campagnes'],
    ] as const) {
      const tab = await t.open({ width, language });
      const { page } = tab;
      await page.route('**/v1/me', (route) => route.abort());
      await page.goto(`${t.url}/console/demo/campaigns`);
      await page.getByText(says).waitFor();
      await picture(tab, `away-${width}`);
      expect(await tab.audit()).toEqual([]);
      expect(await page.locator('main').count()).toBe(1);
      await page.unroute('**/v1/me');
      await page.getByRole('heading', { level: 1, name: screen }).waitFor();
      await tab.close();
    }
  });

  it('a console of an older build says that it was updated, and offers to load again', patience, async () => {
    const missing = { status: 404, body: '' };
    for (const [width, language, says, reload, screen] of [
      [1280, 'en-GB', 'The console was updated.', 'Load again', 'Audit'],
      [390, 'fr-FR', 'La console a été mise à jour.', 'Recharger', 'Journal'],
    ] as const) {
      const tab = await t.open({ width, language });
      const { page } = tab;
      const words = /\/assets\/audit-(?!screen).*\.js$/;
      await page.route(words, (route) => route.fulfill(missing));
      await page.goto(`${t.url}/console/demo/settings/audit`);
      await page.getByRole('alert').getByText(says).waitFor();
      expect(await page.locator('main').count()).toBe(1);
      await picture(tab, `updated-${width}`);
      expect(await tab.audit()).toEqual([]);
      await page.unroute(words);
      await page.getByRole('button', { name: reload, exact: true }).click();
      await page.getByRole('heading', { name: screen }).first().waitFor();
      await tab.close();
    }
    const { id } = await makeCampaign('Older build');
    const tab = await t.open();
    const { page } = tab;
    // Texts of a piece of the frame, which every screen does without.
    const texts = /\/assets\/run-.*\.js$/;
    await page.route(texts, (route) => route.fulfill(missing));
    const asked = page.waitForResponse(texts);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await asked;
    await page.waitForLoadState('networkidle');
    await page.getByLabel('Subject').fill('Typed before the upgrade');
    await page.getByText(/^Saved at/).waitFor();
    await page.route('**/assets/*.js', (route) => route.fulfill(missing));
    const source = page.locator('.source');
    await source.getByRole('button', { name: 'Blocks' }).click();
    await source.getByRole('alert').getByText('The console was updated.').waitFor();
    expect(await source.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.unroute('**/assets/*.js');
    await source.getByRole('button', { name: 'Load again' }).click();
    await source.getByRole('alert').waitFor({ state: 'hidden' });
    await source.getByRole('button', { name: 'Blocks' }).click();
    await source.getByText('This was written as HTML.').waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Typed before the upgrade');
    await tab.close();
  });

  it(
    'an undo stays beside a later message, and names how many people get the campaign',
    patience,
    async () => {
      await call('POST', '/subscribers', [{ fields: [{ idField: 1, value: 'ines@post.example' }] }]);
      const { id } = await makeCampaign('Undone');
      const { id: idOther } = await makeCampaign('Beside');
      const tab = await openAt(`/campaigns/${id}`);
      const { page } = tab;
      await page.getByRole('button', { name: 'Review and send' }).click();
      await page.getByRole('button', { name: 'Send to 1 person' }).click();
      const toast = page.locator('.toast', { hasText: /“Undone” goes to 1 person in \d+ s\./ });
      await toast.waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' }).click();
      await page.getByRole('checkbox', { name: 'Select Beside', exact: true }).click();
      const bar = page.getByRole('region', { name: 'Selection' });
      await bar.getByRole('button', { name: 'Archive' }).click();
      await page.locator('.toast', { hasText: 'archived' }).waitFor();
      await picture(tab, 'two-messages');
      expect(await tab.audit()).toEqual([]);
      await toast.getByRole('button', { name: 'Undo' }).click();
      const stateOf = async (idCampaign: number) =>
        (await call<{ campaignStateName: string }>('GET', `/campaigns/${idCampaign}`)).campaignStateName;
      await expect.poll(() => stateOf(id), soon).toBe(await stateOf(idOther));
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('a lost reply to a save is no conflict with oneself', patience, async () => {
    const { id } = await makeCampaign('Lost reply');
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    await page.getByLabel('Subject').waitFor();
    let lost = 0;
    await tab.context.route('**/v1/demo/campaigns?*', async (route) => {
      if (route.request().method() !== 'PUT' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch({ maxRetries: 3 });
      await route.abort();
    });
    await page.getByLabel('Subject').fill('Stored, and not heard of');
    await page.getByText(/^Saved at/).waitFor();
    expect(lost).toBe(1);
    await expect.poll(() => page.getByRole('button', { name: 'Save yours' }).count(), soon).toBe(0);
    expect(await subjectOf(id)).toBe('Stored, and not heard of');
    await tab.close();
  });

  it('campaign: archiving it keeps what another person saved', patience, async () => {
    const { id } = await makeCampaign('Put away');
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    const versions: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') versions.push(request.headers()['if-match']);
    });
    await page.getByRole('tab', { name: 'Sender and options' }).click();
    const archive = page.getByRole('button', { name: 'Archive this campaign', exact: true });
    await archive.waitFor();
    await call('PUT', '/campaigns', { id, parameters: { subject: 'Theirs' } });
    await archive.click();
    await page.getByRole('button', { name: 'Restore this campaign', exact: true }).waitFor();
    expect(versions.length).toBeGreaterThan(0);
    expect(versions).not.toContain(undefined);
    expect(await call('GET', `/campaigns/${id}`)).toMatchObject({
      parameters: { subject: 'Theirs', isArchive: true },
    });
    await tab.close();
  });

  it('campaign: the test target of another person is not replaced unseen', patience, async () => {
    const { id } = await makeCampaign('Two testers');
    await call('POST', '/subscribers', [{ fields: [{ idField: 1, value: 'reader@post.example' }] }]);
    const [theirs, mine] = [await makeTarget('Their readers'), await makeTarget('My readers')];
    for (const idTarget of [theirs, mine]) {
      const { parameters } = await call<{ parameters: object }>('GET', `/targets/${idTarget}`);
      await call('PUT', `/targets/${idTarget}`, { ...parameters, isTestTarget: true });
    }
    const testTarget = async () =>
      (await call<{ parameters: { idTestTarget: number } }>('GET', `/campaigns/${id}`)).parameters
        .idTestTarget;
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Send a test', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Test target' }).fill('My');
    await picture(tab, 'test-target-choice');
    await page.getByRole('option', { name: 'My readers' }).click();
    const send = dialog.getByRole('button', { name: /^Send to \d+ p/ });
    await send.waitFor();
    await actBefore(tab, 'PUT', /\/v1\/demo\/campaigns\?/, () =>
      call('PUT', '/campaigns', { id, parameters: { idTestTarget: theirs } }),
    );
    await send.click();
    await dialog.getByText('Another person has chosen the test target “Their readers”').waitFor();
    expect(await testTarget()).toBe(theirs);
    await picture(tab, 'test-target-changed');
    expect(await tab.audit()).toEqual([]);
    await send.click();
    await dialog.getByText(/^The test is on its way to \d+ p/).waitFor();
    expect(await testTarget()).toBe(mine);
    await tab.close();
  });

  it('campaign: an idle screen takes over what another person saves', patience, async () => {
    const { id } = await makeCampaign('Idle');
    const save = (subject: string) => call('PUT', '/campaigns', { id, parameters: { subject } });
    const tab = await openAt(`/campaigns/${id}`);
    const { page } = tab;
    await page.getByLabel('Subject').waitFor();
    await save('Theirs');
    await expect.poll(() => page.getByLabel('Subject').inputValue(), soon).toBe('Theirs');
    await page.getByText(/^Updated at .* another person saved this$/).waitFor();
    await page.getByRole('button', { name: 'Review and send' }).click();
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: /^Send to \d/ });
    await expect.poll(() => send.isEnabled(), soon).toBe(true);
    await dialog.getByText('Theirs', { exact: true }).waitFor();
    await save('Third');
    await send.click();
    await dialog.getByText('It was changed in the meantime: Subject.').waitFor();
    await dialog.getByText('Third', { exact: true }).waitFor();
    await picture(tab, 'changed-meanwhile');
    expect(await tab.audit()).toEqual([]);
    await send.click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('.toast', { hasText: /“Idle” goes to \d+ p/ }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
