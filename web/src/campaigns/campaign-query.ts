import { api, dataOf } from '../api/client.ts';
import { type Versioned, versionedOf } from '../api/versions.ts';
import type { Campaign } from './campaign.ts';

/** A campaign with the version in which it was read. */
export interface ReadCampaign extends Campaign {
  readonly etag: string;
}

export const readCampaignOf = ({ value, etag }: Versioned<Campaign>): ReadCampaign => ({ ...value, etag });

/** The query of one campaign with its content. */
export const campaignQuery = (idsite: string, idCampaign: number) => ({
  queryKey: ['campaigns', idsite, 'one', idCampaign],
  queryFn: async () =>
    readCampaignOf(
      await versionedOf(
        api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params: { path: { idsite, idCampaign } } }),
      ),
    ),
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
