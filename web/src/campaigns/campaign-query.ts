import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { isSameVersion, versionedOf } from '../api/versions.ts';
import { type Campaign, isRunning } from './campaign.ts';

/** A campaign with its MJML, and the version in which both were read. */
export interface ReadCampaign extends Campaign {
  readonly etag: string;
  readonly mjml: components['schemas']['CampaignMjml'];
}

/** Reads of a campaign and its MJML, before another person's changes between the two are a failure. */
const mostReads = 5;

/** Reads a campaign with its MJML, which nothing shows while it is being sent. */
async function readCampaign(idsite: string, idCampaign: number): Promise<ReadCampaign> {
  const params = { path: { idsite, idCampaign } };
  for (let read = 1; ; read += 1) {
    const { value, etag } = await versionedOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params }));
    if (isRunning(value)) return { ...value, etag, mjml: { mjml: '', isCurrent: false } };
    const mjml = await versionedOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/mjml', { params }));
    if (isSameVersion(etag, mjml.etag)) return { ...value, etag, mjml: mjml.value };
    if (read === mostReads) throw new Error('The campaign changed during each read');
  }
}

/** The query of one campaign with its content. */
export const campaignQuery = (idsite: string, idCampaign: number) => ({
  queryKey: ['campaigns', idsite, 'one', idCampaign],
  queryFn: () => readCampaign(idsite, idCampaign),
});

/** What follows from a campaign's content and segments; read again after each change of them. */
export const partQuery = <T>(idsite: string, idCampaign: number, part: string, read: () => Promise<T>) => ({
  queryKey: ['campaign', idsite, idCampaign, part],
  queryFn: read,
});

export const segmentsQuery = (idsite: string, idCampaign: number) =>
  partQuery(idsite, idCampaign, 'segments', () =>
    dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path: { idsite, idCampaign } } }),
    ),
  );

export const countsQuery = (idsite: string, idCampaign: number) =>
  partQuery(idsite, idCampaign, 'counts', () =>
    dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments/count', {
        params: { path: { idsite, idCampaign } },
      }),
    ),
  );

export const checklistQuery = (idsite: string, idCampaign: number) =>
  partQuery(idsite, idCampaign, 'checklist', () =>
    dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/checklist', { params: { path: { idsite, idCampaign } } }),
    ),
  );

/** Real sendings of all jobs, one for each segment, oldest first. */
export const sendingsQuery = (idsite: string, idCampaign: number) =>
  partQuery(idsite, idCampaign, 'sendings', async () => {
    const all = await dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/sendings', { params: { path: { idsite, idCampaign } } }),
    );
    return all.filter(({ isTest }) => !isTest);
  });

export type Segment = Awaited<ReturnType<ReturnType<typeof segmentsQuery>['queryFn']>>[number];
export type SegmentCount = Awaited<ReturnType<ReturnType<typeof countsQuery>['queryFn']>>[number];
