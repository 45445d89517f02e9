import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { onePixel } from './testing/make-picture.ts';

let t: ConsoleTester;

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

describeWith('chromium', 'blocks in the composer', () => {
  beforeAll(async () => {
    t = await openConsole();
    const tab = await t.open();
    const { page } = tab;
    await call(page, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: 'ines@post.example' }] }]);
    await call(page, 'POST', '/sending-configurations', {
      name: 'News',
      senderEMail: 'news@verger.example',
      responseEMail: 'answers@verger.example',
    });
    const { id } = await call<{ id: number }>(page, 'POST', '/targets', { name: 'Everyone' });
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
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      await rows(page).first().waitFor();
      expect(idIn(page)).not.toBe(copy);
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
    await theirs.page.getByRole('textbox', { name: 'Words', exact: true }).fill('Theirs');
    await expect.poll(async () => (await stored(mine.page, id)).html, soon).toContain('Theirs');
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
});
