import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleTab, ConsoleTester } from './console.ts';
import type { DemoRecords } from './console-demo.ts';

/** Options of tests of the console: the machine may be busy. */
export const patience = { timeout: 180_000 };
/** Options of waits for what a screen does. */
export const soon = { timeout: 30_000 };

let pictures = 0;

/** Takes a picture where somebody wants to look at the screens. */
export async function picture({ page }: ConsoleTab, name: string): Promise<void> {
  const folder = process.env.FACTEUR_SCREENSHOTS;
  pictures += 1;
  if (folder) await page.screenshot({ path: `${folder}/${name}-${pictures}.png`, fullPage: true });
}

/** The paths of all screens, as the router of the console has them: `/$site/campaigns/$idCampaign`. */
export async function routesOf(page: Page): Promise<string[]> {
  const paths = await page.evaluate('Object.keys(window.__TSR_ROUTER__.routesByPath)');
  return [...new Set((paths as string[]).map((path) => path.replace(/\/$/, '')))];
}

/** The addresses of a route on the filled site. @throws Error if there is no record for a parameter */
export function addressesOf(route: string, records: DemoRecords): string[] {
  const values: Readonly<Record<string, string | number>> = { site: 'demo', ...records };
  const address = route.replace(/\$(\w+)/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`${route}: no record for $${name}`);
    return String(values[name]);
  });
  // A campaign is shown by its state.
  return route.endsWith('/$idCampaign') ? [address, `/demo/campaigns/${records.idDraft}`] : [address];
}

/** Waits until a screen has its name, and everything that it loads. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('.shape').count(), { timeout: 20_000 }).toBe(0);
}

/** Calls an operation of the site, or of a whole path, with the session of a tab, as the console does. */
export async function callSite<T>(
  { url }: ConsoleTester,
  { page }: Pick<ConsoleTab, 'page'>,
  method: string,
  path: string,
  data?: unknown,
): Promise<T> {
  const root = /^\/(admin|v1)\//.test(path) ? url : `${url}/v1/demo`;
  const response = await page.request.fetch(root + path, {
    method,
    headers: { origin: url, 'content-type': 'application/json' },
    ...(data !== undefined && { data: JSON.stringify(data) }),
  });
  expect(await response.text()).toContain('"success":true');
  return (await response.json()).data;
}

/** Shows an address of the site in both themes, both widths and both languages, and audits each. */
export async function auditEverywhere(
  t: ConsoleTester,
  path: string,
  ready: RegExp | string,
  name: string,
): Promise<void> {
  for (const [width, language] of [
    [1280, 'en-GB'],
    [390, 'fr-FR'],
  ] as const) {
    const tab = await t.open({ width, language });
    await tab.page.goto(`${t.url}/console/demo${path}`);
    await tab.page.getByText(ready).first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme });
      await picture(tab, `${name}-${width}-${colorScheme}-${language}`);
      expect([width, colorScheme, ...(await tab.audit())]).toEqual([width, colorScheme]);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  }
}
