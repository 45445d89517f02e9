import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, promises, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFailed, TestRunner } from 'vitest';
import type { Started } from '../announce.ts';
import { FacteurProcess } from './child-process.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const web = join(root, 'web');

/** How a tab is opened. */
export interface TabOptions {
  readonly width?: number;
  readonly isDark?: boolean;
  readonly language?: 'en-GB' | 'fr-FR';
  /** Default: true. */
  readonly isSignedIn?: boolean;
}

/** A tab of a browser that watches what the console must not do. */
export interface ConsoleTab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console, breaches of the policy and requests to other hosts, each in words. */
  readonly faults: readonly string[];
  /** Bytes that the tab has received, as they travelled. */
  received(): number;
  /** Violations that axe finds on the page as it is now, and whether the page is wider than the window. */
  audit(): Promise<string[]>;
  close(): Promise<void>;
}

/** The program with its built console, and a browser. */
export interface ConsoleTester {
  readonly url: string;
  readonly started: Started;
  /** Everything that the program stores. */
  readonly dataDir: string;
  open(options?: TabOptions): Promise<ConsoleTab>;
  /** Ends the program under the open tabs. */
  stop(): Promise<void>;
  /** Starts the program again, on the same port and data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Whether the built console is newer than its sources. */
function isBuilt(): boolean {
  const page = 'dist/index.html';
  const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'];
  if (!existsSync(join(web, page))) return false;
  return execFileSync('find', [...sources, '-newer', page], { cwd: web }).length === 0;
}

/** Builds the console, unless it is newer than its sources. Test files of one run that start together build it once. */
async function buildConsole(): Promise<void> {
  // Files run in threads of one process; a second build would remove the chunks that a first tab still loads.
  const lock = join(tmpdir(), `facteur-console-build-${process.pid}`);
  const isFirst = async () => (await promises.mkdir(lock).catch(String)) === undefined;
  await until(isFirst, 'another build of the console', 100_000);
  try {
    if (!isBuilt())
      await promisify(execFile)('npm', ['run', '--silent', 'build', '-w', 'web'], { cwd: root });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * Starts the program on a port and data of its own, with short delays, and a browser.
 * @param settings more settings of the program, as environment variables
 */
export async function openConsole(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleTester> {
  await buildConsole();
  const dataDir = mkdtempSync(join(tmpdir(), 'facteur-console-'));
  const serve = (port: number) =>
    new FacteurProcess(['serve'], {
      FACTEUR_DATA_DIR: dataDir,
      FACTEUR_HOST: '127.0.0.1',
      FACTEUR_PORT: String(port),
      ...{ FACTEUR_SFTP_PORT: '0', FACTEUR_SMTP_PORT: '0' },
      ...{ FACTEUR_SEND_DELAY_S: '3', FACTEUR_IMPORT_DELAY_S: '8' },
      ...settings,
    });
  let program = serve(await freePort());
  const announced = await program.started();
  // A browser has passkeys for the name of a host, and the program announces its IP address.
  const url = settings.FACTEUR_PUBLIC_URL ?? announced.url!;
  const started = { ...announced, url };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  return {
    url,
    started,
    dataDir,
    open: (options = {}) => openTab(browser, started, options),
    async stop() {
      await program.end('SIGTERM');
    },
    async start() {
      program = serve(started.port!);
      await program.started();
    },
    async close() {
      await browser.close();
      await program.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openTab(browser: Browser, started: Started, options: TabOptions): Promise<ConsoleTab> {
  const { width = 1280, isDark = false, language = 'en-GB', isSignedIn = true } = options;
  const url = started.url!;
  const context = await browser.newContext({
    viewport: { width, height: width < 720 ? 844 : 800 },
    colorScheme: isDark ? 'dark' : 'light',
    locale: language,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  // Shows which tests depend on the speed of the machine.
  const rate = Number(process.env.FACTEUR_SLOW_TABS ?? 1);
  if (rate > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate });
  const faults: string[] = [];
  let bytes = 0;
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A browser writes each refused request; tests of refusals look at what the user sees.
    const isRefusal = /Failed to load resource.* 4\d\d /.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal) faults.push(message.text());
  });
  page.on('request', (request) => {
    const address = new URL(request.url());
    if (/^https?:$/.test(address.protocol) && address.origin !== url) faults.push(`foreign: ${address}`);
  });
  page.on('requestfinished', (request) => {
    void request.sizes().then(
      ({ responseBodySize }) => {
        bytes += responseBodySize;
      },
      // The tab was closed first.
      () => undefined,
    );
  });
  if (TestRunner.getCurrentTest()) onTestFailed(() => describeFailure(page, faults));
  if (isSignedIn) await signIn(page, started);
  return {
    page,
    context,
    faults,
    received: () => bytes,
    audit: () => auditPage(page),
    close: () => context.close(),
  };
}

/**
 * Adds what a tab showed to the errors of its failed test: a failure in CI leaves nothing else to look at.
 * @throws an error with the text
 */
async function describeFailure(page: Page, faults: readonly string[]): Promise<void> {
  if (page.isClosed()) return;
  const texts = page
    .frames()
    .map((frame) => frame.locator('body').innerText({ timeout: 5000 }).catch(String));
  const lines = ['Faults:', ...faults, `The tab shows ${page.url()}:`, ...(await Promise.all(texts))];
  // It would go on asking the service during the next test.
  await page.context().close();
  throw new Error(lines.join('\n').replaceAll(/\n\n+/g, '\n'));
}

/** Signs the first administrator in by the form. */
export async function signIn(page: Page, { url, adminEmail, adminPassword }: Started): Promise<void> {
  await page.goto(`${url}/console/`);
  await page.locator('input[name=email]').fill(adminEmail!);
  await page.locator('input[name=password]').fill(adminPassword!);
  await page.locator('button[type=submit]').click();
  await page.waitForURL(/\/console\/demo/);
}

/** Runs axe in a world of its own, so that the policy of the page stays in force. */
async function auditPage(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
  await session.send('Runtime.evaluate', { expression: axe, contextId });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { iframes: false }).then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map((node) =>
        id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary))))`,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(`axe failed: ${exceptionDetails.text}`);
  const fits = await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
  return [
    ...(JSON.parse(result.value as string) as string[]),
    ...(fits ? [] : ['the page is wider than the window']),
  ];
}
