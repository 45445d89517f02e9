/**
 * Takes the pictures of `docs/screens`: starts Facteur on data and ports of its own, lets the demo fill its site, and
 * shows the main screens of the console in Debian's Chromium, at 1280 and 390 px, in the light and the dark theme. The
 * repository has one theme of each width; `.gitignore` names the others.
 *
 * Usage: tsx scripts/screens.ts [--folder <folder of the pictures>] [--rows <subscribers of the demo>]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { type FilledConsole, openFilledConsole } from '../src/testing/console-demo.ts';

/** Size of a committed picture, in bytes. */
const mostBytes = 200_000;

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(import.meta.dirname, '../docs/screens') },
    rows: { type: 'string', default: '2000' },
  },
});

const looks = [1280, 390].flatMap((width) => [false, true].map((isDark) => ({ width, isDark })));

mkdirSync(values.folder, { recursive: true });
const t = await openFilledConsole(Number(values.rows));
try {
  await untilCounted();
  for (const { width, isDark } of looks) {
    await takePictures({ width, isDark }, { 'sign-in': '/sign-in' }, false);
    await takePictures({ width, isDark }, screensOf(t.records), true);
  }
} finally {
  await t.close();
}

/** The addresses of the main screens, by the names of their pictures. */
function screensOf(records: FilledConsole['records']): Readonly<Record<string, string>> {
  const { idCampaign, idDraft, idTarget, idSubscriber, idImport } = records;
  return {
    overview: '/demo',
    campaigns: '/demo/campaigns',
    composer: `/demo/campaigns/${idDraft}`,
    report: `/demo/campaigns/${idCampaign}`,
    subscribers: '/demo/subscribers',
    subscriber: `/demo/subscribers/${idSubscriber}`,
    targets: '/demo/targets',
    target: `/demo/targets/${idTarget}`,
    import: `/demo/imports/${idImport}`,
    library: '/demo/library',
    settings: '/demo/settings/fields',
  };
}

/** Waits for the figures by provider, which a task counts each minute and the overview shows. */
async function untilCounted(): Promise<void> {
  const { page, close } = await t.open({ isSignedIn: true });
  const isCounted = async () => {
    await page.goto(`${t.url}/console/demo`, { waitUntil: 'networkidle' });
    return page.locator('.provider-bar').first().isVisible();
  };
  const end = Date.now() + 120_000;
  while (!(await isCounted()))
    if (Date.now() > end) throw new Error('No figures by provider after two minutes');
  await close();
}

async function takePictures(
  look: { readonly width: number; readonly isDark: boolean },
  screens: Readonly<Record<string, string>>,
  isSignedIn: boolean,
): Promise<void> {
  const tab = await t.open({ ...look, isSignedIn });
  for (const [screen, address] of Object.entries(screens)) {
    await tab.page.goto(`${t.url}/console${address}`, { waitUntil: 'networkidle' });
    await isWhole(tab.page);
    const name = `${screen}-${look.width}-${look.isDark ? 'dark' : 'light'}.png`;
    writeFileSync(join(values.folder, name), await pack(await tab.page.screenshot(), name));
  }
  await tab.close();
}

async function isWhole(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.shape').first().waitFor({ state: 'detached' });
  // On a narrow screen the preview is another part of the composer, and not shown.
  const preview = page.locator('iframe.message');
  if (await preview.isVisible()) await preview.contentFrame().getByRole('heading').first().waitFor();
}

/** Makes a PNG of at most 256 colours. @throws Error if it is larger than a committed picture may be */
async function pack(png: Buffer, name: string): Promise<Buffer> {
  const packed = await sharp(png).png({ palette: true, colours: 256, effort: 10, dither: 0.5 }).toBuffer();
  if (packed.length > mostBytes) throw new Error(`${name}: ${packed.length} bytes; at most ${mostBytes}`);
  process.stdout.write(`${name} ${Math.round(packed.length / 1000)} kB\n`);
  return packed;
}
