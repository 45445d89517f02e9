import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TabOptions } from './testing/console.ts';
import { type FilledConsole, openFilledConsole } from './testing/console-demo.ts';
import { addressesOf, picture, routesOf, settled } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Many screens, each in both themes, on a machine that may be busy. */
const patience = { timeout: 600_000 };

let t: FilledConsole;

/** Properties of replies that hold sentences of the service. */
const sentenceProperties = /^(reason|error|errorMessage|jobErrorInfo|writeError)$/;

/** Collects the sentences of the service in the replies that a page gets. */
function sentencesIn(page: Page): ReadonlySet<string> {
  const found = new Set<string>();
  const collect = (value: unknown, name = ''): void => {
    if (typeof value === 'string' && sentenceProperties.test(name) && value.includes(' ')) found.add(value);
    if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) collect(part, key);
  };
  page.on('response', (response) => {
    if (/\/v1\//.test(response.url())) void response.json().then(collect, () => undefined);
  });
  return found;
}

/** The sentences that a page shows as they are, not as a quotation. */
async function shownOf(page: Page, sentences: ReadonlySet<string>): Promise<string[]> {
  const text = (await page.evaluate(`{
    const copy = document.body.cloneNode(true);
    for (const quotation of copy.querySelectorAll('[lang=en]')) quotation.remove();
    copy.textContent;
  }`)) as string;
  return [...sentences].filter((sentence) => text.includes(sentence));
}

/** Shows each address in both themes and audits it, in a tab that has no session for screens outside of a site. */
async function walk(addresses: readonly string[], options: TabOptions): Promise<void> {
  const tab = await t.open(options);
  const { page } = tab;
  const sentences = sentencesIn(page);
  for (const address of addresses) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${t.url}/console${address}`);
    await settled(page);
    if (options.language === 'fr-FR') expect(await shownOf(page, sentences)).toEqual([]);
    const failed = await page.locator('.empty[role=alert]').allInnerTexts();
    expect([address, failed]).toEqual([address, []]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(tab, `walk${address.replaceAll('/', '-')}-${options.width}-${colorScheme}`);
      expect.soft([address, colorScheme, ...(await tab.audit())]).toEqual([address, colorScheme]);
    }
  }
  expect(tab.faults).toEqual([]);
  await tab.close();
}

describeWith('chromium', 'every screen of the console', () => {
  beforeAll(async () => {
    t = await openFilledConsole(600);
  }, 240_000);
  afterAll(async () => {
    await t?.close();
  });

  it.each([
    [1280, 'en-GB'],
    [390, 'fr-FR'],
  ] as const)(
    'has no violation, no error, no breach of the policy and no foreign request at %i px (%s)',
    patience,
    async (width, language) => {
      const tab = await t.open({ isSignedIn: false });
      await tab.page.goto(`${t.url}/console/sign-in`, { waitUntil: 'networkidle' });
      const routes = await routesOf(tab.page);
      await tab.close();
      expect(routes).toContain('/$site/campaigns/$idCampaign');
      const known = (route: string) => addressesOf(route, t.records);
      const isOfSite = (route: string) => route.startsWith('/$site');
      const inside = routes.filter(isOfSite).flatMap(known);
      const outside = routes.filter((route) => !isOfSite(route)).flatMap(known);
      await walk(inside, { width, language });
      await walk(outside, { width, language, isSignedIn: false });
    },
  );

  it('shows the stored comparison of a condition even if it does not offer it', patience, async () => {
    const tab = await t.open();
    await tab.page.goto(`${t.url}/console/demo/targets/${t.records.idTarget}`);
    // The demo's target wants people whose deliveries are at most soft bounces.
    expect(await tab.page.locator('.how select').first().inputValue()).toBe('LessOrEqual');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
