import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { patience } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Bytes that the first screen may have, as they travel. */
const mostBytes = 200_000;
/** Bytes that the composer with its editor may add. */
const mostComposerBytes = 700_000;
/** Bytes that the editor of blocks may add when it is opened. */
const mostBlocksBytes = 700_000;

let t: ConsoleTester;

/** Prints a figure that is below its budget, so that its growth is seen before it is a failure. */
function report(what: string, bytes: number, most: number): void {
  process.stdout.write(`${what}: ${Math.round(bytes / 1000)} kB of ${most / 1000} kB\n`);
}

describeWith('chromium', 'the bytes of the console', () => {
  beforeAll(async () => {
    t = await openConsole();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it.each(['en-GB', 'fr-FR'] as const)(
    'brings sign-in and first screen in at most 200 kB (%s)',
    patience,
    async (language) => {
      const tab = await t.open({ isSignedIn: false, language });
      await signIn(tab.page, t.started);
      await tab.page.waitForLoadState('networkidle');
      report(`first screen, ${language}`, tab.received(), mostBytes);
      expect(tab.received()).toBeGreaterThan(mostBytes / 10);
      expect(tab.received()).toBeLessThanOrEqual(mostBytes);
      await tab.close();
    },
  );

  it('loads the editor with the composer only, in at most 700 kB', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const editors: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('source-editor')) editors.push(request.url());
    });
    for (const place of ['', '/campaigns', '/campaigns/999'])
      await page.goto(`${t.url}/console/demo${place}`, { waitUntil: 'networkidle' });
    expect(editors).toEqual([]);
    const before = tab.received();
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.locator('.cm-content').waitFor();
    await page.waitForLoadState('networkidle');
    expect(editors.length).toBeGreaterThan(0);
    const added = tab.received() - before;
    report('composer', added, mostComposerBytes);
    expect(added).toBeGreaterThan(mostComposerBytes / 10);
    expect(added).toBeLessThanOrEqual(mostComposerBytes);
    await tab.close();
  });

  it('loads the editor of blocks when it is opened, in at most 700 kB', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const editors: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('blocks-canvas')) editors.push(request.url());
    });
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.locator('.cm-content').waitFor();
    await page.getByRole('button', { name: 'Blocks', exact: true }).click();
    const start = page.getByRole('button', { name: 'Start with blocks' });
    await start.waitFor();
    await page.waitForLoadState('networkidle');
    expect(editors).toEqual([]);
    const before = tab.received();
    await start.click();
    await page.locator('.blocks-list li').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(editors.length).toBeGreaterThan(0);
    const added = tab.received() - before;
    report('blocks', added, mostBlocksBytes);
    expect(added).toBeGreaterThan(mostBlocksBytes / 10);
    expect(added).toBeLessThanOrEqual(mostBlocksBytes);
    await tab.close();
  });
});
