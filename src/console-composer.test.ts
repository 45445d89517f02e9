import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Line ends of every kind, tabs, trailing spaces, an emoji, and much that could run or be taken for something else. */
const hostile =
  '<!doctype html>\r\n<p>a\tb  \n<p>mixed\rold \u{1f600} \u2028 \u00a0x\r\n\r\n[[FLD.118]] ' +
  '<a href="https://shop.example/a?b=[[FLD.1]]">A</a>   \r\n<p>[[NAME]]</p>' +
  '<script>top.document.title="taken"</script><img src=x onerror=alert(1)>\u202e</p\n\n\r\r\n';

const good =
  '<html><body><h1>Hello [[FLD.1|you]]</h1>\r\n<p><a href="https://shop.example/bulbs">Bulbs</a> ' +
  '<a href="https://shop.example/pots">Pots</a> <a href="mailto:a@b.example">Mail</a></p></body></html>\r\n';

const evilName = '<b onclick=alert(1)>Évil</b> "x" \u202e';

let t: ConsoleTester;
/** The target of two people. */
let idTwo: number;

/** Calls the API as the user of the page does. Returns the data. */
const call = <T>(page: Page, method: string, path: string, data?: unknown) =>
  callSite<T>(t, { page }, method, path, data);

interface StoredCampaign {
  readonly htmlContent: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
interface StoredSegment {
  readonly id: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const campaign = (page: Page, id: number) => call<StoredCampaign>(page, 'GET', `/campaigns/${id}`);
const segments = (page: Page, id: number) => call<StoredSegment[]>(page, 'GET', `/campaigns/${id}/segments`);

/** Opens a new campaign, and waits until its editor has loaded. Returns its id. */
async function openCampaign(page: Page): Promise<number> {
  await page.goto(`${t.url}/console/demo/campaigns/new`);
  await page.locator('.cm-content').waitFor();
  return Number(/campaigns\/(\d+)/.exec(page.url())![1]);
}

const pasteScript = `(field, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

/** Pastes over the whole source. */
async function pasteAll(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+A');
  // A text, because this project's types know no DOM.
  await page.evaluate(`(${pasteScript})(document.querySelector('.cm-content'), ${JSON.stringify(text)})`);
}

const saved = (page: Page) => page.getByText(/^(Saved at|Enregistré à)/).waitFor();
const part = (page: Page, name: string | RegExp) => page.getByRole('tab', { name }).click();

/** Waits until an element has the focus. */
const expectFocus = (one: Locator) =>
  expect
    .poll(() => one.evaluate((it) => it === it.ownerDocument.activeElement), { timeout: 20_000 })
    .toBe(true);

/** Opens a new campaign whose segments are these targets. Returns its id. */
async function openWithTargets(page: Page, targets: Readonly<Record<string, number>>): Promise<number> {
  const id = await openCampaign(page);
  for (let left = (await segments(page, id)).length; left > 0; left--)
    await call(page, 'DELETE', `/campaigns/${id}/segments/1`);
  for (const [name, idTarget] of Object.entries(targets))
    await call(page, 'POST', `/campaigns/${id}/segments`, { name, idTarget, percent: 100, fixedValues: 0 });
  await page.goto(`${t.url}/console/demo/campaigns/${id}`);
  await page.locator('.cm-content').waitFor();
  return id;
}

/** Opens a campaign to the two people that can be sent. Returns its id. */
async function openReady(page: Page): Promise<number> {
  const id = await openWithTargets(page, { Two: idTwo });
  await call(page, 'PUT', '/campaigns', { id, parameters: { subject: 'Bulbs' }, htmlContent: good });
  await page.goto(`${t.url}/console/demo/campaigns/${id}`);
  await page.locator('.cm-content').waitFor();
  return id;
}

/** Makes a target of the subscribed people who fulfil a condition. Returns its id. */
async function makeTarget(page: Page, name: string, condition?: object): Promise<number> {
  const { id } = await call<{ id: number }>(page, 'POST', '/targets', { name });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }, ...(condition ? [condition] : [])];
  await call(page, 'PUT', '/targets/filters/field', { idTarget: id, filters });
  return id;
}

describeWith('chromium', 'the composer of the console', () => {
  beforeAll(async () => {
    t = await openConsole();
    const tab = await t.open();
    const { page } = tab;
    const people = ['ines', 'malo', 'lou', 'zoe'].map((name) => ({
      fields: [{ idField: 1, value: `${name}@post.example` }],
    }));
    await call(page, 'POST', '/subscribers', people);
    await call(page, 'POST', '/sending-configurations', {
      name: evilName.replace('\u202e', ''),
      senderEMail: 'news@verger.example',
      senderAlias: 'Verger',
      responseEMail: 'answers@verger.example',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
    });
    await makeTarget(page, evilName);
    idTwo = await makeTarget(page, 'Two people', {
      ...{ idField: 1, operator: 'In', value: 'ines@post.example;malo@post.example' },
    });
    await tab.close();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('keeps pasted HTML to the byte, through typing, undo and a reload', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    await pasteAll(page, hostile);
    await saved(page);
    expect((await campaign(page, id)).htmlContent).toBe(hostile);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('<i>é');
    const typed = hostile.replace('html>', 'html>\r\n<i>é');
    await expect.poll(async () => (await campaign(page, id)).htmlContent, { timeout: 20_000 }).toBe(typed);
    await pasteAll(page, 'a\nb');
    await page.keyboard.press('Control+Z');
    await saved(page);
    await expect.poll(async () => (await campaign(page, id)).htmlContent, { timeout: 20_000 }).toBe(typed);
    await page.reload();
    await page.locator('.cm-content').waitFor();
    await page.getByLabel('Subject').fill('Other');
    await expect
      .poll(async () => (await campaign(page, id)).parameters.subject, { timeout: 20_000 })
      .toBe('Other');
    expect((await campaign(page, id)).htmlContent).toBe(typed);
    // Its own saves are nobody else's.
    await saved(page);
    expect(await page.getByText('another person saved this').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('completes tags by number and by name, and leads from error to error', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    // A condition that is not written as one is told how.
    await pasteAll(page, '<p>[[IF FLD.1 like "a"]]</p>');
    await page.locator('.cm-fault', { hasText: 'it needs a field, an operator' }).waitFor();
    await picture(tab, 'wrong-condition');
    await pasteAll(page, '<p>x</p>\n<p>[[FLD.9999]]</p>\n<p>y [[NOPE]]</p>\n');
    await page.locator('.cm-fault').nth(1).waitFor();
    expect(await page.locator('.cm-fault').allInnerTexts()).toEqual([
      expect.stringContaining('[[FLD.9999]]: this field does not exist.'),
      '[[NOPE]]: this tag does not exist.',
    ]);
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['[[FLD.9999]]', '[[NOPE]]']);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F8');
    await page.getByText('Line 2, column 4').waitFor();
    await page.keyboard.press('F8');
    await page.getByText('Line 3, column 6').waitFor();
    // The checklist leads there as well, from any part.
    await part(page, 'Links');
    await page.getByRole('button', { name: /Line 2: \[\[FLD\.9999\]\]/ }).click();
    await page.getByText('Line 2, column 4').waitFor();
    expect(await tab.audit()).toEqual([]);
    // The subject and the preheader complete them too.
    for (const name of ['Subject', 'Preheader']) {
      await page.getByLabel(name).fill('');
      await page.getByLabel(name).pressSequentially('For [[mail');
      const options = page.getByRole('listbox', { name: 'Tags' });
      await options.getByRole('option', { name: /^FLD\.1 / }).waitFor();
      expect(await tab.audit()).toEqual([]);
      await page.getByLabel(name).press('Enter');
      await options.waitFor({ state: 'hidden' });
      expect(await page.getByLabel(name).inputValue()).toBe('For [[FLD.1]]');
    }
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('[[unsub');
    await page.locator('.cm-tooltip-autocomplete', { hasText: 'LINK.UNSUB' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    // The list accepts a key a moment after it has opened.
    await expect
      .poll(async () => {
        await page.keyboard.press('Enter');
        return page.locator('.cm-content').innerText();
      })
      .toContain('[[LINK.UNSUB]]');
    await saved(page);
    await expect
      .poll(async () => (await campaign(page, id)).htmlContent, { timeout: 20_000 })
      .toContain('\n[[LINK.UNSUB]]');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('previews what is not saved yet, as any subscriber, in both widths', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await openCampaign(page);
    await page.route(/\/v1\/demo\/campaigns\?/, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await pasteAll(page, good);
    // It moves what is below it.
    await page.getByText('This could not be saved.').waitFor();
    const entries = await page.evaluate('history.length');
    const message = page.frameLocator('iframe.message');
    await message.getByText(/^Hello \w+@post\.example$/).waitFor();
    const first = await message.locator('h1').innerText();
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => message.locator('h1').innerText()).not.toBe(first);
    await page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(() => message.locator('h1').innerText()).toBe(first);
    await page.locator('[data-place=preheader]').fill('Only for [[FLD.1]]');
    const reader = page.getByRole('combobox', { name: 'Show it as another person' });
    // Enter chooses the first who is found, also before anybody is.
    await reader.fill('zoe@');
    await reader.press('Enter');
    await message.getByText('Hello zoe@post.example').waitFor();
    await page.locator('.preview-head').getByText('Only for zoe@post.example').waitFor();
    await reader.fill('nobody@nowhere');
    await reader.press('Enter');
    await page.getByText('Nothing matches.').waitFor();
    await picture(tab, 'preview-nobody');
    await reader.fill('');
    await page.getByRole('button', { name: 'Phone width' }).click();
    expect((await page.locator('.preview-message').boundingBox())!.width).toBeLessThanOrEqual(392);
    await page.getByText('As a dark mail program').click();
    await page.locator('.preview-message[data-dark]').waitFor();
    // Back leaves the composer, however many messages were shown.
    expect(await page.evaluate('history.length')).toBe(entries);
    expect(await tab.audit()).toEqual([]);
    await tab.close();
  });

  it(
    'has segments with counts that add up, in any order, with own subjects and a test',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const id = await openCampaign(page);
      for (const one of await segments(page, id)) {
        expect(one.id).toBeGreaterThan(0);
        await call(page, 'DELETE', `/campaigns/${id}/segments/1`);
      }
      await part(page, 'Audience');
      await page.reload();
      await part(page, 'Audience');
      const main = page.getByRole('tabpanel', { name: 'Audience' });
      for (const name of [/Évil/, 'Two people']) {
        await main.getByRole('combobox', { name: 'Add a segment' }).click();
        await page.getByRole('option', { name }).click();
        await main.getByRole('group', { name }).waitFor();
      }
      const two = main.getByRole('group', { name: 'Change the segment “Two people”' });
      const evil = main.getByRole('group', { name: /Évil/ });
      await evil.getByText('4 of 4 in the target').waitFor();
      await two.getByText('0 of 2 in the target').waitFor();
      await two.getByLabel('Own subject').focus();
      await page.keyboard.press('Alt+ArrowUp');
      await two.getByText('2 of 2 in the target').waitFor();
      await evil.getByText('2 of 4 in the target').waitFor();
      await page.locator('.composer-rail').getByText('4', { exact: true }).first().waitFor();
      await two.getByLabel('Own subject').fill('Only for two');
      await evil.getByLabel('How many').selectOption('percent');
      await evil.getByLabel('Percent of the target').fill('25');
      await evil.getByLabel('At random').check();
      const parameters = async () => (await segments(page, id)).map((one) => one.parameters);
      await expect
        .poll(parameters, { timeout: 20_000 })
        .toEqual([
          expect.objectContaining({ name: 'Two people', mailObject: 'Only for two', percent: 100 }),
          expect.objectContaining({ name: evilName, percent: 25, isRandom: true }),
        ]);
      await evil.getByText('1 of 4 in the target').waitFor();
      expect(await tab.audit()).toEqual([]);
      await two.getByLabel('Exclude these people').check();
      await expect
        .poll(parameters, { timeout: 20_000 })
        .toEqual([
          expect.objectContaining({ name: 'Two people', isExcluded: true }),
          expect.objectContaining({ isExcluded: false }),
        ]);
      await main.getByLabel('What the variants differ in').selectOption('Subject');
      await expect
        .poll(async () => (await campaign(page, id)).parameters, { timeout: 20_000 })
        .toMatchObject({ mode: 'TestAb', isAbTest: true, abTestType: 'Subject', nbTests: 2 });
      await page.getByText('It needs 3 segments').waitFor();
      await two.getByRole('button', { name: 'Remove the segment “Two people”' }).click();
      // The message about a moved segment may still offer an undo too.
      const toast = page.locator('.toast').filter({ hasText: 'The segment “Two people” is removed.' });
      await toast.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await parameters()).length, { timeout: 20_000 }).toBe(2);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('puts segments in order by dragging and by keys, with a way back', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    // All cards are in sight.
    await page.setViewportSize({ width: 1280, height: 2_000 });
    const id = await openWithTargets(page, { First: idTwo, Second: idTwo, Third: idTwo });
    const order = async () => (await segments(page, id)).map(({ parameters: { name } }) => name);
    await part(page, 'Audience');
    const main = page.getByRole('tabpanel', { name: 'Audience' });
    const titled = (name: string) => main.getByRole('group', { name: `Change the segment “${name}”` });
    await titled('First').getByText('2 of 2 in the target').waitFor();
    await titled('Third').getByText('0 of 2 in the target').waitFor();
    const grip = main.locator('.segment-card').nth(2).locator('.grip');
    await grip.hover();
    await page.mouse.down();
    const { x, y } = (await main.locator('.segment-card').first().boundingBox())!;
    await page.mouse.move(x + 60, y + 60, { steps: 5 });
    await page.mouse.move(x + 60, y + 20, { steps: 5 });
    await main.locator('.segment-card[data-edge=before]').waitFor();
    await picture(tab, 'segments-dragged');
    await page.mouse.up();
    await page.getByText('“Third” is now at place 1.').waitFor();
    expect(await order()).toEqual(['Third', 'First', 'Second']);
    await titled('Third').getByText('2 of 2 in the target').waitFor();
    expect(await main.locator('[data-dragged], [data-edge]').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(order, { timeout: 20_000 }).toEqual(['First', 'Second', 'Third']);
    await titled('First').getByText('2 of 2 in the target').waitFor();
    // Two presses one after the other move it by two places, and the focus goes with it.
    await titled('First').getByLabel('Own subject').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(order, { timeout: 20_000 }).toEqual(['Second', 'Third', 'First']);
    await expectFocus(titled('First').getByLabel('Own subject'));
    expect(await tab.audit()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('opens the people behind each count', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const idAll = await makeTarget(page, 'All of them');
    const id = await openWithTargets(page, { Two: idTwo, Rest: idAll });
    const rail = page.locator('.composer-rail');
    const dialog = page.getByRole('dialog');
    const opens = async (title: string, names: readonly string[]) => {
      await rail.getByRole('button', { name: title }).click();
      await page.getByRole('dialog', { name: title }).waitFor();
      const shown = () => dialog.locator('.people a').allInnerTexts();
      await expect.poll(shown, { timeout: 20_000 }).toEqual(names.map((name) => `${name}@post.example`));
      // A file would have the audience selected again for each of its pages.
      expect(await dialog.getByRole('button', { name: 'Export' }).count()).toBe(0);
      expect(await tab.audit()).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    };
    await opens('2 people in the segment “Two”', ['ines', 'malo']);
    await opens('2 people in the segment “Rest”', ['lou', 'zoe']);
    await opens('4 people in the audience', ['ines', 'malo', 'lou', 'zoe']);
    // Another segment: the same list is read again.
    const [first] = await segments(page, id);
    const parameters = { ...first!.parameters, isExcluded: true };
    await call(page, 'PUT', `/campaigns/${id}/segments/1`, parameters);
    await page.reload();
    await opens('2 people left out by the segment “Two”', ['ines', 'malo']);
    await opens('2 people in the audience', ['lou', 'zoe']);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows broken segments in red with the reason, and leads to them', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const { id: idField } = await call<{ id: number }>(page, 'POST', '/fields', {
      ...{ name: 'Last plant', fieldType: 'Text', length: 80 },
    });
    const idChanged = await makeTarget(page, 'Planters', { idField, operator: 'Contains', value: 'a' });
    const idDeleted = await makeTarget(page, 'Short-lived');
    const idArchived = await makeTarget(page, 'Put away');
    const targets = { Two: idTwo, Plants: idChanged, Gone: idDeleted, Old: idArchived };
    const id = await openWithTargets(page, targets);
    await page.getByRole('button', { name: '2 people in the segment “Two”' }).waitFor();
    await call(page, 'PUT', '/fields', { id: idField, fieldType: 'Date' });
    await call(page, 'DELETE', `/targets/${idDeleted}`);
    await call(page, 'POST', `/targets/${idArchived}/archive`);
    await page.reload();
    const rail = page.locator('.composer-rail');
    const deleted = 'Its target was deleted; choose another one';
    await rail.getByText(deleted).waitFor();
    await rail.getByText(/^Its target no longer works: .*field/).waitFor();
    // What cannot be counted has no number.
    await expect
      .poll(() => rail.getByRole('button', { name: /in the segment|in the audience/ }).count())
      .toBe(0);
    await rail
      .getByRole('button', { name: `Target ${idDeleted}: it was deleted; choose another one` })
      .click();
    const gone = page.getByRole('group', { name: 'Change the segment “Gone”' });
    const choice = gone.getByLabel('Target', { exact: true });
    await expectFocus(choice);
    await gone.getByText(deleted).waitFor();
    expect(await page.locator('.segment-card[data-broken]').count()).toBe(2);
    const put = page
      .getByRole('group', { name: 'Change the segment “Old”' })
      .getByLabel('Target', { exact: true });
    await expect.poll(() => put.inputValue(), { timeout: 20_000 }).toBe('Put away (archived)');
    await expect.poll(() => choice.inputValue()).toBe(`Target ${idDeleted}, deleted`);
    await picture(tab, 'segments-broken');
    expect(await tab.audit()).toEqual([]);
    await choice.fill('Two p');
    await page.getByRole('option', { name: 'Two people' }).click();
    await expect.poll(() => page.locator('.segment-card[data-broken]').count(), { timeout: 20_000 }).toBe(1);
    await call(page, 'DELETE', `/campaigns/${id}/segments/2`);
    await page.reload();
    await rail.getByRole('button', { name: /in the audience$/ }).waitFor();
    expect(await page.locator('[data-broken]').count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps the line between source and preview where the user put it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    const line = page.getByRole('separator', { name: 'Width of the source beside the preview' });
    const share = async () => Number(await line.getAttribute('aria-valuenow'));
    const widths = async () => {
      const [source, preview] = await Promise.all(
        ['.composer-source', '.composer-preview'].map((one) => page.locator(one).boundingBox()),
      );
      return Math.round((100 * source!.width) / (source!.width + preview!.width));
    };
    expect(await share()).toBe(50);
    await line.focus();
    for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight');
    expect(await share()).toBe(60);
    expect(await widths()).toBe(60);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    expect(await share()).toBe(75);
    await page.keyboard.press('Home');
    expect(await share()).toBe(25);
    const { x, y } = (await line.boundingBox())!;
    await page.mouse.move(x + 4, y + 100);
    await page.mouse.down();
    // Over the frame of the preview too.
    await page.mouse.move(x + 100, y + 300, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(x + 200, y + 300);
    const dragged = await share();
    expect(dragged).toBeGreaterThan(28);
    expect(await widths()).toBe(dragged);
    expect(await tab.audit()).toEqual([]);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await page.locator('.cm-content').waitFor();
    expect(await share()).toBe(dragged);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'keeps the checklist in sight beside a long part, and a line on a phone leads to it',
    patience,
    async () => {
      const wide = await t.open();
      await openWithTargets(wide.page, { One: idTwo, Two: idTwo, Three: idTwo });
      await part(wide.page, 'Audience');
      await wide.page.getByRole('group', { name: 'Change the segment “Three”' }).scrollIntoViewIfNeeded();
      await wide.page.mouse.wheel(0, 2_000);
      const top = async () => (await wide.page.locator('.rail-body').boundingBox())!.y;
      await expect.poll(() => wide.page.evaluate('scrollY')).toBeGreaterThan(300);
      // Pixels may be fractions.
      await expect.poll(async () => Math.round(Math.abs(await top()))).toBe(0);
      expect(await wide.page.getByRole('button', { name: '1 thing is missing' }).count()).toBe(0);
      await wide.close();
      const phone = await t.open({ width: 390 });
      const { page } = phone;
      await openWithTargets(page, { Two: idTwo });
      const missing = page.getByRole('button', { name: '1 thing is missing' });
      await missing.waitFor();
      const [line, send] = await Promise.all(
        [missing, page.getByRole('button', { name: 'Review and send' })].map((one) => one.boundingBox()),
      );
      expect(line!.y).toBeLessThan(send!.y);
      await missing.click();
      const head = page.getByRole('heading', { name: 'Checklist' });
      await expectFocus(head);
      await expect.poll(async () => (await head.boundingBox())!.y).toBeLessThan(844);
      await page.getByLabel('Subject').fill('No longer');
      await missing.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Ready', exact: true }).waitFor();
      expect(phone.faults).toEqual([]);
      await phone.close();
    },
  );

  it(
    'has its actions at the bottom of a phone, the way back on top, and one pane at a time',
    patience,
    async () => {
      const tab = await t.open({ width: 390 });
      const { page } = tab;
      const id = await openWithTargets(page, { Two: idTwo });
      const bar = page.locator('.bottom-bar');
      const bottom = async () => {
        const box = (await bar.boundingBox())!;
        return Math.round(box.y + box.height);
      };
      expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Send a test', 'Review and send']);
      expect(await bottom()).toBe(844);
      // Also where the screen ends, which lies above the bar.
      await page.getByRole('button', { name: 'Plan it' }).scrollIntoViewIfNeeded();
      const when = page.getByRole('heading', { name: 'When', exact: true });
      const scrolledTo = async () => {
        // Again and again: what is loaded meanwhile makes the screen longer.
        await page.mouse.wheel(0, 9_000);
        return (await when.boundingBox())!.y;
      };
      await expect.poll(scrolledTo).toBeLessThan(760);
      await expect.poll(bottom).toBe(844);
      await expect.poll(() => page.locator('.tabbar').isVisible()).toBe(false);
      // The part that is chosen by its link comes into sight among the names of the parts.
      await page.getByRole('button', { name: 'Plan it' }).click();
      const name = page.getByRole('tab', { name: 'Schedule' });
      await expect
        .poll(async () => {
          const { x, width } = (await name.boundingBox())!;
          return x >= 0 && x + width <= 390;
        })
        .toBe(true);
      await part(page, 'Content');
      await page.locator('.cm-content').waitFor();
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await page.locator('iframe.message').waitFor();
      expect(await page.locator('.cm-content').isVisible()).toBe(false);
      expect(await page.getByLabel('Subject').isVisible()).toBe(true);
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.locator('.cm-content').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('From a phone');
      await expect.poll(async () => (await campaign(page, id)).parameters.name, soon).toBe('From a phone');
      await page.getByRole('link', { name: 'Campaigns' }).click();
      await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
      await page.locator('.tabbar').waitFor();
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('leads from the question before a sending to what is missing', patience, async () => {
    for (const [width, language, review, missing, name] of [
      [1280, 'en-GB', 'Review and send', /^Subject ?Write a subject$/, 'Subject'],
      [390, 'fr-FR', 'Vérifier et envoyer', /^Objet ?Écrivez un objet$/, 'Objet'],
    ] as const) {
      const tab = await t.open({ width, language });
      const { page } = tab;
      await openCampaign(page);
      await page.getByRole('button', { name: review }).click();
      const dialog = page.getByRole('dialog');
      const finding = dialog.getByRole('button', { name: missing });
      await finding.waitFor();
      expect(await dialog.locator('[lang="en"]').count()).toBe(0);
      await picture(tab, `not-ready-${width}`);
      expect(await tab.audit()).toEqual([]);
      await finding.click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByLabel(name, { exact: true }).waitFor();
      expect(tab.faults).toEqual([]);
      await tab.close();
    }
  });

  it('names sender, segments and duration before a sending', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await openReady(page);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const dialog = page.getByRole('dialog', { name: /to 2 people\?$/ });
    const details = dialog.locator('.sending-details dd');
    await expect
      .poll(() => details.allInnerTexts(), soon)
      .toEqual([
        'Verger, news@verger.example',
        'Bulbs',
        'Two: 2 people',
        'Not known yet: nothing was sent before',
      ]);
    await picture(tab, 'confirm-details');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await part(page, 'Sender and options');
    await page.getByLabel('Name of the sender').fill('Le Verger');
    await page.getByText('More options').click();
    await page.getByLabel('Most messages an hour').fill('60');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await expect
      .poll(() => details.allInnerTexts(), soon)
      .toEqual([
        'Le Verger, news@verger.example',
        'Bulbs',
        'Two: 2 people',
        expect.stringMatching(/^2 min, done at about \d\d:\d\d$/),
      ]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('schedules on several dates, and explains the nights when the clocks change', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openReady(page);
    const stored = () => call(page, 'GET', `/campaigns/${id}/schedule`);
    await part(page, 'Schedule');
    const main = page.getByRole('tabpanel', { name: 'Schedule' });
    await main.getByRole('button', { name: 'Now', exact: true }).click();
    await main.getByText('It starts 3 s after you confirm.').waitFor();
    await main.getByRole('button', { name: 'On dates' }).click();
    await main.getByLabel('Day').fill('2020-01-01');
    await main.getByText('This time is past.').waitFor();
    await main.getByLabel('Day').fill('2040-03-25');
    await main.getByLabel('Time in Paris').fill('02:30');
    await main
      .getByText(
        '02:30 does not exist on Sun 25 Mar 2040, because the clocks go forward. It starts at 03:00.',
      )
      .waitFor();
    await main.getByRole('button', { name: 'Add a date' }).click();
    const second = main.getByRole('group', { name: 'Date 2' });
    await second.getByLabel('Day').fill('2040-03-25');
    await second.getByText('This date is listed twice.').waitFor();
    await second.getByLabel('Day').fill('2040-10-28');
    await second.getByText('02:30 exists twice on Sun 28 Oct 2040, because the clocks go back.').waitFor();
    await second.getByRole('button', { name: 'The second (winter time)' }).click();
    await page.reload();
    await part(page, 'Schedule');
    await main.getByText('Changes that were kept in this browser are shown.').waitFor();
    await expect.poll(() => second.getByLabel('Day').inputValue(), soon).toBe('2040-10-28');
    await picture(tab, 'schedule-dates');
    expect(await tab.audit()).toEqual([]);
    await main.getByRole('button', { name: 'Schedule', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /for 2 people\?$/ });
    await dialog.getByText('Sun 25 Mar 2040, 03:00; Sun 28 Oct 2040, 02:30').waitFor();
    await dialog.getByText('Verger, news@verger.example').waitFor();
    await picture(tab, 'schedule-dates-asks');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Schedule for 2 people' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await stored()).toMatchObject({
      type: 'Calendar',
      dates: ['2040-03-25T01:00:00.000Z', '2040-10-28T01:30:00.000Z'],
    });
    await page.getByText('One more date follows.').waitFor();
    await main.getByRole('button', { name: 'Remove the date Sun 25 Mar 2040, 03:00' }).click();
    await second.waitFor({ state: 'hidden' });
    await main.getByRole('button', { name: 'The second (winter time)', pressed: true }).waitFor();
    // Days are chosen in a month too, and by the keyboard.
    const month = main.getByRole('group', { name: 'Calendar' });
    const days = async () => Promise.all((await main.getByLabel('Day').all()).map((one) => one.inputValue()));
    const march = (day: number) => month.getByRole('button', { name: `${day} March 2040` });
    await month.getByText('March 2040').waitFor();
    await march(26).click();
    await expect.poll(days, soon).toEqual(['2040-03-26', '2040-10-28']);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(days, soon).toEqual(['2040-03-26', '2040-03-27', '2040-10-28']);
    await march(26).click();
    await expect.poll(days, soon).toEqual(['2040-03-27', '2040-10-28']);
    expect(await march(26).getAttribute('aria-pressed')).toBe('false');
    expect(await march(27).getAttribute('aria-pressed')).toBe('true');
    await main.getByRole('button', { name: 'Remove the date Sun 28 Oct 2040, 02:30' }).click();
    // A day with several times keeps the others.
    await main.getByRole('button', { name: 'Add a date' }).click();
    await main.getByLabel('Day').last().fill('2040-03-27');
    await main.getByLabel('Time in Paris').last().fill('19:00');
    await march(27).click();
    await expect.poll(days, soon).toEqual(['2040-03-27']);
    expect(await main.getByLabel('Time in Paris').inputValue()).not.toBe('19:00');
    // The only date loses its day, and gets the next one that is chosen.
    await march(27).click();
    await expect.poll(days, soon).toEqual(['']);
    await march(28).click();
    await expect.poll(days, soon).toEqual(['2040-03-28']);
    await main.getByRole('button', { name: 'Now', exact: true }).click();
    await main.getByText('It waits for a date. To send it now, remove its schedule first.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('begins the weeks of a schedule on Monday in French, and leaves out the past', patience, async () => {
    const tab = await t.open({ language: 'fr-FR', width: 390 });
    const { page } = tab;
    await openReady(page);
    await part(page, 'Planification');
    const month = page.getByRole('group', { name: 'Calendrier' });
    const names = async () => (await month.locator('th').allInnerTexts()).join(' ').toLowerCase();
    await expect.poll(names, soon).toBe('lun. mar. mer. jeu. ven. sam. dim.');
    const dayAfter = (more: number) =>
      new Date(Date.now() + more * 86_400_000).toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });
    // It shows the month of tomorrow, the first day that is suggested.
    const isSameMonth = dayAfter(0).slice(0, 7) === dayAfter(1).slice(0, 7);
    const past = isSameMonth ? Number(dayAfter(0).slice(8)) - 1 : 0;
    await expect.poll(() => month.locator('td button:disabled:visible').count(), soon).toBe(past);
    await month.getByRole('button', { pressed: true }).waitFor();
    await month.getByRole('button', { name: 'Mois suivant' }).click();
    // The first chosen day replaces the one that is proposed.
    for (const [colorScheme, day, dates] of [
      ['light', '15', 1],
      ['dark', '16', 2],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await month.getByRole('button', { name: new RegExp(`^${day} `) }).click();
      await expect.poll(() => page.getByLabel('Jour', { exact: true }).count(), soon).toBe(dates);
      await picture(tab, `schedule-month-${colorScheme}`);
      expect(await tab.audit()).toEqual([]);
    }
    // A campaign that is sent now does not use them.
    await page.getByRole('button', { name: 'Vérifier et envoyer' }).click();
    await page.getByRole('dialog').getByText('Les dates choisies').waitFor();
    await picture(tab, 'send-without-dates');
    expect(await tab.audit()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('schedules every few days, never unseen over what another person chose', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openReady(page);
    const stored = () => call(page, 'GET', `/campaigns/${id}/schedule`);
    await part(page, 'Schedule');
    const main = page.getByRole('tabpanel', { name: 'Schedule' });
    await main.getByRole('button', { name: 'Every few days' }).click();
    await main.getByLabel('From').fill('2040-07-01');
    await main.getByLabel('Every how many days').fill('0');
    await main.getByText('Enter a number of days from 1 to 999.').waitFor();
    await main.getByLabel('Every how many days').fill('3');
    await main.getByLabel('Time in Paris').fill('02:30');
    await main.getByText(/^In the night when the clocks go forward, 02:30 does not exist/).waitFor();
    await main.getByLabel('Time in Paris').fill('08:00');
    await main.getByLabel('Until').fill('2040-06-30');
    await main.getByText('The last day must not be before the first.').waitFor();
    await main.getByLabel('Until').fill('2040-07-11');
    await main
      .getByText(
        'Next dates: Sun 1 Jul 2040, 08:00; Wed 4 Jul 2040, 08:00; Sat 7 Jul 2040, 08:00; and 1 more',
      )
      .waitFor();
    await picture(tab, 'schedule-daily');
    expect(await tab.audit()).toEqual([]);
    await main.getByRole('button', { name: 'Schedule', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /for 2 people\?$/ });
    const confirm = dialog.getByRole('button', { name: 'Schedule for 2 people' });
    await expect.poll(() => confirm.isEnabled(), soon).toBe(true);
    await call(page, 'POST', `/campaigns/${id}/schedule/calendar`, ['2041-01-01T08:00:00']);
    await confirm.click();
    await dialog
      .getByText('Another person has changed the schedule in the meantime. It is now: Tue 1 Jan 2041, 08:00.')
      .waitFor();
    expect(await stored()).toMatchObject({ type: 'Calendar' });
    expect(await dialog.getByText('It was changed in the meantime').count()).toBe(0);
    await picture(tab, 'schedule-changed');
    expect(await tab.audit()).toEqual([]);
    await confirm.click();
    await dialog.waitFor({ state: 'hidden' });
    const daily = {
      startDate: '2040-06-30T22:00:00.000Z',
      endDate: '2040-07-11T21:59:59.000Z',
      sendingTime: '08:00:00',
      frequency: 3,
    };
    expect(await stored()).toMatchObject({ type: 'Daily', dates: ['2040-07-01T06:00:00.000Z'], daily });
    await page.getByText('Then every 3 days at 08:00 until Wed 11 Jul 2040.').waitFor();
    // The rule is read before it can be changed.
    const refusal = { status: 409, json: { success: false, error: 'Not now' } };
    await page.route('**/schedule', (route) => route.fulfill(refusal));
    await page.reload();
    await part(page, 'Schedule');
    await main.getByRole('alert').getByText('Not now').waitFor();
    await picture(tab, 'schedule-failed');
    expect(await tab.audit()).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await main.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => main.getByLabel('From').inputValue(), soon).toBe('2040-07-01');
    await page.getByRole('button', { name: 'Remove the schedule' }).click();
    await expect.poll(stored, soon).toMatchObject({ type: 'None', daily: null });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(stored, soon).toMatchObject({ type: 'Daily', daily });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps the addresses of a test until its target is created', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await openReady(page);
    const open = () => page.getByRole('button', { name: 'Send a test', exact: true }).click();
    const field = page.getByRole('dialog').getByLabel('Addresses of the readers');
    await open();
    await field.fill('ines@post.example');
    await page.reload();
    await page.locator('.cm-content').waitFor();
    await open();
    await page.getByText('Changes that were kept in this browser are shown.').waitFor();
    expect(await field.inputValue()).toBe('ines@post.example');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Go back' }).click();
    await field.waitFor({ state: 'hidden' });
    await open();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
    await field.fill('ines@post.example, Malo');
    await page.getByRole('button', { name: 'Create the test target' }).click();
    await page.getByText('Malo: This is not an email address.').waitFor();
    // Readers who are added count in the audience as well.
    await openWithTargets(page, { Everyone: await makeTarget(page, 'Everyone') });
    const audience = page.locator('.composer-rail .figure-2');
    await expect.poll(() => audience.innerText(), { timeout: 20_000 }).toBe('4');
    await open();
    await field.fill('reader@post.example');
    await page.getByRole('button', { name: 'Create the test target' }).click();
    await page.getByRole('button', { name: 'Add 1 person and create the test target' }).click();
    await expect.poll(() => audience.innerText(), { timeout: 20_000 }).toBe('5');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('names links, and keeps one untracked through later saves', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    await pasteAll(page, good);
    await saved(page);
    await part(page, 'Links');
    await page.getByText('2 of 2 are tracked').waitFor();
    const bulbs = page.getByLabel('Name of https://shop.example/bulbs');
    await bulbs.fill(evilName);
    // What is typed and not saved survives a reload.
    await page.reload();
    await part(page, 'Links');
    await expect.poll(() => bulbs.inputValue()).toBe(evilName);
    await bulbs.press('Enter');
    await page.getByText('The name is saved.').waitFor();
    // What is typed while a name is being saved stays.
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/tracked-links*', async (route) => {
      if (route.request().method() === 'POST') await isAnswered;
      await route.continue();
    });
    await bulbs.fill('Half');
    await bulbs.press('Enter');
    await bulbs.fill('Half a name');
    const isRead = page.waitForResponse(
      (one) => one.url().includes('/tracked-links') && one.request().method() === 'GET',
    );
    answer();
    await isRead;
    await page.getByText('The name is saved.').last().waitFor();
    expect(await bulbs.inputValue()).toBe('Half a name');
    await page.unroute('**/tracked-links*');
    // And it stays when its own save fails.
    await page.route('**/tracked-links*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 413, json: { success: false } })
        : route.continue(),
    );
    const isReadAgain = page.waitForResponse(
      (one) => one.url().includes('/tracked-links') && one.request().method() === 'GET',
    );
    await bulbs.press('Enter');
    await isReadAgain;
    expect(await bulbs.inputValue()).toBe('Half a name');
    await page.unroute('**/tracked-links*');
    // What was typed over another name is not shown.
    await bulbs.fill('Too old');
    const rename = (description: string) =>
      call(page, 'POST', `/campaigns/${id}/tracked-links`, {
        url: 'https://shop.example/bulbs',
        parameters: { description },
      });
    await rename('Newer');
    await page.reload();
    await part(page, 'Links');
    await expect.poll(() => bulbs.inputValue()).toBe('Newer');
    await rename(evilName);
    await page.reload();
    await part(page, 'Links');
    await expect.poll(() => bulbs.inputValue()).toBe(evilName);
    await page.getByLabel('Track https://shop.example/pots').click({ force: true });
    await page.getByText('1 of 2 are tracked').waitFor();
    expect(await tab.audit()).toEqual([]);
    await part(page, 'Content');
    await page.locator('.cm-content').waitFor();
    await pasteAll(page, good.replace('Hello', 'Good day'));
    await expect
      .poll(async () => (await campaign(page, id)).htmlContent, { timeout: 20_000 })
      .toContain('Good day');
    await part(page, 'Links');
    await page.getByText('1 of 2 are tracked').waitFor();
    interface Link {
      readonly url: string;
      readonly isTracked: boolean;
      readonly parameters: { readonly description: string };
    }
    const links = await call<Link[]>(page, 'GET', `/campaigns/${id}/tracked-links`);
    expect(links.filter(({ url }) => url.startsWith('https://shop'))).toEqual([
      expect.objectContaining({
        isTracked: true,
        parameters: expect.objectContaining({ description: evilName }),
      }),
      expect.objectContaining({ isTracked: false }),
    ]);
    await page.getByRole('button', { name: 'Track all' }).click();
    await page.getByText('2 of 2 are tracked').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('sets sender and options, and archives with a way back', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    await part(page, 'Sender and options');
    await page.getByText('From Verger <news@verger.example>').waitFor();
    await page.getByLabel('Name of the sender').fill('Le Verger [[FLD.9999]]');
    await page.getByText('[[FLD.9999]]: this field does not exist.').first().waitFor();
    await page.getByLabel('Name of the sender').fill('Le Verger');
    await page.getByText('From Le Verger <news@verger.example>').waitFor();
    await page.getByLabel('Name for replies').fill('Answers');
    await page.getByLabel('Send it once only').check();
    await page.getByLabel('Kind of message').selectOption('Topic');
    await page.getByText('More options').click();
    await page.getByLabel('Most messages an hour').fill('1200');
    await expect
      .poll(async () => (await campaign(page, id)).parameters, { timeout: 20_000 })
      .toMatchObject({
        senderAlias: 'Le Verger',
        responseAlias: 'Answers',
        isOneshot: true,
        useListUnsubscribeHeader: true,
        type: 'Topic',
        sendingSpeed: 1200,
      });
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Archive this campaign' }).click();
    await page.getByText('This campaign is archived.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Archive this campaign' }).waitFor();
    expect((await campaign(page, id)).parameters.isArchive).toBe(false);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it.each([
    { language: 'en-GB', isDark: true, width: 1280 },
    { language: 'fr-FR', isDark: false, width: 1280 },
    { language: 'en-GB', isDark: false, width: 390 },
    { language: 'fr-FR', isDark: true, width: 390 },
  ] as const)('is accessible in every part: %j', patience, async (options) => {
    const tab = await t.open(options);
    const { page } = tab;
    await openCampaign(page);
    await pasteAll(page, `${good}[[ENCART.1]] [[FLD.9999]]`);
    await page.locator('.cm-fault').waitFor();
    await page.waitForLoadState('networkidle');
    // The last way to write is not cut off.
    const ways = page.getByRole('group', { name: 'Format' });
    expect(await ways.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    const look = `${options.language}-${options.width}-${options.isDark ? 'dark' : 'light'}`;
    for (const [name, label] of Object.entries({
      content: /^(Content|Contenu)$/,
      options: /^(Sender and options|Expéditeur et options)$/,
      audience: /^Audience$/,
      links: /^(Links|Liens)$/,
      schedule: /^(Schedule|Planification)$/,
    })) {
      await part(page, label);
      await page.waitForLoadState('networkidle');
      if (name === 'schedule') await page.locator('.schedule-inputs').waitFor();
      await picture(tab, `${name}-${look}`);
      expect([name, await tab.audit()]).toEqual([name, []]);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
