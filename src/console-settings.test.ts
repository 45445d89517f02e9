import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { noisePicture } from './testing/noise-picture.ts';
import { SftpElsewhere } from './testing/sftp-elsewhere.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp;';
const long = `Gardeners ${'and their neighbours '.repeat(11)}`.trim();
const rightToLeft = 'بستانيون في باريس';

let t: ConsoleTester;

/** Calls an operation with the session of the tab, as the console does. */
const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** Shows screens in both themes, both widths and both languages, and audits each. */
async function auditEverywhere(screens: Readonly<Record<string, RegExp | string>>): Promise<void> {
  for (const [width, language] of [
    [1280, 'en-GB'],
    [390, 'fr-FR'],
  ] as const) {
    const tab = await t.open({ width, language });
    for (const [path, ready] of Object.entries(screens)) {
      await tab.page.goto(`${t.url}/console/demo/${path}`);
      await tab.page.getByText(ready).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.page.emulateMedia({ colorScheme });
        await picture(tab, `${path.replaceAll('/', '-')}-${width}-${colorScheme}`);
        expect([path, width, colorScheme, ...(await tab.audit())]).toEqual([path, width, colorScheme]);
      }
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  }
}

/** The drawer or dialog that is open. */
const dialog = (page: Page) => page.getByRole('dialog');

/** Chooses an action of a row. */
async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions: ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Drops a file on the pictures, as a user does. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name, { type: 'image/png' }));
      return transfer;
    })(${JSON.stringify([name, bytes.toString('base64')])})`,
  );
  for (const type of ['dragover', 'drop'])
    await page.dispatchEvent('.drop-zone', type, { dataTransfer: transfer });
}

describeWith('chromium', 'settings and library', () => {
  beforeAll(async () => {
    t = await openConsole({ FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8' });
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it('adds fields of a type and renames one', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    type Field = { id: number; name: string; fieldType: string; length: number | null; list: unknown };
    const own = async () => (await call<Field[]>(tab, 'GET', '/v1/demo/fields')).filter(({ id }) => id > 100);
    await page.goto(`${t.url}/console/demo/settings`);
    await page.getByText('0 of 50 own fields, 50 left.').waitFor();
    await page.getByRole('button', { name: 'New field' }).click();
    await page.getByRole('button', { name: 'Create the field' }).click();
    await page.getByText('Give the field a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Town');
    await page.getByLabel('Longest text').fill('80');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the field' }).click();
    await page.getByText('The field “Town” is saved.').waitFor();
    // A message does not lie over the account.
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menu').waitFor();
    await picture(tab, 'toast-and-account');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New field' }).click();
    // A name that another field has is announced before, and remains possible.
    const warning = dialog(page).getByText('A field is already called');
    await page.getByLabel('Name', { exact: true }).fill(' tówn');
    await expect.poll(() => warning.textContent(), soon).toMatch(/“Town” \(number \d+\)/);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'field-of-a-taken-name');
    await page.getByLabel('Name', { exact: true }).fill('EMAIL');
    await expect.poll(() => warning.textContent(), soon).toContain('“Email” (number 1)');
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    await warning.waitFor({ state: 'detached' });
    await page.getByLabel('Type').selectOption('List');
    await page.getByLabel('Value 1', { exact: true }).fill('Small');
    await page.getByRole('button', { name: 'Add a value' }).click();
    await page.getByLabel('Value 2', { exact: true }).fill(rightToLeft);
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the field' }).click();
    await page.getByText('2 of 50 own fields, 48 left.').waitFor();
    await page.getByRole('button', { name: 'Change Town' }).click();
    // Its own name is no other's.
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue(), soon).toBe('Town');
    expect(await warning.count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill(long);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Change ${long}` }).waitFor();
    expect(await own()).toMatchObject([
      { name: long, fieldType: 'Text', length: 80 },
      {
        name: hostile,
        fieldType: 'List',
        list: [
          { key: 1, value: 'Small' },
          { key: 2, value: rightToLeft },
        ],
      },
    ]);
    // The search finds fields of the site and of the system, by a part of the name or by the number.
    await page.getByRole('searchbox').fill('44');
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBe(1);
    await page.getByRole('cell', { name: 'Delivery' }).waitFor();
    await page.getByRole('searchbox').fill('onERROR');
    await page.getByRole('button', { name: `Change ${hostile}` }).waitFor();
    await page.getByRole('heading', { name: 'System fields' }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: `Change ${long}` }).waitFor();
    // What the service refuses is said in the form, which keeps what was typed.
    await page.getByRole('button', { name: 'New field' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Novel');
    await page.getByLabel('Longest text').fill('99999');
    await page.getByRole('button', { name: 'Create the field' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue(), soon).toBe('Novel');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('adds a sending configuration, and duplicates, archives and restores it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/settings/senders`);
    await page.getByRole('heading', { name: 'No sending configuration yet' }).waitFor();
    await page.getByRole('button', { name: 'New configuration' }).click();
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    await page.getByLabel('Sender’s name', { exact: true }).fill(rightToLeft);
    await page.getByLabel('Sender’s address').fill('news@shop.example');
    await page.getByText('Header and footer').click();
    await page.getByLabel('Footer, plain text').fill('Unsubscribe: [[LINK.UNSUB]]');
    await page.getByText('Pages that readers see').click();
    await page.getByLabel('Colour of the pages').fill('blue');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the configuration' }).click();
    const colour = page.getByLabel('Colour of the pages');
    await dialog(page).getByRole('alert').waitFor();
    expect(await colour.getAttribute('aria-invalid')).toBe('true');
    await colour.fill('#2f54c9');
    await page.getByRole('button', { name: 'Create the configuration' }).click();
    await page.getByText('news@shop.example').first().waitFor();
    type Listed = {
      items: { config: { name: string; isArchive: boolean; footerTxt: string }; isFavourite: boolean }[];
    };
    const all = async () =>
      (
        await call<Listed>(
          tab,
          'GET',
          '/v1/demo/sending-configurations?filter.sortBy=Id&filter.order=ASC&filter.location=All',
        )
      ).items;
    expect((await all())[0]).toMatchObject({
      config: {
        name: hostile,
        senderAlias: rightToLeft,
        responseEMail: 'news@shop.example',
        footerTxt: 'Unsubscribe: [[LINK.UNSUB]]',
        pageColor: '#2f54c9',
        deleteEmailsAfter: null,
      },
    });
    await page.getByRole('button', { name: `Make “${hostile}” a favourite` }).click();
    await page.getByRole('button', { name: `“${hostile}” is a favourite` }).waitFor();
    await choose(page, hostile, 'Duplicate');
    await expect.poll(async () => (await all()).length, soon).toBe(2);
    const copy = (await all())[1]!.config.name;
    await choose(page, copy, 'Archive');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: `Actions: ${copy}`, exact: true }).waitFor();
    await choose(page, copy, 'Archive');
    await expect.poll(async () => (await all()).length, soon).toBe(1);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await choose(page, copy, 'Take out of the archive');
    await expect.poll(async () => (await all()).length, soon).toBe(2);
    await page.goto(`${t.url}/console/demo/settings/senders?search=sping`);
    await page.getByText('No configuration is called “sping”.').waitFor();
    // Into a directory, which the list can be limited to.
    await call(tab, 'POST', '/v1/demo/pictures/directories', { name: 'Shops', dirType: 'Config' });
    await page.goto(`${t.url}/console/demo/settings/senders`);
    await choose(page, hostile, 'Directories');
    await dialog(page).getByRole('combobox', { name: 'Directories' }).click();
    await page.getByRole('listbox', { name: 'Directories' }).getByRole('option', { name: 'Shops' }).click();
    await page.keyboard.press('Tab');
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: hostile }).getByText('Shops', { exact: true }).waitFor();
    await picture(tab, 'senders-directories');
    // On a phone, the label is before the address.
    await page.setViewportSize({ width: 390, height: 844 });
    const lead = `getComputedStyle(document.querySelector('td[data-lead]'), '::before').content`;
    expect(await page.evaluate(lead)).toContain('Replies to');
    await page.getByRole('combobox', { name: 'Directory' }).selectOption('Shops');
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBe(1);
    await page.getByRole('button', { name: `Actions: ${hostile}`, exact: true }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows what to publish for a sending domain, and copies it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    type Key = { domain: string; dnsName: string; dnsText: string; dkimAlgorithm: string };
    const keys = () => call<Key[]>(tab, 'GET', '/admin/v1/sites/demo/sending-domains');
    await page.goto(`${t.url}/console/demo/settings/domains`);
    await page.getByRole('button', { name: 'New domain' }).click();
    await page.getByLabel('Domain of the sender’s address').fill('not a domain');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await dialog(page)
      .getByText(/must be the name of a domain/)
      .waitFor();
    await page.getByLabel('Domain of the sender’s address').fill('shop.example');
    // The rare fields open when one of them is wrong.
    const selector = dialog(page).locator('[data-property=selector]');
    await dialog(page).getByText('More', { exact: true }).click();
    await selector.fill('no selector');
    await dialog(page).getByText('More', { exact: true }).click();
    await selector.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create the key' }).click();
    await selector.and(page.locator('[aria-invalid=true]:focus')).waitFor();
    await selector.fill('');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Messages are signed').waitFor();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy: DKIM, Value' }).click();
    await page.getByText('Copied').waitFor();
    expect(await copied()).toBe((await keys())[0]!.dnsText);
    await page.getByLabel('SPF name of your relay').fill('spf.relay.example');
    await page.getByRole('button', { name: 'Copy: SPF, Value' }).click();
    await expect.poll(copied, soon).toBe('v=spf1 include:spf.relay.example -all');
    await page.getByRole('button', { name: 'Copy: DMARC, Name (TXT)' }).click();
    await expect.poll(copied, soon).toBe('_dmarc.shop.example');
    await page.getByRole('button', { name: 'Add an Ed25519 key' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('DKIM Ed25519').waitFor();
    await auditEverywhere({ 'settings/domains': 'shop.example' });
    await page.getByRole('searchbox').fill('garden');
    await page.getByRole('heading', { name: 'Nothing here has “garden”.' }).waitFor();
    await page.getByRole('searchbox').fill('Shop');
    await page.getByRole('region', { name: 'shop.example' }).waitFor();
    await page.getByRole('button', { name: 'Remove this key' }).last().click();
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Remove this key' }).click();
    await page.getByText('DKIM Ed25519').waitFor({ state: 'detached' });
    expect(await keys()).toMatchObject([{ domain: 'shop.example', dkimAlgorithm: 'rsa-sha256' }]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('adds a relay with limits and a webhook, and keeps its password', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const relays = () => call<unknown[]>(tab, 'GET', '/admin/v1/sites/demo/routes');
    await page.goto(`${t.url}/console/demo/settings/relays`);
    await page.getByRole('heading', { name: 'No relay yet' }).waitFor();
    await page.getByRole('button', { name: 'New relay' }).click();
    await page.getByLabel('Host').fill('smtp.relay.example');
    await page.getByLabel('User', { exact: true }).fill('shop');
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.getByText('Limits and order').click();
    await page.getByLabel('Most messages an hour').fill('20000');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Add the relay' }).click();
    const address = 'smtp.relay.example:587';
    await page.getByText('For all messages').waitFor();
    await choose(page, address, 'Change');
    await page.getByLabel('Port').fill('465');
    await page.getByLabel('Encryption').selectOption('tls');
    await page.getByRole('button', { name: 'Save' }).click();
    const changed = 'smtp.relay.example:465';
    await choose(page, changed, 'Set up a webhook');
    await page.getByLabel('Provider').selectOption('postmark');
    await page.getByLabel('Secret', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog(page)
      .getByText(/16 to 128/)
      .last()
      .waitFor();
    await page.getByLabel('Secret', { exact: true }).fill('k3uV9wQ2xS7yB4nM');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Address to enter at Postmark').waitFor();
    expect(await relays()).toMatchObject([
      {
        host: 'smtp.relay.example',
        port: 465,
        tls: 'tls',
        username: 'shop',
        hasPassword: true,
        messagesPerHour: 20_000,
        webhook: { provider: 'postmark' },
      },
    ]);
    await auditEverywhere({ 'settings/relays': changed });
    await page.goto(`${t.url}/console/demo/settings/relays?search=sping`);
    await page.getByRole('heading', { name: 'Nothing here has “sping”.' }).waitFor();
    await page.getByRole('searchbox').fill('RELAY.ex');
    await page.getByRole('button', { name: `Actions: ${changed}`, exact: true }).waitFor();
    await choose(page, changed, 'Remove the webhook');
    await dialog(page).getByRole('button', { name: 'Remove the webhook' }).click();
    await page.getByText('Address to enter at Postmark').waitFor({ state: 'detached' });
    await choose(page, changed, 'Remove the relay');
    await dialog(page).getByText('It is the only one').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove the relay' }).click();
    await page.getByRole('heading', { name: 'No relay yet' }).waitFor();
    expect(await relays()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('adds a user with a right on a site, and disables and enables them', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    type User = { id: number; name: string; isDisabled: boolean; isAdministrator: boolean; sites: unknown };
    const newest = async () => (await call<User[]>(tab, 'GET', '/admin/v1/users')).at(-1)!;
    await page.goto(`${t.url}/console/demo/settings/users`);
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    await page.getByLabel('Email address').fill('hostile@shop.example');
    await page.getByLabel('Password', { exact: true }).fill('too short');
    await page.getByLabel('Add a site…').selectOption('demo');
    await page.getByLabel('Right on demo', { exact: true }).selectOption('reader');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Add the user' }).click();
    await page.getByText('The password needs 12 characters or more.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('a password that is long');
    await page.getByRole('button', { name: 'Add the user' }).click();
    await page.getByText('hostile@shop.example').waitFor();
    expect(await newest()).toMatchObject({
      name: hostile,
      isAdministrator: false,
      sites: [{ name: 'demo', role: 'reader' }],
    });
    await auditEverywhere({ 'settings/users': 'hostile@shop.example' });
    const rows = page.locator('tbody tr');
    await page.getByRole('searchbox').fill('HOSTILE@');
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.getByRole('searchbox').fill('sping');
    await page.getByRole('heading', { name: 'Nothing here has “sping”.' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect
      .poll(() => rows.count(), soon)
      .toBe((await call<User[]>(tab, 'GET', '/admin/v1/users')).length);
    await choose(page, hostile, 'Change');
    await page.getByLabel('Right on demo', { exact: true }).selectOption('sender');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(newest, soon).toMatchObject({ sites: [{ name: 'demo', role: 'sender' }] });
    await choose(page, hostile, 'Disable');
    await page.locator(':focus', { hasText: 'Cancel' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect((await newest()).isDisabled).toBe(true);
    await choose(page, hostile, 'Enable');
    await expect.poll(async () => (await newest()).isDisabled, soon).toBe(false);
    // Users cannot disable themselves, nor give up the administration.
    await page.getByRole('button', { name: 'Actions: Administrator', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Change' }).waitFor();
    await expect.poll(() => page.getByRole('menuitem', { name: 'Disable' }).count(), soon).toBe(0);
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await expect
      .poll(() => page.getByRole('switch', { name: 'Administrator' }).isDisabled(), soon)
      .toBe(true);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows a new token once, and revokes it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/settings/tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('What it is for').fill(hostile);
    await page.getByLabel('Right').selectOption('reader');
    await page.getByLabel('Last day').fill('2040-07-02');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the token' }).click();
    await page.getByText('It is shown only now.').waitFor();
    expect(await tab.audit()).toEqual([]);
    const token = await dialog(page).locator('code').innerText();
    const status = async () =>
      (await fetch(`${t.url}/v1/demo/fields`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('Valid until Mon 2 Jul 2040').waitFor();
    await page.reload();
    await page.getByText('Valid until Mon 2 Jul 2040').waitFor();
    expect(await page.content()).not.toContain(token);
    await auditEverywhere({ 'settings/tokens': hostile });
    await page.goto(`${t.url}/console/demo/settings/tokens?search=sping`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: `Revoke: ${hostile}` }).waitFor();
    await page.getByRole('button', { name: `Revoke: ${hostile}` }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^Revoked/).waitFor();
    await expect.poll(status, soon).toBe(401);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('renews the SFTP password, shown once, and keeps SSH keys', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    type Account = { password: string; publicKeys: string[] };
    const account = () => call<Account>(tab, 'GET', '/admin/v1/sites/demo/sftp-account');
    const before = await account();
    await page.goto(`${t.url}/console/demo/settings/sftp`);
    await page.getByText(String(t.started.sftpPort)).waitFor();
    await page.getByRole('button', { name: 'Renew the password' }).click();
    await dialog(page).getByRole('button', { name: 'Renew the password' }).click();
    const shown = dialog(page).locator('code');
    await shown.waitFor();
    const password = await shown.innerText();
    expect(password).toBe((await account()).password);
    expect(password).not.toBe(before.password);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('button', { name: 'Add a key' }).click();
    const field = page.getByLabel('Public key');
    await field.fill('-----BEGIN OPENSSH PRIVATE KEY-----');
    await dialog(page).getByRole('button', { name: 'Add a key' }).click();
    await page.getByText('This is a private key').waitFor();
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICMhYhxgPcAfa/R85Hfq3Wokz54WIApcH5NVIe6ELpTS';
    await field.fill(`${key.slice(0, 40)}\n${key.slice(40)} ${hostile}`);
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Add a key' }).click();
    const remove = page.getByRole('button', { name: `Remove: ${hostile}` });
    await remove.waitFor();
    expect((await account()).publicKeys).toHaveLength(1);
    await auditEverywhere({ 'settings/sftp': 'ssh-ed25519' });
    await remove.click();
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await remove.waitFor({ state: 'detached' });
    expect((await account()).publicKeys).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'registers a remote repository, tests it, and accepts a key only as its operator gave it',
    patience,
    async () => {
      const elsewhere = await SftpElsewhere.start();
      const tab = await t.open();
      const { page } = tab;
      try {
        await page.goto(`${t.url}/console/demo/settings/repositories`);
        await choose(page, 'This site’s own folder', 'Test');
        await page.getByText('Reading and writing work.').waitFor();
        await page.getByRole('button', { name: 'New repository' }).click();
        await page.getByLabel('Host').fill('127.0.0.1');
        await page.getByLabel('Port').fill(String(elsewhere.port));
        await page.getByLabel('User').fill('us');
        await page.getByLabel('Password', { exact: true }).fill('wrong');
        expect(await tab.audit()).toEqual([]);
        await page.getByRole('button', { name: 'Connect and register' }).click();
        await dialog(page).getByRole('alert').waitFor();
        await page.getByLabel('Password', { exact: true }).fill('secret');
        await page.getByRole('button', { name: 'Connect and register' }).click();
        await page.getByText(elsewhere.fingerprint).first().waitFor();
        const name = `127.0.0.1:${elsewhere.port}`;
        await choose(page, name, 'Make it the default');
        await page.getByText('By default').nth(1).waitFor({ state: 'detached' });
        type Remote = { isDefault: boolean; hostKeyFingerprint: string };
        const remotes = () => call<Remote[]>(tab, 'GET', '/admin/v1/sites/demo/repositories');
        await expect.poll(remotes, soon).toMatchObject([{ isDefault: true }]);
        await elsewhere.changeKey();
        await choose(page, name, 'Test');
        await page.getByText('choose “Accept a new key”').waitFor();
        expect(await tab.audit()).toEqual([]);
        await choose(page, name, 'Accept a new key');
        await page
          .getByLabel('Fingerprint that the operator gave you')
          .fill('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
        await dialog(page).getByRole('button', { name: 'Accept a new key' }).click();
        await dialog(page).getByRole('alert').waitFor();
        await page.getByLabel('Fingerprint that the operator gave you').fill(elsewhere.fingerprint);
        expect(await tab.audit()).toEqual([]);
        await dialog(page).getByRole('button', { name: 'Accept a new key' }).click();
        await expect.poll(remotes, soon).toMatchObject([{ hostKeyFingerprint: elsewhere.fingerprint }]);
        await choose(page, name, 'Test');
        await page.getByText('Reading and writing work.').nth(1).waitFor();
        await auditEverywhere({ 'settings/repositories': name });
        const { id: idTarget } = await call<{ id: number }>(tab, 'POST', '/v1/demo/targets', { name: 'All' });
        await call(tab, 'POST', '/v1/demo/exports', {
          ...{ idTarget, idsFields: ['1'], idsEncodeFields: [], encoding: 'None', typeList: 'VALUE' },
          filename: 'away.csv',
        });
        await page.goto(`${t.url}/console/demo/exports`);
        await page.getByText('On 127.0.0.1: away.csv').waitFor({ timeout: 60_000 });
        // It is not in the folder that the console can download from.
        expect(await page.getByRole('button', { name: 'Download away.csv' }).count()).toBe(0);
        await page.goto(`${t.url}/console/demo/settings/repositories`);
        await choose(page, 'This site’s own folder', 'Make it the default');
        await expect.poll(remotes, soon).toMatchObject([{ isDefault: false }]);
        await choose(page, name, 'Remove the repository');
        await dialog(page).getByRole('button', { name: 'Remove the repository' }).click();
        await expect.poll(remotes, soon).toEqual([]);
        await page.goto(`${t.url}/console/demo/exports`);
        await page.getByText('On a server that is no longer registered: away.csv').waitFor();
        expect(await tab.audit()).toEqual([]);
        // The service says by a 503 that it cannot use the server.
        expect(tab.faults.filter((fault) => !/status of 503/.test(fault))).toEqual([]);
      } finally {
        await tab.close();
        await elsewhere.close();
      }
    },
  );

  it('uploads pictures by drop and by choice, and says which are refused', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const png = await noisePicture(60, 40, 'png');
    type Pictures = { items: { name: string; url: string; filePath: string }[]; totalCount: number };
    const listed = (location: string) =>
      call<Pictures>(
        tab,
        'GET',
        `/v1/demo/pictures?filter.location=${location}&filter.sortBy=Id&filter.order=DESC`,
      );
    await page.goto(`${t.url}/console/demo/library`);
    await page.getByRole('heading', { name: 'No picture yet' }).waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    await page.getByRole('button', { name: 'Create the directory' }).click();
    await page.getByLabel('Folder', { exact: true }).selectOption({ label: hostile });
    await page.getByText('No picture here.').waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'in the folder.png', mimeType: 'image/png', buffer: png },
      { name: 'no picture.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload="alert(1)"/>') },
    ]);
    await page.getByText('Uploaded: 1').waitFor();
    await page.getByText('no picture.png').waitFor();
    await page.getByRole('article', { name: 'in the folder' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    expect((await listed('All')).items[0]).toMatchObject({ filePath: `${hostile}/in the folder.png` });
    await page.getByLabel('Folder', { exact: true }).selectOption('');
    await drop(page, 'dropped.png', await noisePicture(30, 90, 'png'));
    const dropped = page.getByRole('article', { name: 'dropped' });
    await dropped.waitFor();
    // The picture is seen, from this service's own address.
    const width = () => page.evaluate(`document.querySelector('[aria-label=dropped] img').naturalWidth`);
    await expect.poll(width, soon).toBe(30);
    await choose(page, 'dropped', 'Copy the address');
    await page.getByText('The address is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await listed('All')).items[0]!.url);
    await choose(page, 'dropped', 'Rename');
    await page.getByLabel('Name', { exact: true }).fill(rightToLeft);
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('button', { name: `Make ${rightToLeft} a favourite` }).click();
    await page.getByRole('button', { name: `${rightToLeft} is a favourite` }).waitFor();
    expect(await listed('MyFavorites')).toMatchObject({ totalCount: 1, items: [{ name: rightToLeft }] });
    await choose(page, rightToLeft, 'Archive');
    await page.getByText('1 picture', { exact: true }).waitFor();
    expect((await listed('Archives')).totalCount).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 pictures', { exact: true }).waitFor();
    expect((await listed('Archives')).totalCount).toBe(0);
    await page.getByRole('searchbox').fill('sping');
    await page.getByText('No picture here is called “sping”.').waitFor();
    await auditEverywhere({ library: rightToLeft });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('draws and reads only the pictures that are near the screen', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const base64Content = (await noisePicture(8, 8, 'png')).toString('base64');
    const { data: before } = await page.request
      .get(`${t.url}/v1/demo/pictures?filter.sortBy=Id&filter.order=ASC`)
      .then((response) => response.json());
    const total = 320;
    for (let made = before.totalCount; made < total; made += 1)
      await call(tab, 'POST', '/v1/demo/pictures', {
        name: `Many ${made}`,
        fileName: `many-${made}.png`,
        base64Content,
      });
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/demo/pictures?')) reads += 1;
    });
    await page.goto(`${t.url}/console/demo/library`);
    await page.getByText(`${total} pictures`, { exact: true }).waitFor();
    await page.getByRole('article', { name: `Many ${total - 1}` }).waitFor();
    const cells = page.locator('.picture-grid > li');
    expect(await cells.count()).toBeLessThan(40);
    // The first page, and the favourites.
    expect(reads).toBeLessThanOrEqual(2);
    expect(await cells.first().getAttribute('aria-setsize')).toBe(String(total));
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('article', { name: 'in the folder' }).waitFor();
    expect(await cells.last().getAttribute('aria-posinset')).toBe(String(total));
    expect(await cells.count()).toBeLessThan(40);
    // What was scrolled over is not read: of four pages, one in the middle at most.
    expect(reads).toBeLessThanOrEqual(4);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps advertisements with their advertiser, platform, subject and directory', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/library/advertisers`);
    await page.getByRole('button', { name: 'New advertiser' }).click();
    await page.getByLabel('Name', { exact: true }).fill(long);
    await page.getByLabel('Sector').selectOption('Household');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Household').waitFor();
    await page.getByRole('link', { name: 'Affiliation platforms' }).click();
    await page.getByRole('button', { name: 'New platform' }).click();
    await page.getByLabel('Name', { exact: true }).fill(rightToLeft);
    await page.getByLabel('Website').fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Type an address that begins with').waitFor();
    await page.getByLabel('Website').fill('https://platform.example/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://platform.example/').waitFor();
    await page.getByRole('link', { name: 'Thematics' }).click();
    for (const [name, parent] of [
      ['Gardening', '–'],
      [hostile, 'Gardening'],
    ] as const) {
      await page.getByRole('button', { name: 'New thematic' }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Below').selectOption({ label: parent });
      expect(await tab.audit()).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: `Change ${name}` }).waitFor();
    }
    await page.getByRole('link', { name: 'Directories' }).click();
    await page.getByRole('button', { name: 'Advertisements', exact: true }).click();
    for (const [name, parent] of [
      ['2026', 'At the top'],
      [hostile, '2026'],
    ] as const) {
      await page.getByRole('button', { name: 'New directory' }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Inside of').selectOption({ label: parent });
      await page.getByRole('button', { name: 'Create the directory' }).click();
      await page.getByText(`“${name}” is saved.`).waitFor();
    }
    // All of them are found, page by page; what a search finds says where it is.
    for (let made = 1; made <= 60; made += 1)
      await call(tab, 'POST', '/v1/demo/pictures/directories', {
        ...{ name: `Links ${String(made).padStart(2, '0')}`, dirType: 'Link', idParent: null },
      });
    await page.getByRole('button', { name: 'Links', exact: true }).click();
    await page.getByText('1 to 50 of 60').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Links 60').waitFor();
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBe(10);
    await page.goto(`${t.url}/console/demo/library/directories?part=Link&page=9`);
    await page.getByText('51 to 60 of 60').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('page'), soon).toBe('2');
    await page.goto(`${t.url}/console/demo/library/directories?part=Pub&search=onerror`);
    await page.getByText(`2026 / ${hostile}`).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('searchbox').fill('');
    await choose(page, '2026', 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    // It holds another one, so it is kept.
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Advertisements' }).click();
    await page.getByRole('button', { name: 'New advertisement' }).click();
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    const html = `<p onclick="alert(1)">A spade${hostile}</p><img src="https://evil.example/a.png">`;
    await page.getByLabel('HTML').fill(html);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.frameLocator('iframe').getByText('A spade').waitFor();
    await page.getByLabel('Advertiser', { exact: true }).selectOption({ label: long });
    await page.getByLabel('Affiliation platform', { exact: true }).selectOption({ label: rightToLeft });
    await page.getByRole('combobox', { name: 'Thematics' }).click();
    await page.getByRole('option', { name: hostile }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Directories' }).click();
    await page.getByRole('option', { name: `2026 / ${hostile}` }).click();
    await page.keyboard.press('Tab');
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    // The form closes when its directories are stored too. The toast of the directory says the same sentence.
    await dialog(page).waitFor({ state: 'hidden' });
    type Advertisement = { id: number; html: string; idsThematic: number[] };
    const all = () => call<Advertisement[]>(tab, 'GET', '/v1/demo/advertisements');
    const [stored] = await all();
    expect(stored).toMatchObject({
      name: hostile,
      html,
      idAdvertiser: expect.any(Number),
      idAffiliation: expect.any(Number),
      idsThematic: [expect.any(Number)],
    });
    expect(await call(tab, 'GET', `/v1/demo/advertisements/${stored!.id}/directories`)).toMatchObject([
      { name: hostile },
    ]);
    await choose(page, hostile, 'Archive');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(all, soon).toMatchObject([{ isArchive: false }]);
    await auditEverywhere({
      'library/advertisements': hostile,
      'library/advertisers': 'Gardeners',
      'library/affiliations': rightToLeft,
      'library/thematics': hostile,
      'library/directories': hostile,
    });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('lists content blocks, creates one, changes it and finds it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/library/blocks`);
    await page.getByRole('heading', { name: 'No block yet' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByRole('button', { name: 'Create the first block' }).click();
    const text = page.getByLabel('Text', { exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Key', { exact: true }).fill('[[BLOC.footer]]');
    await text.fill(hostile);
    await save.click();
    await page.getByRole('button', { name: 'footer', exact: true }).click();
    await dialog(page).getByText('[[BLOC.footer]]', { exact: true }).waitFor();
    await dialog(page).getByText(hostile).waitFor();
    await picture(tab, 'block');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    const block = () => call(tab, 'GET', '/v1/demo/content-blocks?contentKey=footer');
    expect(await block()).toMatchObject({ contentValue: hostile });
    await page.getByRole('button', { name: 'Change footer' }).click();
    await text.fill('[[BLOC.footer]]');
    await save.click();
    // A block that contains itself is refused, and what was typed stays.
    await dialog(page).getByRole('alert').waitFor();
    await text.fill(rightToLeft);
    await save.click();
    await expect.poll(block, soon).toMatchObject({ contentValue: rightToLeft });
    await dialog(page).waitFor({ state: 'hidden' });
    // A new block never replaces another one.
    await page.getByRole('button', { name: 'New block' }).click();
    await save.click();
    await page.getByText('Type the key of the block.').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('FOOTER');
    await text.fill('Mine');
    await save.click();
    await page.getByText('There is already a block “footer”.').waitFor();
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    for (let made = 1; made <= 60; made += 1)
      await call(tab, 'PUT', '/v1/demo/content-blocks', {
        ...{ contentKey: `Text ${String(made).padStart(2, '0')}`, contentValue: 'x'.repeat(made * 100) },
      });
    await page.reload();
    await page.getByText('1 to 50 of 61').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(() => page.locator('tbody tr').last().innerText(), soon).toMatch(/^Text 60\s+6 kB/);
    await auditEverywhere({ 'library/blocks': 'footer' });
    // A page behind the last one, whose rows are deleted.
    await page.goto(`${t.url}/console/demo/library/blocks?page=9`);
    await page.getByText('51 to 61 of 61').waitFor();
    await expect.poll(() => new URL(page.url()).search, soon).toBe('?page=2');
    await page.getByRole('searchbox').fill('[[BLOC.foot');
    await page.getByText('No block has “[[BLOC.foot” in its key.').waitFor();
    await page.getByRole('searchbox').fill('[[BLOC.Foot]]');
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBe(1);
    expect(new URL(page.url()).searchParams.get('search')).toBe('[[BLOC.Foot]]');
    // A block is deleted after the contents that show it were named.
    await call(tab, 'PUT', '/v1/demo/content-blocks', {
      ...{ contentKey: `Text ${rightToLeft}`, contentValue: '[[BLOC.Footer]]' },
    });
    const { id } = await call<{ id: number }>(tab, 'POST', '/v1/demo/campaigns', {
      ...{ parameters: { name: hostile, subject: 'x' }, htmlContent: '<p>[[BLOC.footer]]</p>' },
    });
    await page.getByRole('button', { name: 'footer', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    const deletion = page.getByRole('dialog', { name: 'Delete the block “footer”?' });
    const shown = deletion.getByRole('listitem');
    await shown.nth(1).waitFor();
    expect(await shown.allInnerTexts()).toEqual([`Campaign ${hostile}`, `Block Text ${rightToLeft}`]);
    expect(await shown.getByRole('link').getAttribute('href')).toMatch(new RegExp(`/campaigns/${id}$`));
    await picture(tab, 'block-deletion');
    expect(await tab.audit()).toEqual([]);
    await deletion.getByRole('button', { name: 'Cancel' }).click();
    await deletion.waitFor({ state: 'hidden' });
    await page.getByRole('searchbox').fill('text 01');
    await page.getByRole('button', { name: 'Text 01', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('No content of the site shows it.').waitFor();
    // A content that comes to show it is named by the service.
    await call(tab, 'PUT', '/v1/demo/content-blocks', {
      contentKey: 'Text late',
      contentValue: '[[BLOC.Text 01]]',
    });
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('alert').getByText('content block Text late').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('The block “Text 01” is deleted.').waitFor();
    await page.getByText('No block has “text 01” in its key.').waitFor();
    await page.getByRole('searchbox').fill('footer');
    await page.getByRole('button', { name: 'Change footer' }).waitFor();
    await page.route(/\/content-blocks/, (route) =>
      route.fulfill({
        status: 403,
        json: { success: false, error: 'Refused for the test', code: 'forbidden' },
      }),
    );
    await page.getByRole('button', { name: 'Change footer' }).click();
    await page.getByText(/Refused for the test/).waitFor();
    await page.reload();
    await page.locator('.empty[role=alert]').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('stores content data, lists them and replaces their rows', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/library/data`);
    await page.getByRole('heading', { name: 'No content data yet' }).waitFor();
    await page.getByRole('button', { name: 'Upload the first file' }).click();
    const key = page.getByLabel('Key', { exact: true });
    const store = page.getByRole('button', { name: 'Store the data' });
    const take = async (text: string) => {
      const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('prices.csv').waitFor();
    };
    await store.click();
    await page.getByText('Type a key.').waitFor();
    await key.fill('prices');
    await store.click();
    await dialog(page).getByText('Choose a file.').waitFor();
    await take('75001;12 euros\n69001;10 euros\n');
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'new-data');
    await store.click();
    const row = page.locator('tbody tr', { hasText: 'prices' });
    await expect.poll(() => row.innerText(), soon).toMatch(/^prices\s+2\s/);
    await page.getByRole('button', { name: 'prices', exact: true }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('40');
    await page.getByText('[[DATA.prices.fld40]]', { exact: true }).waitFor();
    await picture(tab, 'data');
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    // A file that cannot be used changes nothing.
    await page.getByRole('button', { name: 'Change prices' }).click();
    await take('75001;12;euros\n');
    await store.click();
    await dialog(page).getByRole('alert').waitFor();
    await take('75001;13 euros\n');
    await store.click();
    await expect.poll(() => row.innerText(), soon).toMatch(/^prices\s+1\s/);
    await page.getByRole('button', { name: 'New data' }).click();
    await key.fill('PRICES');
    await take('75001;14 euros\n');
    await store.click();
    await page.getByText('There are already data “PRICES”.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    // The rows are texts, on pages, and one is found by its value.
    await page.getByRole('button', { name: 'Change prices' }).click();
    const numbers = Array.from({ length: 60 }, (_, index) => 10 + index);
    const lines = [
      ...numbers.map((number) => `v${number}|${number} euros`),
      `A|${hostile}`,
      `b|${'x'.repeat(1_500)}`,
    ];
    await take(`${lines.join('\n')}\n`);
    await page.getByLabel('Separator').fill('|');
    await store.click();
    await expect.poll(() => row.innerText(), soon).toMatch(/^prices\s+62\s/);
    await page.getByRole('button', { name: 'prices', exact: true }).click();
    const rows = dialog(page).locator('tbody tr');
    await expect.poll(() => rows.count(), soon).toBe(50);
    expect(await rows.first().getByRole('cell').allInnerTexts()).toEqual(['a', hostile]);
    expect(await rows.nth(1).innerText()).toMatch(/^b\s+x{1000}…$/);
    await picture(tab, 'data-rows');
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Next page' }).click();
    await dialog(page).getByText('51 to 62 of 62').waitFor();
    await expect.poll(() => rows.last().innerText(), soon).toMatch(/^v69\s+69 euros$/);
    await dialog(page).getByRole('searchbox').fill('V42');
    await expect.poll(() => rows.allInnerTexts(), soon).toEqual([expect.stringMatching(/^v42\s+42 euros$/)]);
    await dialog(page).getByRole('searchbox').fill('v4');
    await dialog(page).getByText('No row has the value “v4”.').waitFor();
    // Data that a content shows are deleted after a question.
    await call(tab, 'PUT', '/v1/demo/content-blocks', {
      ...{ contentKey: 'Text offer', contentValue: '[[DATA.prices.fld40|none]]' },
    });
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    const deletion = page.getByRole('dialog', { name: 'Delete the data “prices”?' });
    await deletion.getByText('Block Text offer').waitFor();
    await picture(tab, 'data-deletion');
    expect(await tab.audit()).toEqual([]);
    await deletion.getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('The data “prices” are deleted.').waitFor();
    await page.getByRole('heading', { name: 'No content data yet' }).waitFor();
    await page.getByRole('button', { name: 'Upload the first file' }).click();
    await key.fill('prices');
    await take('75001;13 euros\n');
    await store.click();
    await row.waitFor();
    await page.getByRole('searchbox').fill('none');
    await page.getByText('No data have “none” in their key.').waitFor();
    await auditEverywhere({ 'library/data': 'prices' });
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows a reader everything they may see, and no button that would return 403', patience, async () => {
    const admin = await t.open();
    await call(admin, 'POST', '/admin/v1/users', {
      name: 'Lou',
      email: 'lou@shop.example',
      password: 'a password that is long',
      sites: [{ name: 'demo', role: 'reader' }],
    });
    await call(admin, 'PUT', '/v1/demo/content-blocks', { contentKey: 'footer', contentValue: 'Bye' });
    await admin.close();
    const tab = await t.open({ isSignedIn: false });
    const { page } = tab;
    const forbidden: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) forbidden.push(response.url());
    });
    const lou = { adminEmail: 'lou@shop.example', adminPassword: 'a password that is long' };
    await signIn(page, { ...t.started, ...lou });
    /** Every button of the content, except those of the navigation. */
    const buttons = () =>
      page.evaluate<string[]>(
        `[...new Set([...document.querySelectorAll('main button')].map(
          (one) => one.getAttribute('aria-label') ?? one.textContent))]`,
      );
    const screens = {
      'settings/fields': ['System fields', []],
      'settings/senders': ['news@shop.example', ['In use', 'Archive', /favourite/]],
      'settings/site': ['From 10,000 people on', []],
      library: [rightToLeft, ['All', 'Favourites', 'Mine', 'Archive', /favourite/, /^Actions: /]],
      'library/advertisements': [hostile, ['In use', 'Archive']],
      'library/advertisers': ['Household', []],
      'library/affiliations': [rightToLeft, []],
      'library/thematics': ['Gardening', []],
      'library/directories': [
        hostile,
        ['Pictures', 'Campaigns', 'Targets', 'Advertisements', 'Sending configurations', 'Links'],
      ],
      'library/blocks': ['footer', [/^(footer|Text .+)$/, 'Next page']],
      'library/data': ['prices', ['prices']],
    } as const;
    for (const [path, [ready, allowed]] of Object.entries(screens)) {
      const search = path === 'library' ? `?search=${encodeURIComponent(rightToLeft)}` : '';
      await page.goto(`${t.url}/console/demo/${path}${search}`);
      await page.getByText(ready).first().waitFor();
      const unknown = (await buttons()).filter(
        (name) => !allowed.some((one) => (typeof one === 'string' ? one === name : one.test(name))),
      );
      expect([path, unknown]).toEqual([path, []]);
      expect([path, await tab.audit()]).toEqual([path, []]);
    }
    // The last of them has rows to look at, and nothing to delete.
    await page.getByRole('button', { name: 'prices', exact: true }).click();
    await dialog(page).getByRole('cell', { name: '75001' }).waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.goto(`${t.url}/console/demo/settings`);
    const sections = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    await sections.first().waitFor();
    expect(await sections.allInnerTexts()).toEqual(['Fields', 'Sending configurations', 'Site']);
    // A favourite is the reader's own.
    await page.goto(`${t.url}/console/demo/library?search=${encodeURIComponent(rightToLeft)}`);
    await page.getByRole('button', { name: `Make ${rightToLeft} a favourite` }).click();
    await page.getByRole('button', { name: `${rightToLeft} is a favourite` }).waitFor();
    await page.getByRole('button', { name: `Actions: ${rightToLeft}` }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Copy the address',
      'Where it is used',
    ]);
    for (const section of ['domains', 'relays', 'sftp', 'repositories', 'users', 'tokens']) {
      await page.goto(`${t.url}/console/demo/settings/${section}`);
      await page.getByRole('heading', { name: 'No access' }).waitFor();
    }
    expect(forbidden).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'changes from how many people on their number is typed, not over a change of another',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const stored = async () => await call<{ typedConfirmationFrom: number }>(tab, 'GET', '/site');
      const field = dialog(page).getByLabel('Type the number from this many people on');
      const saveNumber = async (text: string) => {
        await field.fill(text);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
      };
      await page.goto(`${t.url}/console/demo/settings/site`);
      await page.getByText('From 10,000 people on').waitFor();
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      for (const wrong of ['-1', 'many', '2147483648']) {
        await saveNumber(wrong);
        await dialog(page)
          .getByText(/^Type a whole number/)
          .waitFor();
        expect(await tab.audit()).toEqual([]);
      }
      await saveNumber('2 500');
      await page.getByText('From 2,500 people on').waitFor();
      expect(await stored()).toMatchObject({ typedConfirmationFrom: 2500 });
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await call(tab, 'PUT', '/site', { typedConfirmationFrom: 7000 });
      await saveNumber('0');
      await dialog(page).getByRole('button', { name: 'Save yours' }).waitFor();
      await dialog(page)
        .getByText(/^Administrator saved this at/)
        .waitFor();
      await picture(tab, 'site-conflict');
      expect(await tab.audit()).toEqual([]);
      expect(await stored()).toMatchObject({ typedConfirmationFrom: 7000 });
      await dialog(page).getByRole('button', { name: 'Save yours' }).click();
      await page.getByText('Never', { exact: true }).waitFor();
      expect(await stored()).toMatchObject({ typedConfirmationFrom: 0 });
      await call(tab, 'PUT', '/site', { typedConfirmationFrom: 10_000 });
      expect(tab.faults).toEqual([]);
      await tab.close();
      await auditEverywhere({ 'settings/site': /10.000/ });
    },
  );

  it('says where the administration is when it has an address of its own', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const away = { success: false, data: null, error: 'Not found', typeName: null };
    await tab.context.route('**/admin/v1/**', (route) => route.fulfill({ status: 404, json: away }));
    for (const section of ['domains', 'relays', 'sftp', 'repositories', 'users', 'tokens']) {
      await page.goto(`${t.url}/console/demo/settings/${section}`);
      await page.getByText('This is available on the administration’s address only.').waitFor();
      await expect.poll(() => page.locator('main button').count(), soon).toBe(0);
      expect([section, await tab.audit()]).toEqual([section, []]);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps what was typed into a form over a reload, but no password', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const restored = dialog(page).getByText('Changes that were kept in this browser are shown.');
    const opened = async (button: string) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      await dialog(page).getByLabel('Name', { exact: true }).waitFor();
    };
    await page.goto(`${t.url}/console/demo/settings/users`);
    await opened('New user');
    await page.getByLabel('Name', { exact: true }).fill('Kept Person');
    await page.getByLabel('Email address').fill('kept@shop.example');
    await page.getByLabel('Password', { exact: true }).fill('a password that is long');
    const storage = () => page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
    await expect.poll(storage, soon).toContain('kept@shop.example');
    expect(await storage()).not.toContain('a password that is long');
    await page.reload();
    await opened('New user');
    await restored.waitFor(soon);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept Person');
    expect(await page.getByLabel('Email address').inputValue()).toBe('kept@shop.example');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await picture(tab, 'form-restored');
    expect(await tab.audit()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Discard them' }).click();
    await restored.waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue(), soon).toBe('');
    await expect.poll(storage, soon).not.toContain('kept@shop.example');
    // A form that was closed or saved keeps nothing.
    await page.getByLabel('Name', { exact: true }).fill('Left Person');
    await expect.poll(storage, soon).toContain('Left Person');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    expect(await storage()).not.toContain('Left Person');
    await page.goto(`${t.url}/console/demo/library/advertisements`);
    await opened('New advertisement');
    await page.getByLabel('Name', { exact: true }).fill('Kept spade');
    await page.getByLabel('HTML').fill('<p>A spade</p>');
    await expect.poll(storage, soon).toContain('A spade');
    await page.reload();
    await opened('New advertisement');
    await restored.waitFor(soon);
    expect(await page.getByLabel('HTML').inputValue()).toBe('<p>A spade</p>');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    await page.getByText('Kept spade', { exact: true }).waitFor(soon);
    expect(await storage()).not.toContain('A spade');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows an error of the service at its field, in the language of the reader', patience, async () => {
    const tab = await t.open({ language: 'fr-FR' });
    const { page } = tab;
    /** Sends the form, and waits for the error of the field that has the focus. */
    const refused = async (label: string, button: string, text: RegExp | string) => {
      await dialog(page).getByRole('button', { name: button }).click();
      await dialog(page).getByRole('alert').getByText(text).waitFor(soon);
      const field = page.getByLabel(label, { exact: true });
      await expect.poll(() => field.getAttribute('aria-invalid'), soon).toBe('true');
      await field.and(page.locator(':focus')).waitFor(soon);
    };
    await page.goto(`${t.url}/console/demo/settings`);
    await page.getByRole('button', { name: 'Nouveau champ' }).click();
    const [name, length] = ['Nom', 'Texte le plus long, en caractères'].map((label) =>
      page.getByLabel(label, { exact: true }),
    );
    await refused('Nom', 'Créer le champ', 'Donnez un nom au champ.');
    await name!.fill('Pointure');
    await length!.fill('99999');
    await refused('Texte le plus long, en caractères', 'Créer le champ', /^Au plus 10\s000\.$/);
    await picture(tab, 'form-error');
    expect(await tab.audit()).toEqual([]);
    await length!.fill('10');
    await dialog(page).getByRole('alert').waitFor({ state: 'hidden' });
    await dialog(page).getByRole('button', { name: 'Annuler' }).click();
    await page.goto(`${t.url}/console/demo/settings/users`);
    await page.getByRole('button', { name: 'Nouvel utilisateur' }).click();
    await name!.fill('Une autre');
    await page.getByLabel('Adresse e-mail', { exact: true }).fill('twice@shop');
    await refused('Adresse e-mail', 'Ajouter l’utilisateur', 'Ce n’est pas une adresse e-mail.');
    const email = 'twice@shop.example';
    await call(tab, 'POST', '/admin/v1/users', { name: 'Twice', email, isAdministrator: false, sites: [] });
    await page.getByLabel('Adresse e-mail', { exact: true }).fill(email);
    await refused('Adresse e-mail', 'Ajouter l’utilisateur', 'Cela existe déjà.');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('goes through fields and forms by the keyboard alone', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press(',');
    await page.getByRole('heading', { name: 'Fields', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New field' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await page.getByText('The field “By keys” is saved.').waitFor();
    // The focus is back where it came from.
    await page.locator(':focus', { hasText: 'New field' }).waitFor();
    await page.goto(`${t.url}/console/demo/settings/users`);
    await choose(page, 'Administrator', 'Change');
    await page.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[aria-label="Actions: Administrator"]:focus').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Pictures', level: 1 }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
