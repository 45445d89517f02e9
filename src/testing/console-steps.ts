import { expect } from 'vitest';
import type { ConsoleTab, ConsoleTester } from './console.ts';

let pictures = 0;

/** Takes a picture where somebody wants to look at the screens. */
export async function picture({ page }: ConsoleTab, name: string): Promise<void> {
  const folder = process.env.FACTEUR_SCREENSHOTS;
  pictures += 1;
  if (folder) await page.screenshot({ path: `${folder}/${name}-${pictures}.png`, fullPage: true });
}

/** Calls an operation of the site with the session of a tab, as the console does. */
export async function callSite<T>(
  { url }: ConsoleTester,
  { page }: ConsoleTab,
  method: string,
  path: string,
  data?: unknown,
): Promise<T> {
  const response = await page.request.fetch(`${url}/v1/demo${path}`, {
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
  for (const [width, isDark, language] of [
    [1280, false, 'en-GB'],
    [1280, true, 'fr-FR'],
    [390, true, 'en-GB'],
    [390, false, 'fr-FR'],
  ] as const) {
    const tab = await t.open({ width, isDark, language });
    await tab.page.goto(`${t.url}/console/demo${path}`);
    await tab.page.getByText(ready).first().waitFor();
    await picture(tab, `${name}-${width}-${isDark ? 'dark' : 'light'}-${language}`);
    expect([width, isDark, language, ...(await tab.audit())]).toEqual([width, isDark, language]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  }
}
