/**
 * Takes the pictures of `docs/screens`: starts Facteur on data and ports of its own, lets the demo fill its site, and
 * shows the main screens of the console in Debian's Chromium. The repository has each screen at 1280 px in the light
 * theme and at 390 px in the dark one; `--all` takes the two other looks as well.
 *
 * Usage: tsx scripts/screens.ts [--all] [--folder <folder of the pictures>] [--rows <subscribers of the demo>]
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
    all: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(import.meta.dirname, '../docs/screens') },
    rows: { type: 'string', default: '2000' },
  },
});

/** The widths and themes of the pictures. */
const looks = [
  { width: 1280, isDark: false },
  { width: 390, isDark: true },
  ...(values.all
    ? ([
        { width: 1280, isDark: true },
        { width: 390, isDark: false },
      ] as const)
    : []),
];

mkdirSync(values.folder, { recursive: true });
const t = await openFilledConsole(Number(values.rows));
try {
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

/** Waits until a screen and the message that it may preview have loaded. */
async function isWhole(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.shape').first().waitFor({ state: 'detached' });
  if (/campaigns\/\d/.test(page.url()) && (await page.locator('iframe.message').count()) > 0)
    await page.frameLocator('iframe.message').getByRole('heading').first().waitFor();
}

/** Makes a PNG of at most 256 colours. @throws Error if it is larger than a committed picture may be */
async function pack(png: Buffer, name: string): Promise<Buffer> {
  const packed = await sharp(png).png({ palette: true, colours: 256, effort: 10, dither: 0.5 }).toBuffer();
  if (packed.length > mostBytes) throw new Error(`${name}: ${packed.length} bytes; at most ${mostBytes}`);
  process.stdout.write(`${name} ${Math.round(packed.length / 1000)} kB\n`);
  return packed;
}
