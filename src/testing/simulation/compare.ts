import type { ApiClient } from '../../demo/api-client.ts';
import { linksOf, type SentCampaign } from './campaigns.ts';
import type { Story } from './plan.ts';
import { type Device, ofCampaign, ofJob, ofProvider, ofSending, ofSent, Tally } from './tally.ts';

/** The messages of one sending. */
export interface Sending {
  readonly campaign: SentCampaign;
  readonly idSent: number;
  readonly messages: readonly { readonly domain: number; readonly story: Story }[];
}

export interface Compared {
  readonly campaigns: readonly SentCampaign[];
  readonly sendings: readonly Sending[];
  /** In the order of their domains; the domain after the last one belongs to none. */
  readonly providers: readonly { readonly id: number; readonly name: string }[];
}

type Row = Readonly<Record<string, unknown>>;
const modes: Readonly<Record<string, Device>> = { Mobile: 'mobile', 2: 'desktop', DesktopAndMobile: 'all' };

function tallyOf(sendings: readonly Sending[], device: Device = 'all', domain?: number): Tally {
  const tally = new Tally(device);
  for (const { messages } of sendings)
    for (const one of messages) if (domain === undefined || one.domain === domain) tally.add(one.story);
  return tally;
}

/** Collects what differs. */
class Differences {
  readonly differences: string[] = [];
  figures = 0;

  compare(where: string, row: Row | undefined, expected: Row): void {
    for (const [name, value] of Object.entries(expected)) {
      this.figures += 1;
      const counted = row?.[name];
      const isSame =
        typeof value === 'number' && typeof counted === 'number'
          ? Math.abs(counted - value) < 1e-9
          : counted === value;
      if (!isSame) this.differences.push(`${where} ${name}: ${String(counted)}, done ${String(value)}`);
    }
  }
}

/** Reads every statistics operation, and compares each figure with the tally. */
export async function differences(
  site: ApiClient,
  compared: Compared,
): Promise<{ differences: string[]; figures: number }> {
  const found = new Differences();
  for (const campaign of compared.campaigns) await compareCampaign(site, compared, campaign, found);
  for (const sending of compared.sendings) await compareSending(site, compared, sending, found);
  await compareLists(site, compared, found);
  return found;
}

const common = { groupName: 'shop.example', senderDomain: 'shop.example' };

async function compareCampaign(
  site: ApiClient,
  { sendings }: Compared,
  campaign: SentCampaign,
  found: Differences,
): Promise<void> {
  const own = sendings.filter((one) => one.campaign === campaign);
  const { idCampaign, idJob } = campaign;
  found.compare(`campaign ${idCampaign}`, await site.get<Row>('/statistics/campaign', { idCampaign }), {
    ...common,
    ...ofCampaign(tallyOf(own)),
    nbjob: 1,
    nbSents: own.length,
    nbAd: own.length,
    nbLinks: linksOf(campaign),
  });
  const lists: readonly (readonly [string, Promise<Row[]>])[] = [
    ['sendings', site.get<Row[]>(`/campaigns/${idCampaign}/sendings`)],
    ['job-sendings', site.get<Row[]>('/campaigns/job-sendings', { idCampaign, idJob })],
  ];
  for (const [name, list] of lists) {
    const rows = (await list).map((row) => ('sent' in row ? (row.sent as Row) : row));
    for (const sending of own) {
      const row = rows.find((one) => one.idSent === sending.idSent);
      found.compare(`${name} ${sending.idSent}`, row, ofSent(tallyOf([sending])));
    }
  }
}

async function compareSending(
  site: ApiClient,
  { providers }: Compared,
  sending: Sending,
  found: Differences,
): Promise<void> {
  const { idSent, campaign } = sending;
  for (const [mode, device] of Object.entries(modes)) {
    const rows = await site.get<Row[]>('/statistics/sending', { idSent, mode });
    const { nbAddressToSend, nbClicksViral, nbClickersViral, reacViral, ...expected } = ofSending(
      tallyOf([sending], device),
    );
    found.compare(`sending ${idSent} ${mode}`, rows[0], { idSent, ...expected });
  }
  const rows = await site.get<Row[]>('/statistics/providers', { idJob: campaign.idJob, idSent });
  for (const [domain, { id, name }] of [...providers, { id: 0, name: 'Others' }].entries()) {
    const row = rows.find((one) => one.idFai === id);
    const tally = tallyOf([sending], 'all', domain);
    const expected = { isp: name, groupName: common.groupName, ...ofProvider(tally) };
    found.compare(`provider ${name} of ${idSent}`, row, expected);
  }
}

async function compareLists(site: ApiClient, { campaigns, sendings }: Compared, found: Differences) {
  const jobs = await site.get<Row[]>('/statistics/jobs');
  for (const campaign of campaigns) {
    const own = sendings.filter((one) => one.campaign === campaign);
    found.compare(
      `job ${campaign.idJob}`,
      jobs.find(({ idJob }) => idJob === campaign.idJob),
      {
        ...common,
        ...ofJob(tallyOf(own)),
        idCampaign: campaign.idCampaign,
        isTest: false,
        nbSegments: own.length,
        nbPubInsert: own.length,
        nbLinks: linksOf(campaign),
      },
    );
  }
  for (const [mode, device] of Object.entries(modes)) {
    const recent = await site.get<Row[]>('/statistics/sendings', { nbDays: 60, mode });
    for (const sending of sendings) {
      const { idSent, campaign } = sending;
      const { idCampaign, idJob } = campaign;
      const expected = { idCampaign, idJob, nbPubsInsert: 1, ...ofSending(tallyOf([sending], device)) };
      const ofOne = await site.get<Row[]>('/statistics/campaign/sendings', { idCampaign, nbDays: 1, mode });
      const rowOf = (rows: Row[]) => rows.find((one) => one.idSent === idSent);
      found.compare(`recent ${idSent} ${mode}`, rowOf(recent), expected);
      found.compare(`sendings of ${idCampaign}, ${idSent} ${mode}`, rowOf(ofOne), expected);
    }
  }
}
