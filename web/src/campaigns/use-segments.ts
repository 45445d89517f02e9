import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import type { Campaign } from './campaign.ts';
import type { Segment } from './campaign-query.ts';

const turns = new Map<string, Promise<unknown>>();

/** One change of a campaign's segments at a time: each moves or names segments by their places. */
function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const turn = before.then(act, act);
  turns.set(key, turn);
  return turn;
}

/** Changes segments, and has everything that follows from them read again. */
export function useSegments({ id: idCampaign }: Campaign) {
  const site = useSite();
  const queries = useQueryClient();
  const path = { idsite: site.name, idCampaign };
  const renew = () => queries.invalidateQueries({ queryKey: ['campaign', site.name, idCampaign] });
  const key = `${site.name} ${idCampaign}`;
  const change = (act: () => Promise<unknown>) =>
    inTurn(key, async () => {
      await act();
      await renew();
    });
  /** The place of a segment now, which another change may have moved; undefined if it was removed. */
  const placeOf = async (idSegment: number): Promise<number | undefined> => {
    const all = await dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path } }));
    return all.find(({ id }) => id === idSegment)?.position;
  };
  /** Does something at the present place of a segment; nothing if it was removed. */
  const at = (idSegment: number, act: (segmentPosition: number) => Promise<unknown>) =>
    change(async () => {
      const segmentPosition = await placeOf(idSegment);
      if (segmentPosition !== undefined) await act(segmentPosition);
    });
  return {
    add: (body: Segment['parameters']): Promise<void> =>
      change(() =>
        dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path }, body })),
      ),
    update: (idSegment: number, body: Segment['parameters']): Promise<void> =>
      at(idSegment, (segmentPosition) => {
        const params = { path: { ...path, segmentPosition } };
        return dataOf(
          api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params, body }),
        );
      }),
    remove: (idSegment: number): Promise<void> =>
      at(idSegment, (segmentPosition) => {
        const params = { path: { ...path, segmentPosition } };
        return dataOf(
          api.DELETE('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params }),
        );
      }),
    reorder: (ids: readonly number[]): Promise<void> =>
      change(() =>
        dataOf(
          api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/order', { params: { path }, body: [...ids] }),
        ),
      ),
    /** Places an advertisement at [[ENCART.n]], or none. */
    place: (idSegment: number, position: number, idAdvertisement: number | null): Promise<void> =>
      at(idSegment, (segmentPosition) => {
        const params = { path: { ...path, segmentPosition } };
        const body = { position, idAdvertisement: idAdvertisement ?? -1 };
        return dataOf(
          api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/advertisement', {
            params,
            body,
          }),
        );
      }),
  };
}
