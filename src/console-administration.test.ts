import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { DnsServer } from './testing/dns-server.ts';
import { freePort } from './testing/free-port.ts';
import { smtpSink } from './testing/smtp-sink.ts';

let t: ConsoleTester;
let dns: DnsServer;

/** Calls an operation with the session of the tab, as the console does. */
const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** Shows a screen in both themes, both widths and both languages, and audits each. */
async function auditEverywhere(path: string, ready: RegExp): Promise<void> {
  const folder = process.env.FACTEUR_SCREENSHOTS;
  for (const [width, isDark, language] of [
    [1280, false, 'en-GB'],
    [1280, true, 'fr-FR'],
    [390, true, 'en-GB'],
    [390, false, 'fr-FR'],
  ] as const) {
    const tab = await t.open({ width, isDark, language });
    await tab.page.goto(`${t.url}/console/demo/${path}`);
    await tab.page.getByText(ready).first().waitFor();
    const name = `${path.replaceAll('/', '-')}-${width}-${isDark ? 'dark' : 'light'}.png`;
    if (folder) await tab.page.screenshot({ path: `${folder}/${name}`, fullPage: true });
    expect([path, width, language, ...(await tab.audit())]).toEqual([path, width, language]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  }
}

const dialog = (page: Page) => page.getByRole('dialog');

/** Chooses an action of a row. */
async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions: ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

describeWith('chromium', 'administration', () => {
  beforeAll(async () => {
    dns = await DnsServer.start();
    t = await openConsole({ FACTEUR_DNS_SERVERS: dns.dnsServers.join() });
  }, 120_000);
  afterAll(async () => {
    await t?.close();
    await dns?.close();
  });

  it('shows what the DNS has for a domain, and checks it again', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const key = await call<{ dnsName: string; dnsText: string }>(
      tab,
      'POST',
      '/admin/v1/sites/demo/sending-domains',
      { domain: 'shop.example' },
    );
    const other = '<img src=x onerror=alert(1)>';
    dns.zone[key.dnsName] = { txt: [`v=DKIM1; p=${other}`] };
    dns.zone['_dmarc.shop.example'] = 'failing';
    await page.goto(`${t.url}/console/demo/settings/domains`);
    await page.getByText('Different. It holds another key. Replace it.').waitFor();
    await page.getByText(`v=DKIM1; p=${other}`).waitFor();
    await page.getByText('No answer. The DNS does not answer. Check again later.').waitFor();
    await page
      .getByText(/^Missing\. The public address \S+ is not a domain name\./)
      .first()
      .waitFor();
    expect(await tab.audit()).toEqual([]);
    dns.zone[key.dnsName] = { txt: [key.dnsText] };
    dns.zone['_dmarc.shop.example'] = { txt: ['v=DMARC1; p=none'] };
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect.poll(() => page.getByText('Right. Receivers find what they need.').count(), soon).toBe(2);
    await expect.poll(() => page.getByText(other).count(), soon).toBe(0);
    // A name that was typed is part of the next check, and what it refuses is said.
    await page.getByLabel('SPF name of your relay').fill('not a name');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(/include: must be the name of an SPF record/).waitFor();
    await auditEverywhere('settings/domains', /Right\. |Correct\. /);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('sends a test message through a relay, and shows what it replied', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    let isRefusing = true;
    const sink = await smtpSink({
      misdeed: () => (isRefusing ? { rcpt: '550 5.1.1 nobody of that name' } : undefined),
    });
    const relay = { host: '127.0.0.1', tls: 'none' };
    await call(tab, 'POST', '/admin/v1/sites/demo/routes', { ...relay, port: sink.port });
    const closed = await freePort();
    await call(tab, 'POST', '/admin/v1/sites/demo/routes', { ...relay, port: closed, position: 2 });
    await page.goto(`${t.url}/console/demo/settings/relays`);
    await choose(page, `127.0.0.1:${sink.port}`, 'Send a test message');
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('Type the address of the recipient.').waitFor();
    await page.getByLabel('Recipient').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('The relay rejects the recipient.').waitFor();
    await page.getByText('550 5.1.1 nobody of that name').waitFor();
    expect(await tab.audit()).toEqual([]);
    isRefusing = false;
    await page.getByLabel('Sender').fill('news@shop.example');
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('The relay accepted the message.').waitFor();
    await page.getByText('The connection is not encrypted.').waitFor();
    expect(sink.messages.map((message) => message.to)).toEqual(['ada@example.com']);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await choose(page, `127.0.0.1:${closed}`, 'Send a test message');
    await page.getByLabel('Recipient').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send it' }).click();
    await page.getByText('The relay cannot be reached.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
    await sink.close();
  });

  it('lists who changed what, by user, act, site and time, with earlier pages', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await call(tab, 'POST', '/admin/v1/sites', { name: 'garden' });
    const lou = await call<{ id: number }>(tab, 'POST', '/admin/v1/users', {
      name: '<b>Lou</b>',
      email: 'lou@shop.example',
      sites: [{ name: 'garden', role: 'editor' }],
    });
    type Made = { token: string };
    const { token } = await call<Made>(tab, 'POST', '/admin/v1/tokens', {
      idUser: lou.id,
      role: 'editor',
      sites: ['garden'],
    });
    const asLou = (path: string, data: object) =>
      page.request.post(`${t.url}${path}`, { headers: { authorization: `Bearer ${token}` }, data });
    for (let i = 0; i < 120; i++)
      await asLou('/v1/garden/thematics', { name: `Thematic ${i}`, description: '' });
    // Refused: an editor does not send.
    await asLou('/v1/garden/campaigns/stop', {});
    await page.goto(`${t.url}/console/demo/settings/audit`);
    const rows = page.locator('tbody tr');
    await page.getByText('stopped a campaign').last().waitFor();
    expect(await rows.count()).toBe(100);
    const refused = await rows.first().innerText();
    expect(refused).toMatch(
      /<b>Lou<\/b>, without effect: stopped a campaign[\s\S]*by token \d+, from 127\.0\.0\.1/,
    );
    expect(refused).toMatch(/garden[\s\S]*Refused \(403\)/);
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Show earlier ones' }).click();
    await expect.poll(() => rows.count(), soon).toBeGreaterThan(120);
    await page.getByRole('button', { name: 'Show earlier ones' }).waitFor({ state: 'detached' });
    await page.getByLabel('What', { exact: true }).selectOption('createSite');
    await expect.poll(() => rows.allInnerTexts(), soon).toEqual([expect.stringContaining('created a site')]);
    await page.getByLabel('Who', { exact: true }).selectOption({ label: '<b>Lou</b>' });
    await page.getByText('No entry matches these filters.').waitFor();
    await page.getByLabel('What', { exact: true }).selectOption('');
    await expect.poll(() => rows.count(), soon).toBe(100);
    await page.getByLabel('Site', { exact: true }).selectOption('demo');
    await page.getByText('No entry matches these filters.').waitFor();
    await page.getByLabel('Who', { exact: true }).selectOption('');
    await page.getByLabel('When', { exact: true }).selectOption('1');
    await rows.filter({ hasText: 'added a relay' }).first().waitFor();
    // The filters are in the address, so that they stay.
    await page.reload();
    await rows.filter({ hasText: 'added a relay' }).first().waitFor();
    await expect.poll(() => page.getByLabel('When', { exact: true }).inputValue(), soon).toBe('1');
    await auditEverywhere('settings/audit', /by token \d|par le jeton \d/);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
