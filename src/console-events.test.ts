import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { callSite, patience, picture, soon } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';
import { freePort } from './testing/free-port.ts';
import { type SmtpSink, smtpSink } from './testing/smtp-sink.ts';

const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';

let t: ConsoleTester;
let sink: SmtpSink | undefined;

/** A slow relay that refuses one address. */
const startSink = (port: number) =>
  smtpSink({ port, delayMs: 3_000, misdeed: (to) => (to.startsWith('refused') ? 'refuseData' : undefined) });

/** Calls an operation of the site with the session of the tab, as the console does. */
const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

/** Makes a subscriber and a campaign that is ready to be sent to them. */
async function makeCampaign(tab: ConsoleTab): Promise<{ idCampaign: number; idSubscriber: number }> {
  const [person] = await call<[{ id: number }]>(tab, 'POST', '/subscribers', [
    { fields: [{ idField: 1, value: 'camille@post.example' }] },
  ]);
  const configuration = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
    name: 'News',
    ...{ senderEMail: 'news@shop.example', senderAlias: 'Shop', recipientAlias: '' },
    ...{ responseEMail: 'reply@shop.example', responseAlias: 'Shop', headerHtml: '', headerTxt: '' },
    ...{ footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>', footerTxt: '[[LINK.UNSUB]]' },
    objectPrefixBAT: '[TEST] ',
  });
  const target = await call<{ id: number }>(tab, 'POST', '/targets', { name: 'All', isTestTarget: true });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget: target.id, isEnabled: true, filters });
  const campaign = await call<{ id: number }>(tab, 'POST', '/campaigns', {
    parameters: {
      ...{ name: hostile, subject: 'Seeds', mode: 'Simple', type: 'Newsletter' },
      ...{ idConfiguration: configuration.id, idTestTarget: target.id },
    },
    htmlContent: '<p>Hello</p>',
  });
  const segment = { name: 'All', idTarget: target.id, percent: 100, fixedValues: 0 };
  await call(tab, 'POST', `/campaigns/${campaign.id}/segments`, segment);
  return { idCampaign: campaign.id, idSubscriber: person.id };
}

describeWith('chromium', 'the console and the stream of events', () => {
  beforeAll(async () => {
    t = await openConsole({ FACTEUR_PRIVATE_NETWORKS: '127.0.0.0/8' });
  }, 120_000);
  afterAll(async () => {
    await t?.close();
    await sink?.close();
  });

  it(
    'follows a sending by the stream, and shows it among what happened to its reader',
    patience,
    async () => {
      const tab = await t.open();
      const { page } = tab;
      const { idCampaign, idSubscriber } = await makeCampaign(tab);
      await call(tab, 'POST', '/campaigns/send-now', idCampaign);
      const streamed = page.waitForResponse((response) => response.url().endsWith('/v1/demo/events'));
      await page.goto(`${t.url}/console/demo/campaigns/${idCampaign}`);
      expect((await streamed).headers()).toMatchObject({ 'content-type': 'text/event-stream' });
      await page.getByText('Delivered').first().waitFor({ timeout: 60_000 });
      expect(tab.faults).toEqual([]);
      await tab.close();
      for (const [width, isDark, language, sent] of [
        [1280, false, 'en-GB', 'Message sent'],
        [1280, true, 'fr-FR', 'Message envoyé'],
        [390, true, 'en-GB', 'Message sent'],
        [390, false, 'fr-FR', 'Message envoyé'],
      ] as const) {
        const look = await t.open({ width, isDark, language });
        await look.page.goto(`${t.url}/console/demo/subscribers/${idSubscriber}`);
        await look.page.getByText(sent).waitFor();
        await look.page.getByRole('link', { name: hostile }).waitFor();
        const folder = process.env.FACTEUR_SCREENSHOTS;
        const name = `api-b-person-${width}-${isDark ? 'dark' : 'light'}.png`;
        if (folder) await look.page.screenshot({ path: `${folder}/${name}`, fullPage: true });
        expect([width, language, ...(await look.audit())]).toEqual([width, language]);
        expect(look.faults).toEqual([]);
        await look.close();
      }
    },
  );

  it('polls where the stream is refused', patience, async () => {
    const tab = await t.open();
    const { page } = tab;
    await page.route('**/v1/demo/events', (route) => route.fulfill({ status: 503, body: '' }));
    const campaigns = await call<{ items: { id: number }[] }>(
      tab,
      'GET',
      '/campaigns?filter.sortBy=Id&filter.order=DESC',
    );
    const copy = campaigns.items[0]!.id;
    const sendings = await call<{ idJob: number }[]>(tab, 'GET', `/campaigns/${copy}/sendings`);
    await call(tab, 'POST', `/campaigns/send-now?afterJob=${sendings.at(-1)!.idJob}`, copy);
    await page.goto(`${t.url}/console/demo/campaigns/${copy}`);
    await page.getByText('Delivered').first().waitFor({ timeout: 60_000 });
    await tab.close();
  });

  it('says when a relay goes away and comes back, and what a provider replied', {
    timeout: 480_000,
  }, async () => {
    const tab = await t.open();
    const { page } = tab;
    const port = await freePort();
    sink = await startSink(port);
    await call(tab, 'POST', '/admin/v1/sites/demo/routes', {
      ...{ host: '127.0.0.1', port, tls: 'none', username: null, password: null },
      ...{ maxConnections: 1, messagesPerHour: 0 },
    });
    const names = ['refused', ...Array.from({ length: 30 }, (_, index) => `reader${index}`)];
    const people = names.map((name) => ({ fields: [{ idField: 1, value: `${name}@slow.example` }] }));
    await call(tab, 'POST', '/subscribers', people);
    const { items } = await call<{ items: { id: number }[] }>(
      tab,
      'GET',
      '/campaigns?filter.sortBy=Id&filter.order=DESC',
    );
    const id = items[0]!.id;
    const sendings = await call<{ idJob: number }[]>(tab, 'GET', `/campaigns/${id}/sendings`);
    await call(tab, 'POST', `/campaigns/send-now?afterJob=${sendings.at(-1)!.idJob}`, id);
    await page.goto(`${t.url}/console/demo/campaigns/${id}`);
    const provider = page.getByRole('row', { name: /^Others / });
    await provider.getByRole('button', { name: 'Others' }).click(soon);
    const reply = page.getByRole('row', { name: /^554 5\.7\.1/ }).first();
    await reply.waitFor({ timeout: 90_000 });
    // One of the 32 was refused, and is not left.
    const leftOf = async () => {
      const [, accepted, left] = await provider.getByRole('cell').allInnerTexts();
      return Number.parseInt(accepted!, 10) + Number.parseInt(left!, 10);
    };
    await expect.poll(leftOf, soon).toBe(31);
    await picture(tab, 'run-provider');
    await reply.getByRole('button', { name: '1' }).click();
    const refused = page.getByRole('dialog', { name: '1 person with the reply 554 5.7.1' });
    await refused.getByRole('link', { name: 'refused@slow.example' }).waitFor(soon);
    await page.keyboard.press('Escape');
    await refused.waitFor({ state: 'hidden' });
    await sink.close();
    const away = page.getByRole('status').getByText(/^No relay can be used since /);
    await away.waitFor({ timeout: 120_000 });
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText(/^No relay could be used any longer\./).waitFor(soon);
    for (const [width, isDark] of [
      [1280, false],
      [390, true],
    ] as const) {
      const look = await t.open({ width, isDark, language: 'fr-FR' });
      await look.page.goto(`${t.url}/console/demo/campaigns/${id}`);
      await look.page
        .getByRole('status')
        .getByText(/^Aucun relais ne peut servir depuis .* 127\.0\.0\.1:\d+ est injoignable/)
        .waitFor(soon);
      await picture(look, `relay-away-${width}`);
      expect([width, ...(await look.audit())]).toEqual([width]);
      await look.close();
    }
    sink = await startSink(port);
    await page
      .getByRole('status')
      .getByText(/^A relay can be used again since /)
      .waitFor({ timeout: 120_000 });
    await happened.getByText('A relay could be used again.').waitFor(soon);
    await call(tab, 'POST', '/campaigns/stop', id);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
