import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole } from './testing/console.ts';
import { patience, picture, settled, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Maximum stops of the Tab key to anything on a screen. */
const mostStops = 90;

let t: ConsoleTester;

/** An element that has the focus. */
interface Stop {
  readonly name: string;
  /** Empty if it is seen to have the focus, otherwise what is missing. */
  readonly fault: string;
}

/** Reads the element with the focus: its name, and whether a user sees where the focus is. A function of the page. */
const readStop = `() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: '', fault: 'the focus is nowhere' };
  // What has the focus inside a frame is the frame's own to show.
  if (element.tagName === 'IFRAME') return { name: element.title, fault: '' };
  if (element.matches('.cm-content')) return { name: 'the editor', fault: '' };
  const labels = [...(element.labels ?? [])].map((one) => one.textContent).join(' ');
  const by = element.getAttribute('aria-labelledby');
  const named = by && by.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const name = (element.getAttribute('aria-label') || named || labels || element.textContent ||
    element.title || element.placeholder || element.id || element.tagName).trim().replaceAll(/\\s+/g, ' ');
  if (element.id === 'content') return { name: 'content', fault: '' };
  const box = element.getBoundingClientRect();
  const isInSight = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  // A ring around the element, or around the box of a field or an editor.
  const hasRing = [element, ...[1, 2, 3].map((up) => {
    let around = element;
    for (let step = 0; step < up && around; step++) around = around.parentElement;
    return around;
  })].some((one) => {
    if (!one) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    const around = one.getBoundingClientRect();
    // The ring of a whole screen shows nothing.
    if (around.width > 1200 && around.height > 600) return false;
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) ||
      (one.matches(':focus-within') && one.matches('.mantine-Input-wrapper, .cm-editor') && boxShadow !== 'none');
  });
  // A switch or a choice is drawn beside its hidden input.
  const isDrawnBeside = /^(checkbox|radio)$/.test(element.type ?? '');
  const drawn = isDrawnBeside && element.parentElement
    ? [...element.parentElement.querySelectorAll('*')].some((one) => getComputedStyle(one).outlineStyle !== 'none')
    : false;
  const fault = !isInSight ? 'not in sight' : hasRing || drawn ? '' : 'no ring';
  return { name, fault };
}`;

const stop = (page: Page) => page.evaluate<Stop>(`(${readStop})()`);
const isAt = (name: string, wanted: string | RegExp) =>
  typeof wanted === 'string' ? name === wanted : wanted.test(name);

/** Presses the Tab key until something has the focus, which is seen at each stop. Returns the stops. */
async function tabTo(page: Page, wanted: string | RegExp, key = 'Tab'): Promise<string[]> {
  const passed: string[] = [];
  for (let presses = 0; presses < mostStops; presses++) {
    await page.keyboard.press(key);
    const { name, fault } = await stop(page);
    // Between the last element and the first one the browser itself has the focus.
    const isBrowser = name === '' && !passed.includes('');
    if (!isBrowser) expect([name, fault]).toEqual([name, '']);
    passed.push(name);
    if (isAt(name, wanted)) return passed;
  }
  throw new Error(`No stop is ${wanted}: ${passed.join(' | ')}`);
}

/** Waits until something has the focus, and shows it. */
async function focusOn(page: Page, wanted: string | RegExp): Promise<void> {
  await expect
    .poll(async () => {
      const { name, fault } = await stop(page);
      return isAt(name, wanted) && fault === '' ? 'it' : `${name} ${fault}`;
    }, soon)
    .toBe('it');
}

/** Waits for the composer: the address is new before its screen is. */
async function composer(page: Page): Promise<void> {
  await page.waitForURL(/\/campaigns\/\d+$/);
  await page.getByLabel('Subject', { exact: true }).waitFor();
  await settled(page);
}

/** Whether the focus is somewhere. */
const hasFocus = (page: Page) => expect.poll(async () => (await stop(page)).name, soon).not.toBe('');

describeWith('chromium', 'the console by the keyboard alone', () => {
  beforeAll(async () => {
    t = await openConsole({ FACTEUR_SEND_DELAY_S: '2' });
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('leads a newcomer from signing in to a message that they read', patience, async () => {
    const tab = await t.open({ isSignedIn: false });
    const { page } = tab;
    await page.goto(`${t.url}/console/`);
    await focusOn(page, 'Email');
    await page.keyboard.type(t.started.adminEmail!);
    await tabTo(page, 'Password');
    await page.keyboard.type(t.started.adminPassword!);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/demo/);
    await page.getByRole('button', { name: 'Keep it' }).waitFor();
    await settled(page);
    await tabTo(page, 'Keep it');
    await picture(tab, 'keyboard-keep');
    await page.keyboard.press('Enter');
    await page.getByText('Messages come from').waitFor();
    // The form is gone, and the focus is on what comes next.
    await focusOn(page, 'Addresses');
    await page.keyboard.type('ines@post.example');
    await page.keyboard.press('Enter');
    await page.keyboard.type('malo@post.example');
    await tabTo(page, 'Add people');
    await page.keyboard.press('Space');
    await page.getByText('2 people can be written to.').waitFor();
    await focusOn(page, 'Write');
    await page.keyboard.press('Enter');
    await composer(page);
    await focusOn(page, 'content');
    await tabTo(page, 'Subject');
    await page.keyboard.type('Plant before the frost');
    // The editor keeps no one: the Tab key goes through it.
    await page.locator('.cm-content').waitFor();
    await tabTo(page, 'the editor');
    await picture(tab, 'keyboard-editor');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('<p>Typed</p>');
    await tabTo(page, /./);
    await page.getByText(/^Saved at/).waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Send “New campaign” to 2 people?').waitFor();
    await focusOn(page, 'Go back');
    await tabTo(page, 'Send to 2 people');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('From the audience to the clicks').waitFor({ timeout: 60_000 });
    await hasFocus(page);
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Mailbox' }).waitFor();
    await page
      .getByRole('link', { name: /Plant before the frost/ })
      .first()
      .waitFor();
    await focusOn(page, 'content');
    await page.keyboard.press('j');
    await focusOn(page, /^Plant before the frost/);
    await page.keyboard.press('Enter');
    const message = page.frameLocator('iframe');
    await message.getByText('Typed').waitFor();
    await tabTo(page, 'Text');
    await page.keyboard.press('Enter');
    await page.locator('.mailbox-text').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nobody');
    await page.getByText('No message to “nobody”.').waitFor();
    await tabTo(page, 'Show all messages');
    await page.keyboard.press('Enter');
    await page
      .getByRole('link', { name: /Plant before the frost/ })
      .first()
      .waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('gives the focus back to where it came from', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns`);
    await settled(page);
    /** Opens something from an element, closes it with Escape, and looks where the focus is. */
    const returns = async (from: string | RegExp, key: string, opens: string) => {
      await tabTo(page, from);
      const { name } = await stop(page);
      await page.keyboard.press(key);
      await page.locator(opens).first().waitFor();
      await expect
        .poll(() => page.evaluate(`document.activeElement.closest('${opens}') !== null`), soon)
        .toBe(true);
      await page.keyboard.press('Escape');
      await page.locator(opens).first().waitFor({ state: 'hidden' });
      await focusOn(page, name);
    };
    const [dialog, menu] = ['[role="dialog"]', '[role="menu"]'];
    await returns('New campaign', 'Control+k', dialog);
    await returns(/^Actions for /, 'Enter', menu);
    await returns(/^Actions for /, '?', dialog);
    await returns(/^Account of /, 'Enter', menu);
    // A menu is walked by the arrows.
    await page.keyboard.press('Enter');
    await page.locator(menu).waitFor();
    const role = async () => {
      await page.keyboard.press('ArrowDown');
      return page.evaluate(`document.activeElement.getAttribute('role') ?? ''`);
    };
    await expect.poll(role, soon).toMatch(/^menuitem/);
    await page.keyboard.press('Escape');
    // An open menu of a row is as accessible as the page.
    await page.locator(menu).waitFor({ state: 'hidden' });
    await page
      .getByRole('button', { name: /^Actions for / })
      .first()
      .click();
    await page.getByRole('menuitem').first().waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, ...(await tab.audit())]).toEqual([colorScheme]);
    }
    await page.keyboard.press('Escape');
    await page.locator(menu).waitFor({ state: 'hidden' });
    // The search of the list, and a row with J and Enter.
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await focusOn(page, 'Name, subject or number');
    await page.keyboard.press('Escape');
    await tabTo(page, 'Name and subject');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/campaigns\/\d+$/);
    await expect.poll(() => page.locator('h1').first().innerText(), soon).not.toBe('Campaigns');
    await settled(page);
    await focusOn(page, 'content');
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await composer(page);
    await returns('Send a test', 'Enter', dialog);
    await page.getByRole('tab', { name: 'Schedule' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('tabpanel', { name: 'Schedule' }).waitFor();
    // The stored schedule is read first.
    await page.getByLabel('Day', { exact: true }).waitFor();
    await returns('Schedule', 'Space', dialog);
    await returns('Review and send', 'Enter', dialog);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('has sheets on a phone, which keep the focus and lie at the bottom edge', patience, async () => {
    const isInside = `document.activeElement.closest('[role="dialog"]') !== null`;
    for (const isDark of [false, true]) {
      const tab = await t.open({ width: 390, isDark });
      const { page } = tab;
      const dialog = page.getByRole('dialog');
      /** Walks through a sheet that has opened, back to where the focus was. */
      const walk = async (name: string) => {
        const box = async () => (await dialog.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
        // It slides in.
        await expect.poll(async () => Math.round((await box()).y + (await box()).height), soon).toBe(844);
        expect([(await box()).x, (await box()).width]).toEqual([0, 390]);
        expect((await box()).y).toBeGreaterThanOrEqual(52);
        const radius = await page.evaluate(
          `getComputedStyle(document.querySelector('[role="dialog"]')).borderRadius`,
        );
        expect(radius).toBe('14px 14px 0px 0px');
        await expect.poll(() => page.evaluate(isInside), soon).toBe(true);
        const first = (await stop(page)).name;
        const stops: string[] = [];
        do {
          await page.keyboard.press('Tab');
          expect(await page.evaluate(isInside)).toBe(true);
          stops.push((await stop(page)).name);
        } while (stops.at(-1) !== first && stops.length < mostStops);
        expect(stops).toContain('Close');
        await picture(tab, `sheet-${name}`);
        expect(await tab.audit()).toEqual([]);
        return stops;
      };
      await page.goto(`${t.url}/console/demo/campaigns/new`);
      await composer(page);
      for (const close of ['Escape', 'Close']) {
        await page.getByRole('button', { name: 'Send a test' }).focus();
        await page.keyboard.press('Enter');
        await walk('test');
        if (close === 'Escape') await page.keyboard.press('Escape');
        else {
          await dialog.getByRole('button', { name: 'Close' }).focus();
          await page.keyboard.press('Enter');
        }
        await dialog.waitFor({ state: 'hidden' });
        await focusOn(page, 'Send a test');
      }
      await page.goto(`${t.url}/console/demo/settings/fields`);
      await settled(page);
      await page.getByRole('button', { name: 'New field' }).focus();
      await page.keyboard.press('Enter');
      expect(await walk('form')).toContain('Cancel');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await focusOn(page, 'New field');
      expect(tab.faults).toEqual([]);
      await tab.close();
    }
  });

  it('shows the focus at every stop of every place', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const places = ['', '/campaigns', '/subscribers', '/targets', '/imports', '/exports', '/library'];
    for (const place of [...places, '/mailbox', '/settings/fields', '/settings/relays']) {
      await page.goto(`${t.url}/console/demo${place}`);
      await settled(page);
      const stops = await tabTo(page, 'Skip to the content');
      expect(stops).toHaveLength(1);
      await page.keyboard.press('Enter');
      await focusOn(page, 'content');
      // Through the content to the end: the page itself, or the first stop again.
      const seen: string[] = [];
      for (let presses = 0; presses < mostStops; presses++) {
        await page.keyboard.press('Tab');
        const { name, fault } = await stop(page);
        if (name === '' || name === 'Skip to the content') break;
        expect([place, name, fault]).toEqual([place, name, '']);
        seen.push(name);
      }
      expect([place, seen.length]).not.toEqual([place, 0]);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
