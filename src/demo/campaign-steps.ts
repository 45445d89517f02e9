import type { ApiClient } from './api-client.ts';
import type { DemoFields } from './audience-steps.ts';
import { type Terminal, waitFor } from './terminal.ts';

/** Header, footer with the unsubscribe link, and who writes. */
export async function makeConfiguration(site: ApiClient): Promise<number> {
  const made = await site.post<{ id: number }>('/sending-configurations', {
    name: 'Demo configuration',
    senderEMail: 'news@shop.example',
    senderAlias: 'La Boutique',
    recipientAlias: '',
    responseEMail: 'reply@shop.example',
    responseAlias: 'La Boutique',
    headerHtml: '<p><a href="[[LINK.MIRROR]]">Read in the browser</a></p>',
    headerTxt: 'Read in the browser: [[LINK.MIRROR]]\n\n',
    footerHtml:
      '<p><a href="[[LINK.FORWARD]]">Forward to a friend</a></p>' +
      '<p>You get this because you signed up. <a href="[[LINK.UNSUB]]">Unsubscribe</a></p>',
    footerTxt: '\n\nUnsubscribe: [[LINK.UNSUB]]',
    objectPrefixBAT: '[TEST] ',
  });
  return made.id;
}

/** The directory of the demo's campaigns; a second run finds it again. */
export async function makeDirectory(site: ApiClient): Promise<number> {
  const name = 'Demo';
  const known = await site.get<{ id: number; name: string }[]>('/directories/types/Campaign');
  const found = known.find((directory) => directory.name === name);
  return found?.id ?? (await site.post<number>('/pictures/directories', { name, dirType: 'Campaign' }));
}

/** Ids of the campaigns that are in a directory, the newest first. */
export async function campaignsIn(site: ApiClient, idDirectory: number): Promise<number[]> {
  const page = await site.get<{ items: { id: number }[] }>('/campaigns', {
    'filter.location': idDirectory,
    'filter.sortBy': 'Id',
    'filter.order': 'DESC',
  });
  return page.items.map((campaign) => campaign.id);
}

/** A campaign with HTML and text, personal tags and two tracked links. */
export async function makeCampaign(
  site: ApiClient,
  of: {
    idConfiguration: number;
    idTarget: number;
    idTestTarget: number;
    idDirectory: number;
    fields: DemoFields;
  },
): Promise<number> {
  const { firstName, city, points } = of.fields;
  const campaign = await site.post<{ id: number }>(
    '/campaigns',
    {
      parameters: {
        name: `Demo of ${new Date().toISOString().slice(0, 16)}`,
        subject: `[[FLD.${firstName}|Friend]], your [[FLD.${points}]] points are waiting — déjà !`,
        mode: 'Simple',
        type: 'Newsletter',
        hasTextMessage: true,
        idConfiguration: of.idConfiguration,
        idTestTarget: of.idTestTarget,
        useListUnsubscribeHeader: true,
      },
      idDirectory: of.idDirectory,
      htmlContent: `<html><body><h1>Bonjour [[FLD.${firstName}|Friend]]</h1>
<p>You have <b>[[FLD.${points}]]</b> points
[[IF FLD.${city} HasValue ""]] in our shop of [[FLD.${city}]][[END]].</p>
<p><a href="https://shop.example/gifts?list=a&amp;b=1">Choose a gift</a> or
<a href="https://shop.example/rules">read the rules</a>.</p></body></html>`,
      textContent: `Bonjour [[FLD.${firstName}|Friend]],

you have [[FLD.${points}]] points: https://shop.example/gifts`,
    },
    { trackAllLinks: 'true' },
  );
  await site.post(`/campaigns/${campaign.id}/segments`, {
    name: 'Everybody with points',
    idTarget: of.idTarget,
    percent: 100,
    fixedValues: 0,
  });
  return campaign.id;
}

interface Sent {
  readonly idSent: number;
  readonly isTest: boolean;
  readonly endDate: string | null;
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
}

/** Waits until the campaign's newest sending, of tests or of the real thing, has ended. */
export async function waitForSending(
  site: ApiClient,
  idCampaign: number,
  isTest: boolean,
  out: Terminal,
): Promise<Sent> {
  return waitFor('the sending', async () => {
    const sendings = await site.get<Sent[]>(`/campaigns/${idCampaign}/sendings`);
    const sent = sendings.find((one) => one.isTest === isTest);
    if (sent) out.progress(`${sent.nbAddressSent} of ${sent.nbAddressToSend} sent`);
    return sent?.endDate ? sent : undefined;
  });
}
