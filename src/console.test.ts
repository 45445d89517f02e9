import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { patience, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** Clicks from an empty site to a message that was read. */
const mostClicks = 25;

/** Everything that could run, load or lead elsewhere. */
const hostile = `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">
<link rel="stylesheet" href="https://evil.example/a.css">
<style>@import "https://evil.example/b.css";
p { background: url(https://evil.example/c.png) }</style><script>top.document.title = 'taken'</script>
<img src="https://evil.example/d.png" srcset="https://evil.example/e.png 2x" onerror="top.document.title = 'taken'">
<table background="https://evil.example/f.png"><tr><td style="background:url('https://evil.example/g.png')">x</table>
<video poster="https://evil.example/h.png" src="https://evil.example/i.mp4"></video><iframe src="https://evil.example/">
</iframe><object data="https://evil.example/j"></object><svg><image href="https://evil.example/k.png"/></svg>
<form action="https://evil.example/"><input autofocus onfocus="alert(1)"></form>
<p onclick="alert(1)">Still readable <a href="https://shop.example/">A link</a>
<a href="javascript:alert(1)">No</a></p>`;

let t: ConsoleTester;

/** Takes a picture where somebody wants to look at the screens. */
async function picture({ page }: ConsoleTab, name: string): Promise<void> {
  const folder = process.env.FACTEUR_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/console-${name}.png` });
}

/** Pastes a text over all of a field, as a user does; a function of the page. */
const paste = `(field, text) => {
  field.focus();
  field.select();
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

/** The newest campaign, as the API has it. */
async function newestCampaign({ page }: ConsoleTab): Promise<NewestCampaign> {
  const query = 'filter.sortBy=Id&filter.order=DESC&filter.limit=1&filter.withContents=true';
  const response = await page.request.get(`${t.url}/v1/demo/campaigns?${query}`);
  return (await response.json()).data.items[0];
}

interface NewestCampaign {
  readonly id: number;
  readonly htmlContent: string;
  readonly parameters: { readonly idTestTarget: number | null };
  readonly schedulingInfos: { readonly state: string; readonly type: string; readonly calendarDates: string };
}

/** Opens the dialogs of the composer, one after the other, and audits each. */
async function auditDialogs(tab: ConsoleTab, look: string): Promise<void> {
  const { page } = tab;
  const buttons = {
    test: /^(Send a test|Envoyer un test)$/,
    confirm: /^(Review and send|Vérifier et envoyer)$/,
  };
  const dialogs = Object.entries(buttons).map(([name, button]) => ({
    name,
    opener: page.getByRole('button', { name: button }),
  }));
  const schedule = page.getByRole('tabpanel').getByRole('button', { name: /^(Schedule|Planifier)$/ });
  for (const { name, opener } of [...dialogs, { name: 'schedule', opener: schedule }]) {
    if (name === 'schedule') await page.getByRole('tab', { name: /^(Schedule|Planification)$/ }).click();
    await opener.click();
    await page.getByRole('dialog').waitFor();
    await page.waitForLoadState('networkidle');
    await picture(tab, `${name}-${look}`);
    expect([name, await tab.audit()]).toEqual([name, []]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
}

describeWith('chromium', 'the console', () => {
  beforeAll(async () => {
    t = await openConsole();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
  });

  it(
    'says the same of a wrong address and a wrong password, and keeps what was typed',
    patience,
    async () => {
      const tab = await t.open({ isSignedIn: false });
      await tab.page.goto(`${t.url}/console/demo/campaigns`);
      for (const email of ['nobody@shop.example', t.started.adminEmail!]) {
        await tab.page.getByLabel('Email').fill(email);
        await tab.page.getByLabel('Password', { exact: true }).fill('not the password');
        await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await tab.page.getByText('The email or password is incorrect.').waitFor();
        expect(await tab.page.getByLabel('Email').inputValue()).toBe(email);
      }
      await tab.page.getByText('Forgotten your password?').waitFor();
      // Without a relay, no link would leave.
      await tab.page
        .getByText('An administrator of this installation can give you a new password.')
        .waitFor();
      expect(await tab.page.getByRole('button', { name: 'Send a link' }).count()).toBe(0);
      expect(await tab.audit()).toEqual([]);
      await picture(tab, 'sign-in-forgotten');
      await tab.page.route('**/v1/session/methods', async (route) => {
        const response = await route.fetch();
        const { data, ...others } = (await response.json()) as { data: object };
        await route.fulfill({ response, json: { ...others, data: { ...data, passwordLinks: true } } });
      });
      await tab.page.reload();
      const fail = async () => {
        await tab.page.getByLabel('Email').fill(t.started.adminEmail!);
        await tab.page.getByLabel('Password', { exact: true }).fill('not the password');
        await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      };
      // A service that is away is no wrong password; the form tries again until it is back.
      let tries = 0;
      await tab.page.route('**/v1/session', (route) => {
        tries += 1;
        return tries < 3 ? route.abort() : route.continue();
      });
      await fail();
      await tab.page.getByText('The service is not responding. Trying again.').waitFor();
      await picture(tab, 'sign-in-away');
      expect(await tab.audit()).toEqual([]);
      await tab.page.getByText('The email or password is incorrect.').waitFor();
      expect(tries).toBe(3);
      expect(await tab.page.getByText('The service is not responding.').count()).toBe(0);
      expect(await tab.page.getByText('Forgotten your password?').count()).toBe(0);
      await fail();
      await tab.page.getByRole('button', { name: 'Send a link' }).waitFor();
      await tab.page.unrouteAll({ behavior: 'wait' });
      // After the sign-in the user sees where they were going.
      await tab.page.getByLabel('Password', { exact: true }).fill(t.started.adminPassword!);
      await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await tab.page.getByRole('heading', { name: 'Campaigns' }).waitFor();
      // The browser notes the attempts that did not reach the service.
      expect(tab.faults.filter((fault) => !fault.includes('net::ERR_FAILED'))).toEqual([]);
      await tab.close();
    },
  );

  it(
    'leads a newcomer from an empty site to a message that they read, in at most 25 clicks',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      let clicks = 0;
      const click = async (role: 'button' | 'link', name: string | RegExp) => {
        clicks += 1;
        await page.getByRole(role, { name }).first().click();
      };
      await click('button', 'Keep it');
      await page.getByText('Messages come from').waitFor();
      const addresses = page.getByLabel('Addresses');
      // The address is what links in messages begin with, not that of the browser.
      await page
        .locator('.needs')
        .getByText(/^http:\/\/localhost:\d+$/)
        .waitFor();
      await addresses.fill('Inès Roux <ines@post.example>\nnot an address; malo@@post.example');
      await click('button', 'Add people');
      // What is before a wrong address is done; what is left can be corrected.
      await expect.poll(() => addresses.inputValue(), soon).toBe('not an address\nmalo@@post.example');
      await page.getByText('not an address: This is not an email address.').waitFor();
      // The people who were added can be written to.
      const targets = await page.request.get(`${t.url}/v1/demo/targets/all`);
      expect((await targets.json()).data.items).toMatchObject([{ name: 'All subscribed people' }]);
      await page.locator('textarea:focus').waitFor();
      // A known address does not stop the others.
      await addresses.fill('Inès Roux <ines@post.example> Malo <malo@post.example>');
      await click('button', 'Add people');
      await page.getByText('2 people can be written to.').waitFor();
      await click('link', 'Write');
      await page.getByLabel('Subject').fill('Plant before the frost');
      await page.getByText(/^Saved at/).waitFor();
      await page.getByText('Ready', { exact: true }).waitFor();
      expect(await tab.audit()).toEqual([]);
      await click('button', 'Review and send');
      await page.getByText('Send “New campaign” to 2 people?').waitFor();
      expect(await tab.audit()).toEqual([]);
      await click('button', 'Send to 2 people');
      await page.getByText(/goes to 2 people in/).waitFor();
      await page.getByText('Delivered', { exact: true }).first().waitFor();
      expect(await tab.audit()).toEqual([]);
      await click('link', 'Mailbox');
      await click('link', /Plant before the frost/);
      const message = page.frameLocator('iframe');
      await message.getByText('Write your message here.').waitFor();
      expect(await tab.audit()).toEqual([]);
      expect(clicks).toBeLessThanOrEqual(mostClicks);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('takes a sending back until it starts, and keeps the draft', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.getByLabel('Subject').fill('Not this one');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('button', { name: 'Send to 2 people' }).click();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByText('is not sent.').waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Not this one');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it(
    'sends a test to typed addresses, and adds unknown people only after the user has seen who they are',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns/new`);
      await page.getByLabel('Subject').fill('Read this first');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('There is no test target yet.').waitFor();
      await page.getByLabel('Addresses of the readers').fill('ines@post.example, lou@post.example');
      await page.getByRole('button', { name: 'Create the test target' }).click();
      await page.getByText('Not subscribers yet: lou@post.example.').waitFor();
      expect(await tab.audit()).toEqual([]);
      const lookUp = `${t.url}/v1/demo/subscribers?filter.by=Email&filter.values=lou@post.example`;
      expect((await (await page.request.get(lookUp)).json()).data).toEqual([null]);
      await page.getByRole('button', { name: 'Add 1 person and create the test target' }).click();
      await page.getByText('ines@post.example, lou@post.example').waitFor();
      await page.locator(':focus', { hasText: 'Go back' }).waitFor();
      expect((await newestCampaign(tab)).parameters.idTestTarget).toBeNull();
      await page.getByRole('button', { name: 'Send to 2 people' }).click();
      await page.getByText('The test is on its way to 2 people.').waitFor();
      await page.locator(':focus', { hasText: 'Close' }).waitFor();
      expect(await tab.audit()).toEqual([]);
      const { parameters, schedulingInfos } = await newestCampaign(tab);
      expect(parameters.idTestTarget).toBeGreaterThan(0);
      expect(schedulingInfos.state).toBe('None');
      await page.getByRole('link', { name: 'Open the mailbox' }).click();
      const messages = page.getByRole('link', { name: /Read this first/ });
      await expect.poll(() => messages.count(), { timeout: 60_000 }).toBe(2);
      await messages.filter({ hasText: 'lou@post.example' }).waitFor();
      // The choice is kept for the next test.
      await page.goBack();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send to 2 people' }).waitFor();
      expect(await page.getByRole('combobox', { name: 'Test target' }).inputValue()).toBe('Test readers');
      expect((await newestCampaign(tab)).parameters.idTestTarget).toBe(parameters.idTestTarget);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('schedules a campaign in Paris time, and removes and restores its schedule', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const scheduling = async () => (await newestCampaign(tab)).schedulingInfos;
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.getByLabel('Subject').fill('On a date');
    await page.getByRole('tab', { name: 'Schedule' }).click();
    await page.getByLabel('Day').fill('2040-07-02');
    await page.getByLabel('Time in Paris').fill('07:30');
    await page.getByText('It starts on Mon 2 Jul 2040, 07:30 (Paris time)').waitFor();
    await page.getByRole('tabpanel').getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Schedule “New campaign” for 3 people?').waitFor();
    expect((await scheduling()).state).toBe('None');
    await page.getByRole('button', { name: 'Schedule for 3 people' }).click();
    const starts = page.getByText('Starts on Mon 2 Jul 2040, 07:30 (Paris time), to about 3 people.');
    await starts.waitFor();
    const planned = {
      state: 'Programmed',
      type: 'Calendar',
      calendarDates: expect.stringMatching(/^2040-07-02T05:30:00/),
    };
    expect(await scheduling()).toMatchObject(planned);
    await page.getByRole('button', { name: 'Review and send' }).waitFor({ state: 'hidden' });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await picture(tab, `scheduled-${width}`);
      expect([width, await tab.audit()]).toEqual([width, []]);
    }
    await page.getByRole('button', { name: 'Remove the schedule' }).click();
    await starts.waitFor({ state: 'hidden' });
    expect((await scheduling()).state).toBe('None');
    await page.getByRole('button', { name: 'Undo' }).click();
    await starts.waitFor();
    expect(await scheduling()).toMatchObject(planned);
    await page.getByRole('button', { name: 'Remove the schedule' }).click();
    await page.getByRole('button', { name: 'Review and send' }).waitFor();
    expect((await scheduling()).state).toBe('None');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('says where the mailbox is when administration has an address of its own', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    const away = { success: false, data: null, error: 'Not found', typeName: null };
    await tab.context.route('**/admin/v1/**', (route) => route.fulfill({ status: 404, json: away }));
    await page.goto(`${t.url}/console/demo/mailbox`);
    await page.getByText('The mailbox is available on the administration’s address only.').waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.goto(`${t.url}/console/demo`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps what is pasted before the editor has loaded, to the byte', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await tab.context.route('**/source-editor*.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    for (const html of ['<p>\r\n\tDéjà  vu\n</p>\r\n', '<p>\n <b>one</b>\n</p>']) {
      await page.getByLabel('HTML', { exact: true }).waitFor();
      await page.evaluate(`(${paste})(document.querySelector('textarea'), ${JSON.stringify(html)})`);
      await expect.poll(async () => (await newestCampaign(tab)).htmlContent, { timeout: 20_000 }).toBe(html);
    }
    // What has the focus as soon as the field has gone: the next key goes there.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector('textarea.mono')) return;
      observer.disconnect();
      document.title = document.activeElement.className;
    }).observe(document.body, { subtree: true, childList: true })`);
    release();
    await expect.poll(() => page.title(), { timeout: 20_000 }).toContain('cm-content');
    await page.locator('.cm-content', { hasText: 'one' }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('shows hostile HTML without running or fetching anything of it', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.getByLabel('HTML', { exact: true }).fill(hostile);
    await page.frameLocator('iframe').getByText('Still readable').waitFor();
    await page.getByText(/^Saved at/).waitFor();
    await page.waitForLoadState('networkidle');
    const link = page.frameLocator('iframe').getByRole('link', { name: 'A link' });
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await page.title()).not.toBe('taken');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps what was typed when the session ends, and saves it after the password', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.getByLabel('Subject').waitFor();
    // Not before it is typed: the question for the password takes the focus.
    let hasEnded = false;
    await page.route(/\/v1\/demo\/campaigns\?/, async (route) => {
      if (!hasEnded && route.request().method() === 'PUT') {
        hasEnded = true;
        await tab.context.clearCookies();
      }
      await route.continue();
    });
    await page.getByLabel('Subject').fill('Typed without a session');
    await page.getByText('Your session ended.').waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.getByLabel('Password', { exact: true }).fill(t.started.adminPassword!);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(/^Saved at/).waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Typed without a session');
    await tab.close();
  });

  it('keeps a draft that could not be saved over a reload', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.goto(`${t.url}/console/demo/campaigns/new`);
    await page.getByLabel('Subject').waitFor();
    await tab.context.route('**/v1/demo/campaigns?*', (route) => route.abort());
    await page.getByLabel('Subject').fill('Typed without a connection');
    await page.getByText('Kept in this browser', { exact: true }).waitFor();
    await tab.context.unroute('**/v1/demo/campaigns?*');
    page.on('dialog', (dialog) => void dialog.accept());
    // It may be saved while the page is hidden for the reload already.
    await page.reload();
    const stored = async () => (await newestCampaign(tab)).parameters;
    await expect.poll(stored, { timeout: 30_000 }).toMatchObject({ subject: 'Typed without a connection' });
    expect(await page.getByLabel('Subject').inputValue()).toBe('Typed without a connection');
    await tab.close();
  });

  it(
    'shows both versions when another person saved in the meantime, and overwrites nothing on its own',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      await page.goto(`${t.url}/console/demo/campaigns/new`);
      await page.getByLabel('Subject').waitFor();
      const { id } = await newestCampaign(tab);
      let status = 0;
      await page.route(/\/v1\/demo\/campaigns\?/, async (route) => {
        if (status === 0 && route.request().method() === 'PUT') {
          const data = { id, parameters: { subject: 'Theirs' } };
          const headers = { origin: t.url };
          status = (await page.request.put(`${t.url}/v1/demo/campaigns`, { headers, data })).status();
        }
        await route.continue();
      });
      await page.getByLabel('Subject').fill('Mine');
      await page.getByRole('button', { name: 'Save yours' }).waitFor();
      await page.getByText('Theirs').waitFor();
      expect(status).toBe(200);
      expect(await tab.audit()).toEqual([]);
      await page.getByRole('button', { name: 'Take the saved one' }).click();
      expect(await page.getByLabel('Subject').inputValue()).toBe('Theirs');
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );

  it('goes by the keyboard alone: palette, places, keys, content', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('input[role=combobox]:focus').waitFor();
    await page.keyboard.type('campai');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    // The palette also leads to the screens below a place.
    for (const [text, title] of [
      ['relay', 'Relays'],
      ['advertiser', 'Advertisers'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.locator('input[role=combobox]:focus').waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: title }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    }
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Mailbox' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await tab.audit()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { name: 'Mailbox' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it.each([
    [1280, false, 'en-GB'],
    [1280, true, 'fr-FR'],
    [390, false, 'fr-FR'],
    [390, true, 'en-GB'],
  ] as const)(
    'has nothing for axe to find at %i px (dark: %s, %s)',
    patience,
    async (width, isDark, language) => {
      const tab = await t.open({ width, isDark, language });
      const { page } = tab;
      const { id } = await newestCampaign(tab);
      const places = {
        overview: '',
        campaigns: '/campaigns',
        composer: `/campaigns/${id}`,
        report: '/campaigns/1',
      };
      const more = { mailbox: '/mailbox', 'not-found': '/nothing/here', 'no-campaign': '/campaigns/999' };
      for (const [name, path] of Object.entries({ ...places, ...more })) {
        await page.goto(`${t.url}/console/demo${path}`, { waitUntil: 'networkidle' });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await picture(tab, `${name}-${width}-${isDark ? 'dark' : 'light'}`);
        expect([name, await tab.audit()]).toEqual([name, []]);
      }
      await page.goto(`${t.url}/console/demo/campaigns/${id}`);
      await auditDialogs(tab, `${width}-${isDark ? 'dark' : 'light'}`);
      expect(await page.evaluate('document.documentElement.lang')).toBe(language.slice(0, 2));
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
  );
});
