import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture } from './testing/console-steps.ts';
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
    for (const [name, email] of [
      [evilName, ''],
      ['Two people', 'ines@post.example;malo@post.example'],
    ] as const) {
      const { id } = await call<{ id: number }>(page, 'POST', '/targets', { name });
      const filters = [
        { idField: 7, operator: 'Equal', value: '0' },
        ...(email === '' ? [] : [{ idField: 1, operator: 'In', value: email }]),
      ];
      await call(page, 'PUT', '/targets/filters/field', { idTarget: id, filters });
    }
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
    expect(await page.title()).not.toBe('taken');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('completes tags by number and by name, and leads from error to error', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
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
    const message = page.frameLocator('iframe.message');
    await message.getByText(/^Hello \w+@post\.example$/).waitFor();
    const first = await message.locator('h1').innerText();
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => message.locator('h1').innerText()).not.toBe(first);
    await page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(() => message.locator('h1').innerText()).toBe(first);
    await page.getByRole('combobox', { name: 'Show it as another person' }).fill('zoe@');
    await page.getByRole('option', { name: 'zoe@post.example' }).click();
    await message.getByText('Hello zoe@post.example').waitFor();
    await page.getByRole('button', { name: 'Phone width' }).click();
    expect((await page.locator('.preview-message').boundingBox())!.width).toBeLessThanOrEqual(392);
    await page.getByText('As a dark mail program').click();
    await page.locator('.preview-message[data-dark]').waitFor();
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
        await main.getByRole('button', { name: 'Add a segment' }).click();
        await page.getByRole('menuitem', { name }).click();
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
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await parameters()).length).toBe(2);
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

  it('names links, and keeps one untracked through later saves', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await openCampaign(page);
    await pasteAll(page, good);
    await saved(page);
    await part(page, 'Links');
    await page.getByText('2 of 2 are tracked').waitFor();
    await page.getByLabel('Name of https://shop.example/bulbs').fill(evilName);
    await page.keyboard.press('Enter');
    await page.getByText('The name is saved.').waitFor();
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
    const look = `${options.language}-${options.width}-${options.isDark ? 'dark' : 'light'}`;
    for (const [name, label] of Object.entries({
      content: /^(Content|Contenu)$/,
      options: /^(Sender and options|Expéditeur et options)$/,
      audience: /^Audience$/,
      links: /^(Links|Liens)$/,
    })) {
      await part(page, label);
      await page.waitForLoadState('networkidle');
      await picture(tab, `${name}-${look}`);
      expect([name, await tab.audit()]).toEqual([name, []]);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
