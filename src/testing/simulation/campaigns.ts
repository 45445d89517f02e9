import type { ApiClient } from '../../demo/api-client.ts';
import { makeConfiguration } from '../../demo/campaign-steps.ts';
import { waitFor } from '../../demo/terminal.ts';

/** Makes the custom fields of the simulation; their ids. */
export async function makeFields(site: ApiClient) {
  const made = (name: string) => site.post<{ id: number }>('/fields', { name, fieldType: 'Integer' });
  return { group: (await made('Group')).id, second: (await made('Second')).id };
}

async function makeTarget(site: ApiClient, idField: number, value: number): Promise<number> {
  const name = `Field ${idField} is ${value}`;
  const { id } = await site.post<{ id: number }>('/targets', { name });
  await site.put('/targets/filters/field', {
    idTarget: id,
    isEnabled: true,
    filters: [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField, operator: 'Equal', value: String(value) },
    ],
  });
  return id;
}

/** A campaign as it was sent: its job and the sendings in the order of their segments. */
export interface SentCampaign {
  readonly idCampaign: number;
  readonly idJob: number;
  readonly idsSent: readonly number[];
}

/** The links of its text, and that of the advertisement in each segment. */
export const linksOf = ({ idsSent }: SentCampaign): number => 2 + idsSent.length;

/** Makes the campaign with an advertisement and a segment for each value of the field. */
async function makeCampaign(site: ApiClient, name: string, idField: number, values: readonly number[]) {
  const idConfiguration = await makeConfiguration(site);
  const { id: idAdvertisement } = await site.post<{ id: number }>('/advertisements', {
    name,
    html: '<a href="https://advertiser.example/offer">Offer</a>',
  });
  const { id } = await site.post<{ id: number }>(
    '/campaigns',
    {
      parameters: {
        name,
        subject: name,
        mode: 'Simple',
        type: 'Newsletter',
        idConfiguration,
        useListUnsubscribeHeader: true,
      },
      htmlContent:
        '<html><body><a href="https://shop.example/1">First</a> <a href="https://shop.example/2">Second</a> ' +
        '[[ENCART.1]]</body></html>',
    },
    { trackAllLinks: 'true' },
  );
  for (const value of values) {
    const idTarget = await makeTarget(site, idField, value);
    await site.post(`/campaigns/${id}/segments`, {
      name: `${name} ${value}`,
      idTarget,
      percent: 100,
      fixedValues: 0,
    });
  }
  await site.put(`/campaigns/${id}/segments/0/advertisement`, { position: 1, idAdvertisement });
  await site.post('/campaigns/tracked-links', id);
  return id;
}

/** Sends a campaign to the subscribers whose field has these values, and waits until it has ended. */
export async function sendCampaign(
  site: ApiClient,
  name: string,
  idField: number,
  values: readonly number[],
): Promise<SentCampaign> {
  const idCampaign = await makeCampaign(site, name, idField, values);
  const checklist = await site.get<{ isCampaignReady: boolean }>(`/campaigns/${idCampaign}/checklist`);
  if (!checklist.isCampaignReady) throw new Error(`Not ready: ${JSON.stringify(checklist)}`);
  await site.post('/campaigns/send-now', idCampaign);
  const sents = await waitFor(`the campaign ${name}`, async () => {
    const all = await site.get<
      { idSent: number; idJob: number; idSending: number; endDate: string | null }[]
    >(`/campaigns/${idCampaign}/sendings`);
    return all.length > 0 && all.every(({ endDate }) => endDate !== null) ? all : undefined;
  });
  const inOrder = sents.toSorted((a, b) => a.idSending - b.idSending);
  return { idCampaign, idJob: inOrder[0]!.idJob, idsSent: inOrder.map(({ idSent }) => idSent) };
}
