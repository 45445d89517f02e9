import sharp from 'sharp';
import { type ApiClient, apiClient } from '../demo/api-client.ts';
import { makeFields } from '../demo/audience-steps.ts';
import { makeCampaign, makeDirectory } from '../demo/campaign-steps.ts';
import { FacteurProcess } from './child-process.ts';
import { type ConsoleTester, openConsole } from './console.ts';

/** Records of the demo, by the names that the routes of the console give their ids. */
export interface DemoRecords {
  readonly idCampaign: number;
  readonly idTarget: number;
  /** A subscriber who opened and clicked. */
  readonly idSubscriber: number;
  readonly idImport: number;
  /** Another campaign like the one that was sent. */
  readonly idDraft: number;
}

/** A console over the data of the demo, a draft and some pictures. */
export interface FilledConsole extends ConsoleTester {
  readonly records: DemoRecords;
}

/**
 * Starts the program with its console and a browser, and lets the demo fill its site.
 * @param rows subscribers in the demo's file
 */
export async function openFilledConsole(rows: number): Promise<FilledConsole> {
  const delays = { FACTEUR_IMPORT_DELAY_S: '1', FACTEUR_SEND_DELAY_S: '1' };
  const t = await openConsole({ ...delays, FACTEUR_REQUESTS_PER_MINUTE: '1000000' });
  try {
    return { ...t, records: await fill(t, rows) };
  } catch (error) {
    await t.close();
    throw error;
  }
}

async function fill({ started, dataDir, url }: ConsoleTester, rows: number): Promise<DemoRecords> {
  const demo = new FacteurProcess(['demo', String(rows)], {
    FACTEUR_DATA_DIR: dataDir,
    FACTEUR_PORT: String(started.port),
    FACTEUR_SFTP_PORT: String(started.sftpPort),
    FACTEUR_SMTP_PORT: String(started.smtpPort),
  });
  const { code, stderr } = await demo.ended;
  if (code !== 0) throw new Error(`The demo failed: ${stderr}`);
  const site = apiClient(`${url}/v1/demo`, started.adminToken!);
  await uploadPictures(site);
  const idCampaign = await firstOf(site, '/campaigns', 'Id');
  const idTarget = await firstOf(site, '/targets', 'IdTarget', { 'filter.location': 'All' });
  const { parameters } = await site.get<StoredCampaign>(`/campaigns/${idCampaign}`);
  const idDirectory = await makeDirectory(site);
  const fields = await makeFields(site);
  return {
    ...{ idCampaign, idTarget },
    idSubscriber: await clickerOf(site, idCampaign),
    idImport: await firstOf(site, '/imports', 'ID'),
    idDraft: await makeCampaign(site, { ...parameters, idTarget, idDirectory, fields }),
  };
}

interface StoredCampaign {
  readonly parameters: { readonly idConfiguration: number; readonly idTestTarget: number };
}

/** The lowest id of a list. */
async function firstOf(
  site: ApiClient,
  path: string,
  sortBy: string,
  filters: Readonly<Record<string, string>> = {},
): Promise<number> {
  const query = { 'filter.sortBy': sortBy, 'filter.order': 'ASC', ...filters };
  const { items } = await site.get<{ items: { id: number; idTarget?: number }[] }>(path, query);
  return items[0]!.idTarget ?? items[0]!.id;
}

/** The first subscriber who clicked in a campaign. */
async function clickerOf(site: ApiClient, idCampaign: number): Promise<number> {
  type Sending = { readonly idSent: number; readonly isTest: boolean };
  const sendings = await site.get<Sending[]>(`/campaigns/${idCampaign}/sendings`);
  const { idSent } = sendings.find(({ isTest }) => !isTest)!;
  const people = await site.get<{ idSubscriber: number }[]>('/statistics/people', {
    idSent,
    figure: 'nbClickers',
  });
  return people[0]!.idSubscriber;
}

/** Puts a few plain pictures, of one colour each, into the library. */
async function uploadPictures(site: ApiClient): Promise<void> {
  const colours = {
    bulbs: '#c2562d',
    pots: '#4d7c5a',
    seeds: '#d9a441',
    tools: '#3f6487',
    terrace: '#8a5a83',
  };
  for (const [name, background] of Object.entries(colours)) {
    const picture = await sharp({ create: { width: 600, height: 400, channels: 3, background } })
      .png()
      .toBuffer();
    const base64Content = picture.toString('base64');
    await site.post('/pictures', { name, fileName: `${name}.png`, base64Content });
  }
}
