import type { Locator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { onePixel } from './testing/make-picture.ts';

let t: ConsoleTester;
let idTarget: number;
let idConfiguration: number;

/** Calls the API as the user of the page does. Returns the data. */
const call = <T>(page: Page, method: string, path: string, data?: unknown) =>
  callSite<T>(t, { page }, method, path, data);

interface Stored {
  readonly html: string;
  readonly mjml: string;
  readonly isCurrent: boolean;
}
async function stored(page: Page, id: number): Promise<Stored> {
  const { htmlContent } = await call<{ htmlContent: string }>(page, 'GET', `/campaigns/${id}`);
  return { html: htmlContent, ...(await call<Omit<Stored, 'html'>>(page, 'GET', `/campaigns/${id}/mjml`)) };
}

const idIn = (page: Page) => Number(/campaigns\/(\d+)/.exec(page.url())![1]);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const rows = (page: Page) => page.locator('.blocks-list li');
const row = (page: Page, name: string | RegExp) => page.locator('.block-name', { hasText: name });
const rowNames = async (page: Page) => page.locator('.block-name').allInnerTexts();

/** Opens a new campaign, and starts it with blocks. Returns its id. */
async function startWithBlocks(page: Page, subject: string): Promise<number> {
  await page.goto(`${t.url}/console/demo/campaigns/new`);
  await page.getByLabel('Subject').fill(subject);
  await button(page, 'Blocks').click();
  await button(page, 'Start with blocks').click();
  await rows(page).first().waitFor();
  return idIn(page);
}

/** Opens the HTML of the campaign, and types in front of it. */
async function typeInHtml(page: Page, text: string): Promise<void> {
  await button(page, 'HTML').click();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
}

/** Makes a campaign to everyone. Returns its id. */
async function makeCampaign(page: Page, name: string, htmlContent = complete): Promise<number> {
  const { id } = await call<{ id: number }>(page, 'POST', '/campaigns', {
    parameters: { name, subject: 'Bulbs', mode: 'Simple', type: 'Newsletter', idConfiguration },
    htmlContent,
  });
  await addSegment(page, id, 'All');
  return id;
}

const complete = '<html><body><a href="[[LINK.UNSUB]]">Unsubscribe</a></body></html>';
const addSegment = (page: Page, id: number, name: string) =>
  call<number>(page, 'POST', `/campaigns/${id}/segments`, { name, idTarget, percent: 100, fixedValues: 0 });

async function openCampaign(page: Page, id: number): Promise<void> {
  await page.goto(`${t.url}/console/demo/campaigns/${id}`);
  await page.getByLabel('Subject', { exact: true }).waitFor();
}

const expectSubject = (page: Page, id: number, subject: string) =>
  expect.poll(() => call(page, 'GET', `/campaigns/${id}`), soon).toMatchObject({ parameters: { subject } });
const expectState = (page: Page, id: number, state: string) =>
  expect
    .poll(() => call(page, 'GET', `/campaigns/${id}`), patience)
    .toMatchObject({ schedulingInfos: { state } });

const refuse = { status: 403, json: { success: false, error: 'Refused for the test', code: 'forbidden' } };

/** Waits until an element has the focus. */
const expectFocus = (one: Locator) =>
  expect.poll(() => one.evaluate((it) => it === it.ownerDocument.activeElement), soon).toBe(true);

/** Ends the saving after a pause of two seconds. */
const stopAutosave = (page: Page) =>
  page.evaluate(
    'const set = setTimeout; window.setTimeout = (act, ms, ...rest) => (ms === 2000 ? 0 : set(act, ms, ...rest))',
  );

describeWith('chromium', 'blocks and the parts of the composer', () => {
  beforeAll(async () => {
    t = await openConsole();
    const tab = await t.open();
    const { page } = tab;
    await call(page, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: 'ines@post.example' }] }]);
    const configuration = await call<{ id: number }>(page, 'POST', '/sending-configurations', {
      name: 'News',
      senderEMail: 'news@verger.example',
      responseEMail: 'answers@verger.example',
    });
    const { id } = await call<{ id: number }>(page, 'POST', '/targets', { name: 'Everyone' });
    [idTarget, idConfiguration] = [id, configuration.id];
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await call(page, 'PUT', '/targets/filters/field', { idTarget: id, filters });
    const file = { name: 'Tulip', fileName: 'tulip.png', base64Content: onePixel.toString('base64') };
    await call(page, 'POST', '/pictures', file);
    await tab.close();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('makes a message that survives a reload and is sent as it was previewed', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await startWithBlocks(page, 'Bulbs for [[FLD.1]]');
    await row(page, 'Text: Write your message').click();
    await page.getByRole('textbox', { name: 'Words', exact: true }).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Dear [[FLD.1|reader]], salt & pepper < "all"');
    await row(page, 'Button').click();
    await page.getByLabel('Link', { exact: true }).last().fill('https://shop.example/a?b=[[FLD.1]]&c="d"');
    await button(page, 'Add a block').click();
    await page.getByRole('menuitem', { name: 'Picture' }).click();
    await button(page, 'Choose a picture').click();
    await button(page, 'Tulip').click();
    await row(page, 'Picture: Tulip').waitFor();
    const shown = page.frameLocator('iframe.gjs-frame').locator('img');
    expect(await shown.getAttribute('src')).toMatch(/^\/p\/\d+\/[\w-]{22}\.png#/);
    await button(page, 'Add a block').click();
    await page.getByRole('menuitem', { name: 'Line' }).click();
    await row(page, 'Section').nth(1).click();
    await page.getByLabel('Columns').selectOption('2');
    await expect.poll(async () => (await stored(page, id)).mjml.match(/<mj-column/g)?.length, soon).toBe(4);
    const made = await stored(page, id);
    expect(made.isCurrent).toBe(true);
    expect(made.mjml).toContain('href="https://shop.example/a?b=[[FLD.1]]&amp;c=&quot;d&quot;"');
    for (const text of [made.mjml, made.html])
      expect(text).toContain('Dear [[FLD.1|reader]], salt &amp; pepper &lt; "all"');
    expect(made.html).toMatch(/<img[^>]*src="http[^"]*\/p\/\d+\/[\w-]{22}\.png"/);
    expect(made.html).not.toMatch(/fonts\.googleapis|data:image/);
    const names = await rowNames(page);
    await picture(tab, 'made');
    await page.reload();
    await rows(page).first().waitFor();
    expect(await rowNames(page)).toEqual(names);
    const preview = page.frameLocator('iframe.message').locator('body');
    await preview.getByText('Dear ines@post.example, salt & pepper').waitFor();
    const previewed = await preview.innerText();
    await page.getByText('Ready', { exact: true }).waitFor();
    expect(await stored(page, id)).toEqual(made);
    await button(page, 'Review and send').click();
    await button(page, 'Send to 1 person').click();
    const messages = () =>
      call<{ items: { id: number }[] }>(page, 'GET', '/admin/v1/mailbox').then(({ items }) => items);
    await expect.poll(async () => (await messages()).length, { timeout: 60_000 }).toBe(1);
    const [message] = await messages();
    const { raw } = await call<{ raw: string }>(page, 'GET', `/admin/v1/mailbox/${message!.id}`);
    const { html, subject } = await PostalMime.parse(raw);
    expect(subject).toBe('Bulbs for ines@post.example');
    expect(html).toContain('Dear ines@post.example, salt &amp; pepper &lt; "all"');
    expect(html).not.toContain('[[');
    await page.goto(`${t.url}/console/demo/mailbox?message=${message!.id}`);
    await expect.poll(() => page.frameLocator('iframe').locator('body').innerText(), soon).toBe(previewed);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('uploads a picture from the choice of pictures', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await startWithBlocks(page, 'Uploaded');
    await button(page, 'Add a block').click();
    await page.getByRole('menuitem', { name: 'Picture' }).click();
    await button(page, 'Choose a picture').click();
    const dialog = page.getByRole('dialog');
    const files = (...named: [name: string, buffer: Buffer][]) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles(named.map(([name, buffer]) => ({ name, mimeType: 'image/png', buffer })));
    // Several are shown to choose from, with those that were refused.
    await files(['Rose.png', onePixel], ['Broken.png', Buffer.from('no picture')]);
    await dialog.getByText('Uploaded: 1').waitFor();
    await dialog.getByText('Broken.png').waitFor();
    await dialog.getByRole('button', { name: 'Rose', exact: true }).waitFor();
    await picture(tab, 'uploaded');
    expect(await tab.audit()).toEqual([]);
    // A single one is the choice.
    await files(['Iris.png', onePixel]);
    await row(page, 'Picture: Iris').waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await expect
      .poll(async () => (await stored(page, id)).html, soon)
      .toMatch(/<img[^>]*alt="Iris"[^>]*src="http[^"]*\/p\/\d+\/[\w-]{22}\.png"/);
    await button(page, 'Choose a picture').click();
    await dialog.getByLabel('Name of the picture').fill('Lily');
    await dialog.getByText('No picture here is called “Lily”.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('completes tags in the fields of blocks', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await startWithBlocks(page, 'Completed');
    const options = page.getByRole('listbox', { name: 'Tags' });
    const words = page.getByRole('textbox', { name: 'Words', exact: true });
    await row(page, 'Text: Write your message').click();
    await words.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', [[mail');
    await options.getByRole('option', { name: /^FLD\.1 / }).waitFor();
    const chosen = await options.getByRole('option', { selected: true }).getAttribute('id');
    expect(await words.getAttribute('aria-activedescendant')).toBe(chosen);
    await picture(tab, 'completion');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Enter');
    await options.waitFor({ state: 'hidden' });
    expect(await words.innerText()).toBe('Write your message here., [[FLD.1]]');
    // The arrows move the choice; Escape leaves what was typed.
    await page.keyboard.type(' [[LINK.');
    await page.keyboard.press('ArrowDown');
    await options.getByRole('option', { name: /^LINK\.MIRROR/, selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await options.waitFor({ state: 'hidden' });
    await page.keyboard.type('MIRROR]]');
    await row(page, 'Button').click();
    const link = page.getByLabel('Link', { exact: true }).last();
    await link.fill('https://shop.example/');
    await link.press('End');
    await page.keyboard.type('?who=[[FLD.1');
    await options.getByRole('option', { name: /^FLD\.1 / }).click();
    await expect.poll(() => link.inputValue()).toBe('https://shop.example/?who=[[FLD.1]]');
    await page.keyboard.type('&x');
    await expect
      .poll(async () => (await stored(page, id)).mjml, soon)
      .toContain('href="https://shop.example/?who=[[FLD.1]]&amp;x"');
    expect((await stored(page, id)).mjml).toContain('Write your message here., [[FLD.1]] [[LINK.MIRROR]]');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'says which tags of a block are unknown, and offers the blocks and data of the library',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      await call(page, 'PUT', '/content-blocks', { contentKey: 'Footer', contentValue: 'Bye' });
      await page.request.post(`${t.url}/v1/demo/files?name=prices.csv`, {
        headers: { origin: t.url, 'content-type': 'application/octet-stream' },
        data: Buffer.from('75001;12 euros\n'),
      });
      await call(page, 'POST', '/content-data', { key: 'prices', dataFilePath: 'prices.csv' });
      await startWithBlocks(page, 'Unknown tags');
      const words = page.getByRole('textbox', { name: 'Words', exact: true });
      const sentence = '[[NOPE]]: this tag does not exist.';
      await row(page, 'Text: Write your message').click();
      await words.focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(' [[NOPE]] [[foot');
      await page.getByRole('option', { name: /^BLOC\.Footer/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.type(' [[price');
      await page.getByRole('option', { name: /^DATA\.prices\.fld1/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(sentence, { exact: true }).waitFor();
      expect(await words.innerText()).toBe(
        'Write your message here. [[NOPE]] [[BLOC.Footer]] [[DATA.prices.fld1]]',
      );
      expect(await words.getAttribute('aria-invalid')).toBe('true');
      await page.getByRole('img', { name: sentence }).waitFor();
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'unknown-tag');
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'unknown-tag-390');
      await page.setViewportSize({ width: 1280, height: 800 });
      // A tag that is corrected is no longer named, before the service has checked the rest.
      await words.fill('Hello');
      await page.getByText(sentence, { exact: true }).waitFor({ state: 'hidden' });
      await row(page, 'Button').click();
      const link = page.getByLabel('Link', { exact: true }).last();
      await link.fill('https://shop.example/?a=1&who=[[FLD.445|a&b]]');
      await page.getByText(/^\[\[FLD\.445.*: this field does not exist\. Did you mean FLD\.4/).waitFor();
      expect(await link.getAttribute('aria-invalid')).toBe('true');
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it(
    'leaves HTML that blocks did not make alone, and makes a copy of the campaign with blocks',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const parameters = { name: 'Typed', subject: 'By hand', sendingSpeed: 500 };
      const htmlContent = '<p>By hand</p>\r\n';
      const { id } = await call<{ id: number }>(page, 'POST', '/campaigns', { parameters, htmlContent });
      await page.goto(`${t.url}/console/demo/campaigns/${id}`);
      await button(page, 'Blocks').click();
      await page.getByText('This was written as HTML.').waitFor();
      expect(await tab.audit()).toEqual([]);
      await button(page, 'Make a copy as blocks').click();
      await page.waitForURL((url) => !url.pathname.endsWith(`/${id}`));
      await rows(page).first().waitFor();
      const copy = idIn(page);
      expect(copy).not.toBe(id);
      expect(await call(page, 'GET', `/campaigns/${copy}`)).toMatchObject({
        parameters: { ...parameters, name: 'Typed (blocks)' },
        htmlContent: expect.stringContaining('[[LINK.UNSUB]]'),
      });
      expect(await stored(page, id)).toEqual({ html: htmlContent, mjml: '', isCurrent: false });
      // A duplicate has the blocks, too.
      await page.goto(`${t.url}/console/demo/campaigns`);
      await button(page, 'Actions for Typed (blocks)').click();
      const writes: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() !== 'GET' && /\/(campaigns|segments|mjml|duplicate)$/.test(pathname))
          writes.push(pathname);
      });
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      await rows(page).first().waitFor();
      expect(idIn(page)).not.toBe(copy);
      // In one call: a part of a copy would reach people whom nobody meant.
      expect(writes).toEqual([`/v1/demo/campaigns/${copy}/duplicate`]);
      expect(await stored(page, idIn(page))).toEqual({ ...(await stored(page, copy)), isCurrent: true });
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('says when the HTML was changed, and goes back to the blocks if the user wants', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await startWithBlocks(page, 'Changed');
    await expect.poll(async () => (await stored(page, id)).isCurrent, soon).toBe(true);
    const { html, mjml } = await stored(page, id);
    await typeInHtml(page, '<!-- mine -->');
    await page.getByText('This HTML is no longer the one that the blocks made.').waitFor();
    await expect
      .poll(() => stored(page, id), soon)
      .toEqual({ html: `<!-- mine -->${html}`, mjml, isCurrent: false });
    await page.reload();
    await button(page, 'Blocks').click();
    await page.getByText('The blocks no longer match it.').waitFor();
    await button(page, 'Go back to the blocks').click();
    const dialog = page.getByRole('dialog');
    expect(await tab.audit()).toEqual([]);
    await dialog.getByRole('button', { name: 'Go back to the blocks' }).click();
    await rows(page).first().waitFor();
    await expect.poll(() => stored(page, id), soon).toEqual({ html, mjml, isCurrent: true });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('never overwrites the blocks that another person saved', patience, async () => {
    const [mine, theirs] = [await t.open(), await t.open()];
    const id = await startWithBlocks(mine.page, 'Two people');
    await expect.poll(async () => (await stored(mine.page, id)).isCurrent, soon).toBe(true);
    await theirs.page.goto(`${t.url}/console/demo/campaigns/${id}`);
    for (const { page } of [mine, theirs]) {
      await row(page, 'Text: Hello').click();
      await page.getByRole('textbox', { name: 'Words', exact: true }).waitFor();
    }
    // Theirs is saved while the request that saves mine is on its way.
    let isFirst = true;
    await mine.page.route(/\/mjml$/, async (route) => {
      if (isFirst && route.request().method() === 'PUT') {
        isFirst = false;
        await theirs.page.getByRole('textbox', { name: 'Words', exact: true }).fill('Theirs');
        await expect.poll(async () => (await stored(mine.page, id)).html, soon).toContain('Theirs');
      }
      await route.continue();
    });
    await mine.page.getByRole('textbox', { name: 'Words', exact: true }).fill('Mine');
    await mine.page.getByRole('button', { name: 'Take the saved one' }).waitFor();
    expect((await stored(mine.page, id)).html).toContain('Theirs');
    await mine.page.getByRole('button', { name: 'Take the saved one' }).click();
    await row(mine.page, 'Text: Theirs').waitFor();
    expect([...mine.faults, ...theirs.faults]).toEqual([]);
    await Promise.all([mine.close(), theirs.close()]);
  });

  it('fetches and runs nothing of MJML that another program stored', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const url = 'https://evil.example/a.png?b=1&amp;c=[[FLD.1]]';
    const layout = (inside: string) =>
      `<mjml><mj-head><mj-title>T</mj-title></mj-head><mj-body>` +
      '<mj-section background-url="https://evil.example/b.png">' +
      `<mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;
    const open = async (mjml: string) => {
      const parameters = { name: 'Evil', subject: 'Evil' };
      const { id } = await call<{ id: number }>(page, 'POST', '/campaigns', { parameters });
      await call(page, 'PUT', `/campaigns/${id}/mjml`, { mjml, htmlContent: '<p>x</p>' });
      await page.goto(`${t.url}/console/demo/campaigns/${id}`);
      return id;
    };
    const id = await open(
      layout(`<mj-image src="${url}" alt="Far &quot;away&quot;" /><mj-text>Near</mj-text>`),
    );
    await row(page, 'Picture: Far "away"').click();
    await expect
      .poll(() => page.getByLabel('Address of the picture').inputValue(), soon)
      .toBe(url.replaceAll('&amp;', '&'));
    await page.getByText('Only readers see this picture').waitFor();
    await row(page, 'Text: Near').click();
    await page.getByRole('textbox', { name: 'Words', exact: true }).fill('Nearer');
    await expect.poll(async () => (await stored(page, id)).mjml, soon).toContain('Nearer');
    const { html, mjml } = await stored(page, id);
    expect(mjml).toContain(`src="${url}" alt="Far &quot;away&quot;"`);
    expect(mjml).toContain('background-url="https://evil.example/b.png"');
    expect(mjml).toContain('<mj-title>T</mj-title>');
    expect(html).toContain(`src="${url}"`);
    for (const inside of [
      '<mj-text><img src="https://evil.example/c.png" onerror="alert(1)"></mj-text>',
      '<mj-text><a href="javascript:alert(1)">x</a></mj-text>',
      '<mj-text><b style="background:url(https://evil.example/d.png)">x</b></mj-text>',
      '<mj-raw><script>document.title = "taken"</script></mj-raw>',
      '<mj-text onclick="alert(1)">x</mj-text>',
    ]) {
      await open(layout(inside));
      await page.getByText('These blocks were not made here').waitFor();
    }
    expect(await page.title()).not.toBe('taken');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('is written by keyboard and on a phone, in both themes', patience, async () => {
    for (const [width, isDark] of [
      [390, false],
      [1280, true],
      [1280, false],
      [390, true],
    ] as const) {
      const tab = await t.open({ width, isDark });
      const { page } = tab;
      const id = await startWithBlocks(page, 'Anywhere');
      await expect.poll(async () => (await stored(page, id)).isCurrent, soon).toBe(true);
      await row(page, 'Button').focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Background').waitFor();
      await page.keyboard.press('Alt+ArrowUp');
      await expect
        .poll(async () => (await rowNames(page)).slice(2, 5))
        .toEqual(['Section', 'Button: Read more', 'Text: Write your message here.']);
      await button(page, 'Undo').click();
      await button(page, 'Redo').click();
      await row(page, 'Text: Write').click();
      await page.getByRole('textbox', { name: 'Words', exact: true }).fill('On a phone');
      await button(page, 'Move “Section” down').first().click();
      expect((await rowNames(page)).slice(0, 2)).toEqual(['Section', 'Button: Read more']);
      await button(page, 'Remove “Line”').click();
      await expect
        .poll(async () => (await stored(page, id)).html, soon)
        .toMatch(/Read more[\s\S]*On a phone[\s\S]*Hello[\s\S]*Unsubscribe/);
      expect((await stored(page, id)).mjml).not.toContain('mj-divider');
      for (const name of ['Section', 'Text: On a phone', 'Button']) {
        await row(page, name).first().click();
        expect([width, isDark, name, await tab.audit()]).toEqual([width, isDark, name, []]);
      }
      await page.getByLabel('Link', { exact: true }).last().fill('[[');
      await page.getByRole('option', { name: /^FLD\.1 / }).waitFor();
      expect([width, isDark, 'completion', await tab.audit()]).toEqual([width, isDark, 'completion', []]);
      await picture(tab, `${width}-${isDark ? 'dark' : 'light'}`);
      expect(tab.faults).toEqual([]);
      await tab.close();
    }
  });

  it('saves when the screen is left or hidden, and keeps here what is refused', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await makeCampaign(page, 'Left');
    const subject = page.getByLabel('Subject', { exact: true });
    const campaigns = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Campaigns' });
    await openCampaign(page, id);
    await stopAutosave(page);
    await subject.fill('Left at once');
    await campaigns.click();
    await expectSubject(page, id, 'Left at once');
    await page.getByText('Left at once').waitFor();
    await page.goBack();
    await subject.fill('Hidden');
    await page.evaluate(
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden' }); " +
        "document.dispatchEvent(new Event('visibilitychange'))",
    );
    await expectSubject(page, id, 'Hidden');
    await openCampaign(page, id);
    await stopAutosave(page);
    await page.route(/\/v1\/demo\/campaigns\?/, (route) =>
      route.request().method() === 'PUT' ? route.fulfill(refuse) : route.continue(),
    );
    await subject.fill('Refused');
    await campaigns.click();
    await page.getByText('“Left” could not be saved. It is kept in this browser.').waitFor();
    await page.unroute(/\/v1\/demo\/campaigns\?/);
    await page.goBack();
    await expect.poll(() => subject.inputValue(), soon).toBe('Refused');
    await page.getByText('Changes that were kept in this browser are shown.').waitFor();
    await expectSubject(page, id, 'Hidden');
    await tab.close();
  });

  it('sends a campaign again after a question, and says why one ended with an error', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await makeCampaign(page, 'Again');
    const jobs = () => call<object[]>(page, 'GET', `/statistics/jobs?filters.idsCampaign=${id}`);
    const question = /It was sent on .+ to 1 person\. Send it to its audience again\?/;
    const dialog = page.getByRole('dialog');
    const confirm = async (look: string) => {
      await dialog.getByText(question).waitFor();
      await expect.poll(() => button(page, 'Send to 1 person').isEnabled(), soon).toBe(true);
      await picture(tab, look);
      expect(await tab.audit()).toEqual([]);
      await button(page, 'Send to 1 person').click();
      await dialog.waitFor({ state: 'hidden' });
    };
    await call(page, 'POST', '/campaigns/send-now', id);
    await expectState(page, id, 'Finished');
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    await button(page, 'Actions: Again').click();
    await page.getByRole('menuitem', { name: 'Send it again…' }).click();
    await confirm('again-report');
    await expect.poll(async () => (await jobs()).length, soon).toBe(2);
    await expectState(page, id, 'Finished');
    // What it needs is missing when its date comes.
    const date = new Date(Date.now() + 10_000).toISOString();
    await call(page, 'POST', `/campaigns/${id}/schedule/calendar`, [date]);
    await call(page, 'PUT', '/campaigns', { id, parameters: {}, htmlContent: '' });
    await expectState(page, id, 'Error');
    await call(page, 'PUT', '/campaigns', { id, parameters: {}, htmlContent: complete });
    await openCampaign(page, id);
    const why = page.locator('.note', { hasText: 'Its sending ended with an error.' });
    await why.getByText('no HTML content').waitFor();
    await picture(tab, 'error');
    await button(page, 'Review and send').click();
    await confirm('again-composer');
    await expect.poll(async () => (await jobs()).length, soon).toBe(4);
    await expectState(page, id, 'Finished');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('chooses targets by a search, and says what could not be loaded', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await makeCampaign(page, 'Choices');
    await page.route('**/targets/all', (route) => route.fulfill(refuse));
    await page.route('**/sending-configurations?*', (route) => route.fulfill(refuse));
    await page.route('**/thematics?*', (route) => route.fulfill(refuse));
    await openCampaign(page, id);
    await page.getByRole('tab', { name: 'Sender and options' }).click();
    const options = page.getByRole('tabpanel', { name: 'Sender and options' });
    await expect.poll(() => options.getByText('This could not be loaded.').count(), soon).toBe(2);
    expect(await options.getByText('No sending configuration yet').count()).toBe(0);
    await picture(tab, 'options-failed');
    expect(await tab.audit()).toEqual([]);
    await page.unroute('**/sending-configurations?*');
    await page.unroute('**/thematics?*');
    await button(page, 'Try again').nth(1).click();
    await expect.poll(() => options.getByText('This could not be loaded.').count(), soon).toBe(1);
    await options.getByRole('button', { name: 'Try again' }).click();
    await options.getByText('From news@verger.example').waitFor();
    await page.getByRole('tab', { name: 'Audience' }).click();
    const audience = page.getByRole('tabpanel', { name: 'Audience' });
    const add = audience.getByRole('combobox', { name: 'Add a segment' });
    await expect.poll(() => audience.getByText('This could not be loaded.').count(), soon).toBe(2);
    await page.unroute('**/targets/all');
    await audience.getByRole('button', { name: 'Try again' }).last().click();
    await expect.poll(() => audience.getByText('This could not be loaded.').count(), soon).toBe(0);
    await add.fill('nobody has this');
    const targets = page.getByRole('listbox', { name: 'Add a segment' });
    await targets.getByText('No target has this in its name.').waitFor();
    await add.fill('every');
    await page.getByRole('option', { name: 'Everyone' }).waitFor();
    await picture(tab, 'choice-of-target');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => audience.locator('.segment-card').count(), soon).toBe(2);
    await expect.poll(() => add.inputValue()).toBe('');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('leads from each finding to its place', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await makeCampaign(page, 'Findings', '<p>x</p>\n<p>[[FLD.9991]]</p>\n');
    await call(page, 'PUT', '/campaigns', {
      ...{ id, preheader: '[[FLD.9992]]', textContent: 'One\nTwo [[FLD.9993]]' },
      parameters: { hasTextMessage: true, senderAlias: '[[FLD.9994]]' },
    });
    await openCampaign(page, id);
    const rail = page.getByRole('complementary', { name: 'Checklist' });
    const finding = (text: string) => rail.getByRole('button', { name: text });
    await button(page, 'Plain text').click();
    await finding('[[FLD.9991]]').click();
    await page.getByText('Line 2, column 4').waitFor();
    await finding('[[FLD.9993]]').click();
    const text = page.getByRole('textbox', { name: 'Plain text' });
    await expectFocus(text);
    expect(await text.evaluate((it) => it.value.slice(it.selectionStart, it.selectionEnd))).toBe(
      '[[FLD.9993]]',
    );
    await finding('[[FLD.9992]]').click();
    await expectFocus(page.getByLabel('Preheader'));
    await finding('[[FLD.9994]]').click();
    await expectFocus(page.getByLabel('Name of the sender'));
    await finding('has no DKIM key').click();
    await expectFocus(page.getByLabel('Sending configuration'));
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('puts a removed segment back at its place, with its advertisements', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const id = await makeCampaign(page, 'Order', `${complete}[[ENCART.1]]`);
    await addSegment(page, id, 'Second');
    const { id: idAdvertisement } = await call<{ id: number }>(page, 'POST', '/advertisements', {
      ...{ name: 'Pots', html: '<p>Pots</p>' },
    });
    await call(page, 'PUT', `/campaigns/${id}/segments/1/advertisement`, { position: 1, idAdvertisement });
    const shown = () => call<object[]>(page, 'GET', `/campaigns/${id}/segments`);
    const second = { parameters: { name: 'Second' }, advertisements: [] };
    const first = { parameters: { name: 'All' }, advertisements: [{ position: 1, idAdvertisement }] };
    expect(await shown()).toMatchObject([first, second]);
    await openCampaign(page, id);
    const rail = page.getByRole('complementary', { name: 'Checklist' });
    const toast = page.locator('.toast', { hasText: 'The segment “All” is removed.' });
    const remove = async () => {
      await rail.getByRole('button', { name: 'Remove the segment “All”' }).click();
      await toast.waitFor();
      expect(await shown()).toMatchObject([second]);
    };
    await remove();
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(shown, soon).toMatchObject([first, second]);
    await rail.getByRole('button', { name: 'Remove the segment “All”' }).waitFor();
    // A refusal of an undo is said.
    await page.route(/\/segments$/, (route) =>
      route.request().method() === 'POST' ? route.fulfill(refuse) : route.continue(),
    );
    await remove();
    await toast.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast', { hasText: 'Refused for the test' }).waitFor();
    expect(await shown()).toMatchObject([second]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
