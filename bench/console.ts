/**
 * The first screen of the console in Chromium, as over a slow mobile connection and on a slow processor: the time until
 * the overview of a new site accepts a click, beside an empty page of the same bytes from the same server. Both begin
 * with an empty cache and take turns; the medians count. Fails when the overview takes longer than 3 s.
 *
 *   npx tsx bench/console.ts [turns]
 */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openConsole } from '../src/testing/console.ts';
import { wantAtMost } from './goal.ts';
import { inTurns } from './measure.ts';

const turns = Number(process.argv[2] ?? 7);
const maxMs = 3_000;
const throughput = 1_600_000 / 8;
const latency = 150;
const slowness = 4;

const t = await openConsole();
const empty = `empty-page-${process.pid}`;
const assets = fileURLToPath(new URL('../web/dist/assets/', import.meta.url));
try {
  const tab = await t.open();
  const browser = tab.context.browser()!;
  const storageState = await tab.context.storageState();
  await tab.close();
  const bytes = await bytesOf(browser, { storageState });
  writeEmptyPage(bytes);
  const overview = () => openSlowly(browser, { storageState }, showOverview);
  const emptyPage = () => openSlowly(browser, {}, showEmptyPage);
  await overview();
  await emptyPage();
  const { ours, theirs } = await inTurns(turns, overview, emptyPage);
  const line = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `first screen of ${Math.round(bytes / 1000)} kB at 1.6 Mbit/s, 150 ms, processor 4 times slower`,
  );
  console.log(
    `  console    ${line(ours)}\n  empty page ${line(theirs)}\n  ratio      ${(ours / theirs).toFixed(2)}`,
  );
  wantAtMost('first screen, ms', Math.round(ours), maxMs);
} finally {
  for (const end of ['html', 'js']) rmSync(`${assets}${empty}.${end}`, { force: true });
  await t.close();
}

async function showOverview(page: Page): Promise<void> {
  await page.goto(`${t.url}/console/demo`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Keep it' }).click({ trial: true });
}

async function showEmptyPage(page: Page): Promise<void> {
  await page.goto(`${t.url}/console/assets/${empty}.html`, { waitUntil: 'load' });
  await page.getByRole('button', { name: 'Nothing' }).click({ trial: true });
}

/** Puts a page of one script, a comment that does not pack, among the files of the console. */
function writeEmptyPage(bytes: number): void {
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Empty</title>';
  const page = `${head}<script src="${empty}.js"></script><button type="button">Nothing</button>`;
  const text = randomBytes(bytes)
    .toString('base64')
    .slice(0, bytes - page.length - 5);
  writeFileSync(`${assets}${empty}.html`, page);
  writeFileSync(`${assets}${empty}.js`, `/* ${text}*/`);
}

async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Bytes of the first screen, as they travel. */
async function bytesOf(browser: Browser, options: BrowserContextOptions): Promise<number> {
  return withPage(browser, options, async (page) => {
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await showOverview(page);
    await page.waitForLoadState('networkidle');
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  });
}

/** Opens a page in a new context over the slow connection. */
async function openSlowly(
  browser: Browser,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  await withPage(browser, options, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const speed = { downloadThroughput: throughput, uploadThroughput: throughput };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...speed });
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
    await show(page);
  });
}
