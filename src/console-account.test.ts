import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AccountsProvider,
  accountsProvider,
  type ProviderAccount,
} from './testing/accounts-provider.ts';
import { type ConsoleTab, type ConsoleTester, openConsole, signIn } from './testing/console.ts';
import { patience, picture } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/until.ts';

const english = {
  language: 'en-GB',
  use: 'Use a passkey',
  account: /^(More|Account of .*)$/,
  passkeys: 'Passkeys',
  unused: /^Not used since/,
  add: 'Add a passkey',
  name: 'Name of the device',
  cancel: 'Cancel',
  remove: /^Remove: /,
  removed: /^Remove the passkey/,
  campaigns: 'Campaigns',
} as const;
const french = {
  language: 'fr-FR',
  use: 'Utiliser une clé d’accès',
  account: /^(Plus|Compte de .*)$/,
  passkeys: 'Clés d’accès',
  unused: /^Pas utilisée depuis/,
  add: 'Ajouter une clé d’accès',
  name: 'Nom de l’appareil',
  cancel: 'Annuler',
  remove: /^Retirer: /,
  removed: /^Retirer la clé d’accès/,
  campaigns: 'Campagnes',
} as const;
const looks = [
  [1280, false, english],
  [1280, true, french],
  [390, true, english],
  [390, false, french],
] as const;

const refusal = { success: false, data: null, error: 'It is not kept.', typeName: null };

let t: ConsoleTester;
let provider: AccountsProvider;
const accounts: Record<string, ProviderAccount> = {};

/** A device with passkeys, whose user agrees to everything. */
interface Device {
  readonly session: CDPSession;
  readonly id: string;
  /** Whether its user answers, so that a test sees what waits. */
  answers(does: boolean): Promise<void>;
  /** Puts the passkeys of another device on this one. */
  take(other: Device): Promise<void>;
}

async function addDevice(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    session,
    id,
    async answers(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: id, enabled });
    },
    async take(other) {
      const { credentials } = await other.session.send('WebAuthn.getCredentials', {
        authenticatorId: other.id,
      });
      for (const credential of credentials)
        await session.send('WebAuthn.addCredential', { authenticatorId: id, credential });
    },
  };
}

/** Opens “Passkeys” from the menu of the account. */
async function openPasskeys(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Passkeys' }).click();
  await page.getByRole('dialog').waitFor();
}

/** Adds a passkey of the device for the signed-in user. */
async function addPasskey(page: Page, name: string, password: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name of the device').fill(name);
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Opens a tab whose device has a passkey of the administrator, and which is signed out. */
async function openWithPasskey(name: string): Promise<{ tab: ConsoleTab; device: Device }> {
  const tab = await t.open();
  const device = await addDevice(tab.page);
  await openPasskeys(tab.page);
  await addPasskey(tab.page, name, t.started.adminPassword!);
  await tab.page.getByText(`The passkey “${name}” is added.`).waitFor();
  await device.answers(false);
  await tab.page.keyboard.press('Escape');
  await signOut(tab.page);
  return { tab, device };
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/console\/sign-in/);
}

/** Ends the session as the service does after its time: the page does not know yet. */
const endSession = ({ page }: ConsoleTab) =>
  page.request.delete(`${t.url}/v1/session`, { headers: { origin: t.url } });

/** Notes what the page asks the browser's passkeys for; a script of the page. */
const recordQuestions = `
  globalThis.asked = [];
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) => {
    asked.push(options);
    return get(options);
  };`;
/** How each question was asked, and whether the page has ended it. */
const questions = 'asked.map(({ mediation, signal }) => [mediation, signal.aborted])';

/** Whether the page has asked so often. Its policy forbids the evaluation that `waitForFunction` needs. */
const asked = (page: Page, count: number) => page.evaluate<boolean>(`asked.length === ${count}`);

/** Waits for the screen that the user sees after the sign-in. */
const isAt = (page: Page, heading: string) =>
  page.getByRole('heading', { name: heading, level: 1 }).waitFor();

/** A font that the pages of the provider name. */
const font = 'https://fonts.googleapis.com/';

/** Faults of a tab except the visits to the provider, which is another host. */
const faultsOf = ({ faults }: ConsoleTab): string[] =>
  faults.filter(
    (fault) => ![`${provider.config.issuer}/`, font].some((start) => fault.startsWith(`foreign: ${start}`)),
  );

/** Fills in the forms of the provider. */
async function signInAtProvider(page: Page, subject: string): Promise<void> {
  await page.locator('input[name=login]').fill(subject);
  await page.locator('input[name=password]').fill('x');
  await page.locator('button[type=submit]').click();
  await page
    .getByText(/Authorize|Continue/)
    .first()
    .waitFor();
  await page.locator('button[type=submit]').click();
}

/** A tab at the sign-in screen, for which the provider's pages load nothing from elsewhere. */
async function openSignIn(path = '/console/demo'): Promise<ConsoleTab> {
  const tab = await t.open({ isSignedIn: false });
  await tab.page.route(`${font}**`, (route) => route.fulfill({ contentType: 'text/css', body: '' }));
  await tab.page.goto(`${t.url}${path}`);
  await tab.page.getByRole('button', { name: 'Continue with Verger accounts' }).waitFor();
  return tab;
}

describeWith('chromium', 'passkeys and company accounts in the console', () => {
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    provider = await accountsProvider(accounts, `${url}/console/oidc`);
    const { issuer, clientId, clientSecret, name } = provider.config;
    t = await openConsole({
      FACTEUR_PORT: String(port),
      FACTEUR_PUBLIC_URL: url,
      FACTEUR_OIDC_ISSUER: issuer,
      FACTEUR_OIDC_CLIENT_ID: clientId,
      FACTEUR_OIDC_CLIENT_SECRET: clientSecret,
      FACTEUR_OIDC_NAME: name,
    });
    accounts.ada = { email: t.started.adminEmail!, isVerified: true };
    accounts.eve = { email: 'eve@elsewhere.example', isVerified: true };
  }, 120_000);
  afterAll(async () => {
    await t?.close();
    await provider?.close();
  });

  it('adds a passkey, signs in with it, shows its last use and removes it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const device = await addDevice(page);
    await openPasskeys(page);
    await page.getByText('You have no passkey yet.').waitFor();
    await addPasskey(page, 'My laptop', 'not the password');
    await page.getByText('The current password is incorrect.').waitFor();
    await page.getByLabel('Current password').fill(t.started.adminPassword!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The passkey “My laptop” is added.').waitFor();
    await page.getByText(/^Not used since it was added/).waitFor();
    await addPasskey(page, 'My laptop again', t.started.adminPassword!);
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await device.answers(false);
    await signOut(page);
    await page.goto(`${t.url}/console/demo/campaigns`);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(await page.getByLabel('Email').getAttribute('autocomplete')).toBe('username webauthn');
    await device.answers(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await isAt(page, 'Campaigns');
    await openPasskeys(page);
    await page.getByText(/^Last used/).waitFor();
    await page.getByRole('button', { name: 'Remove: My laptop' }).click();
    await page.getByText('Remove the passkey “My laptop”?').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('You have no passkey yet.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await device.answers(false);
    await signOut(page);
    // The device still has it, and the service no longer knows it.
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await device.answers(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey signs nobody in here.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('offers passkeys in the email field, until the password is used', patience, async () => {
    const { tab, device } = await openWithPasskey('Field');
    const { page } = tab;
    // The virtual device chooses a passkey of the field by itself: nobody clicks anything.
    await device.answers(true);
    await page.goto(`${t.url}/console/demo/campaigns`);
    await isAt(page, 'Campaigns');
    await device.answers(false);
    await signOut(page);
    await page.addInitScript(recordQuestions);
    await page.goto(`${t.url}/console/sign-in`);
    await until(() => asked(page, 1), 'question 1');
    expect(await page.evaluate(questions)).toEqual([['conditional', false]]);
    await page.getByLabel('Email').fill(t.started.adminEmail!);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The email or password is incorrect.').waitFor();
    await until(() => asked(page, 2), 'question 2');
    expect(await page.evaluate(questions)).toEqual([
      ['conditional', true],
      ['conditional', false],
    ]);
    await page.getByLabel('Password', { exact: true }).fill(t.started.adminPassword!);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/console\/demo/);
    expect(await page.evaluate(questions)).toEqual([
      ['conditional', true],
      ['conditional', true],
    ]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('continues an ended session with a passkey of its user, and of nobody else', patience, async () => {
    const { tab: first, device } = await openWithPasskey('Ended');
    const admin = await t.open();
    const created = await admin.page.request.post(`${t.url}/admin/v1/users`, {
      headers: { origin: t.url },
      data: {
        name: 'Malo',
        email: 'malo@shop.example',
        password: 'a password of Malo',
        sites: [{ name: 'demo', role: 'editor' }],
      },
    });
    expect(await created.text()).toContain('"success":true');
    await admin.close();
    const tab = await t.open({ isSignedIn: false });
    const { page } = tab;
    await signIn(page, {
      ...t.started,
      adminEmail: 'malo@shop.example',
      adminPassword: 'a password of Malo',
    });
    const own = await addDevice(page);
    await openPasskeys(page);
    await addPasskey(page, 'Own', 'a password of Malo');
    await page.getByText('The passkey “Own” is added.').waitFor();
    await page.keyboard.press('Escape');
    await own.answers(false);
    await endSession(tab);
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await page.getByText('Your session ended.').waitFor();
    await page.getByText('What is not saved is lost.').waitFor();
    // Another user's device is at hand.
    const { credentials } = await own.session.send('WebAuthn.getCredentials', { authenticatorId: own.id });
    await own.session.send('WebAuthn.clearCredentials', { authenticatorId: own.id });
    await own.take(device);
    await own.answers(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey belongs to somebody else. Sign in as malo@shop.example.').waitFor();
    expect((await page.request.get(`${t.url}/v1/me`)).status()).toBe(401);
    await own.session.send('WebAuthn.clearCredentials', { authenticatorId: own.id });
    for (const credential of credentials)
      await own.session.send('WebAuthn.addCredential', { authenticatorId: own.id, credential });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Your session ended.').waitFor({ state: 'hidden' });
    const me = await (await page.request.get(`${t.url}/v1/me`)).json();
    expect(me.data.user.email).toBe('malo@shop.example');
    expect(tab.faults).toEqual([]);
    await tab.close();
    await first.close();
  });

  it('signs in with an account of the company, and leaves no code in the address', patience, async () => {
    const tab = await openSignIn('/console/demo/campaigns');
    const { page } = tab;
    // The page's own files are requested before it can run: only they are requested from an address with the code.
    const referrers: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${t.url}/console/`)) referrers.push(request.headers().referer ?? '');
    });
    await page.getByRole('button', { name: 'Continue with Verger accounts' }).click();
    await signInAtProvider(page, 'ada');
    await isAt(page, 'Campaigns');
    expect(page.url()).toBe(`${t.url}/console/demo/campaigns`);
    expect(await page.evaluate(`sessionStorage.getItem('facteur.provider-sign-in')`)).toBe(null);
    expect(referrers).toContain(`${t.url}/console/oidc`);
    expect(referrers.filter((address) => address.includes('code='))).toEqual([]);
    // The way back leads neither to the code nor to the screen that used it.
    await page.goBack();
    expect(page.url()).not.toMatch(/code=|\/oidc/);
    expect(faultsOf(tab)).toEqual([]);
    await tab.close();
  });

  it('says why an account signs nobody in, with a way back', patience, async () => {
    const tab = await openSignIn('/console/demo/targets');
    const { page } = tab;
    await page.getByRole('button', { name: 'Continue with Verger accounts' }).click();
    await signInAtProvider(page, 'eve');
    await page.getByText('No user of this installation has the address eve@elsewhere.example').waitFor();
    expect(page.url()).toBe(`${t.url}/console/oidc`);
    expect(await tab.audit()).toEqual([]);
    await picture(tab, 'account-refused');
    await page.reload();
    await page.getByText('This sign-in was begun in another tab, or has ended. Begin again.').waitFor();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByRole('button', { name: 'Continue with Verger accounts' }).waitFor();
    expect(faultsOf(tab)).toEqual([]);
    await tab.close();
  });

  it('takes neither a foreign code nor a foreign page to go to', patience, async () => {
    const tab = await openSignIn();
    const { page } = tab;
    await page.goto(`${t.url}/console/oidc?code=0123&state=1`);
    await page.getByText('This sign-in was begun in another tab, or has ended. Begin again.').waitFor();
    expect(page.url()).toBe(`${t.url}/console/oidc`);
    for (const to of ['https://evil.example/', '//evil.example/']) {
      await page.goto(`${t.url}/console/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByRole('button', { name: 'Continue with Verger accounts' }).click();
      // The second time, the provider knows its user.
      if (to.startsWith('https')) await signInAtProvider(page, 'ada');
      await page.waitForURL(`${t.url}/console/demo`);
      await signOut(page);
    }
    expect(faultsOf(tab)).toEqual([]);
    await tab.close();
  });

  it('keeps theme and density of a user for all of their devices', patience, async () => {
    const [here, elsewhere] = [await t.open(), await t.open()];
    /** Opens the menu of the account, and chooses in it. */
    const choose = async ({ page }: ConsoleTab, name: string) => {
      await page.getByRole('button', { name: english.account }).filter({ visible: true }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    const looksLike = ({ page }: ConsoleTab, theme: string, density: string) =>
      page
        .locator(`html[data-mantine-color-scheme=${theme}][data-density=${density}]`)
        .waitFor({ state: 'attached' });
    const stored = async () =>
      ((await (await here.page.request.get(`${t.url}/v1/me`)).json()) as { data: object }).data;
    const fields = `${t.url}/console/demo/settings/fields`;
    const rowHeight = async () =>
      (await here.page.getByRole('row', { name: /FLD\.37/ }).boundingBox())?.height ?? 0;
    await here.page.goto(fields);
    await looksLike(here, 'light', 'comfortable');
    await expect.poll(rowHeight).toBeGreaterThan(36);
    await choose(here, 'Dark');
    await looksLike(here, 'dark', 'comfortable');
    await choose(here, 'Compact');
    await looksLike(here, 'dark', 'compact');
    await expect.poll(rowHeight).toBeLessThan(32);
    await expect.poll(stored).toMatchObject({ preferences: { theme: 'dark', density: 'compact' } });
    for (const path of ['settings/fields', 'campaigns', 'campaigns/new', 'targets']) {
      await here.page.goto(`${t.url}/console/demo/${path}`);
      await here.page.getByRole('heading', { level: 1 }).waitFor();
      await picture(here, `compact-${path.replaceAll('/', '-')}`);
      expect([path, ...(await here.audit())]).toEqual([path]);
    }
    // The other device has it with its next page, and before that page is painted from then on.
    await elsewhere.page.goto(fields);
    await looksLike(elsewhere, 'dark', 'compact');
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await elsewhere.page.route('**/v1/me', async (route) => {
      await isAnswered;
      await route.continue();
    });
    await elsewhere.page.goto(fields, { waitUntil: 'domcontentloaded' });
    await looksLike(elsewhere, 'dark', 'compact');
    expect(await elsewhere.page.getByRole('heading', { level: 1 }).count()).toBe(0);
    answer();
    await elsewhere.page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
    // What the service does not keep is not shown as if it did.
    await here.page.route('**/v1/me', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 403, json: refusal }) : route.continue(),
    );
    await choose(here, 'Comfortable');
    await here.page.getByText('It is not kept.').waitFor();
    await looksLike(here, 'dark', 'compact');
    await here.page.unroute('**/v1/me');
    for (const name of ['As the system', 'Comfortable']) await choose(here, name);
    await looksLike(here, 'light', 'comfortable');
    await expect.poll(stored).toMatchObject({ preferences: { theme: 'auto', density: 'comfortable' } });
    for (const tab of [here, elsewhere]) {
      expect(tab.faults).toEqual([]);
      await tab.close();
    }
  });

  it('shows the ways to sign in and the passkeys at both widths, in both themes', patience, async () => {
    const { tab: first } = await openWithPasskey('Look');
    await first.close();
    for (const [width, isDark, texts] of looks) {
      const tab = await t.open({ width, isDark, language: texts.language, isSignedIn: false });
      const { page } = tab;
      const look = `${width}-${isDark ? 'dark' : 'light'}`;
      const audit = async (screen: string) => {
        await picture(tab, `account-${screen}-${look}`);
        expect([screen, look, ...(await tab.audit())]).toEqual([screen, look]);
      };
      await page.goto(`${t.url}/console/demo`);
      await page.getByRole('button', { name: texts.use }).waitFor();
      await page.getByRole('button', { name: /Verger/ }).waitFor();
      await audit('sign-in');
      await signIn(page, t.started);
      await page.getByRole('button', { name: texts.account }).filter({ visible: true }).click();
      await page.getByRole('menuitem', { name: texts.passkeys }).waitFor();
      await audit('menu');
      await page.getByRole('menuitem', { name: texts.passkeys }).click();
      await page.getByText(texts.unused).first().waitFor();
      await audit('passkeys');
      await page.getByRole('button', { name: texts.add }).click();
      await page.getByLabel(texts.name).waitFor();
      await audit('new-passkey');
      await page.getByRole('button', { name: texts.cancel }).click();
      await page.getByRole('button', { name: texts.remove }).first().click();
      await page.getByText(texts.removed).waitFor();
      await audit('remove-passkey');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: texts.add }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await endSession(tab);
      // A request of the overview may have learnt it first; the dialog is above the link then.
      const link = page.getByRole('link', { name: texts.campaigns }).filter({ visible: true }).first();
      await link.dispatchEvent('click');
      await page.getByRole('dialog').getByRole('button', { name: texts.use }).waitFor();
      await audit('session-ended');
      expect(tab.faults).toEqual([]);
      await tab.close();
    }
  });
});

describeWith('chromium', 'the console at an IP address', () => {
  it('offers neither passkeys nor company accounts', patience, async () => {
    const plain = await openConsole();
    try {
      const tab = await plain.open({ isSignedIn: false });
      const { page } = tab;
      const methods = page.waitForResponse(`${plain.url}/v1/session/methods`);
      await page.goto(`${plain.url}/console/demo`);
      await methods;
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('main').getByRole('button').allTextContents()).not.toContain(
        'Use a passkey',
      );
      expect(await page.getByText(/Continue with/).count()).toBe(0);
      await signIn(page, plain.started);
      await openPasskeys(page);
      await page.getByText('Passkeys do not work at this address').waitFor();
      expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
      expect(tab.faults).toEqual([]);
      await tab.close();
    } finally {
      await plain.close();
    }
  });
});
