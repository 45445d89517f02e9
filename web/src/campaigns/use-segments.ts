import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import type { Campaign } from './campaign.ts';
import type { Segment } from './campaign-query.ts';

/** Changes segments, and has everything that follows from them read again. */
export function useSegments({ id: idCampaign }: Campaign) {
  const site = useSite();
  const queries = useQueryClient();
  const path = { idsite: site.name, idCampaign };
  const renew = () => queries.invalidateQueries({ queryKey: ['campaign', site.name, idCampaign] });
  return {
    async add(body: Segment['parameters']): Promise<void> {
      await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path }, body }));
      await renew();
    },
    async update(segmentPosition: number, body: Segment['parameters']): Promise<void> {
      const params = { path: { ...path, segmentPosition } };
      await dataOf(
        api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params, body }),
      );
      await renew();
    },
    async remove(segmentPosition: number): Promise<void> {
      const params = { path: { ...path, segmentPosition } };
      await dataOf(api.DELETE('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params }));
      await renew();
    },
    async reorder(ids: readonly number[]): Promise<void> {
      await dataOf(
        api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/order', { params: { path }, body: [...ids] }),
      );
      await renew();
    },
    /** Places an advertisement at [[ENCART.n]], or none. */
    async place(segmentPosition: number, position: number, idAdvertisement: number | null): Promise<void> {
      const params = { path: { ...path, segmentPosition } };
      const body = { position, idAdvertisement: idAdvertisement ?? -1 };
      await dataOf(
        api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/advertisement', {
          params,
          body,
        }),
      );
      await renew();
    },
  };
}
export type Segments = ReturnType<typeof useSegments>;
