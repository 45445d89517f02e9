import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { ifMatch, storeOver, type Versioned, versionedOf } from '../api/versions.ts';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
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

type Values = Segment['parameters'];

/** A segment at its place. */
interface Placed {
  readonly segmentPosition: number;
  readonly values: Values;
}

/** Whether a change of properties overwrites only what it began from, or what is the same already. */
const isOver = (values: Values, changed: Partial<Values>, base: Partial<Values>): boolean =>
  (Object.keys(changed) as (keyof Values)[]).every(
    (name) => values[name] === base[name] || values[name] === changed[name],
  );

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
  const readAll = () => dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path } }));
  /** The place of a segment now, which another change may have moved; undefined if it was removed. */
  const placeOf = async (idSegment: number): Promise<number | undefined> => {
    const all = await readAll();
    return all.find(({ id }) => id === idSegment)?.position;
  };
  /** A segment with its version; undefined if it was removed. */
  const readPlaced = async (idSegment: number): Promise<Versioned<Placed> | undefined> => {
    const segmentPosition = await placeOf(idSegment);
    if (segmentPosition === undefined) return undefined;
    const params = { path: { ...path, segmentPosition } };
    const { value, etag } = await versionedOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params }),
    );
    // Another person has moved it since the list was read.
    if (value.id !== idSegment) return readPlaced(idSegment);
    return { value: { segmentPosition, values: value.parameters }, etag };
  };
  /** Does something at the present place of a segment; nothing if it was removed. */
  const at = (idSegment: number, act: (segmentPosition: number) => Promise<unknown>) =>
    change(async () => {
      const segmentPosition = await placeOf(idSegment);
      if (segmentPosition !== undefined) await act(segmentPosition);
    });
  const setOrder = (ids: number[]) =>
    dataOf(api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/order', { params: { path }, body: ids }));
  /** Puts a segment back at its place, with its advertisements, in one call: its place decides who gets it. */
  const putBack = async ({ parameters, advertisements }: Segment, followers: ReadonlySet<number>) => {
    const follower = (await readAll()).find(({ id }) => followers.has(id));
    const placed = advertisements.map(({ position, idAdvertisement }) => ({ position, idAdvertisement }));
    const body = { ...parameters, position: follower?.position ?? null, advertisements: placed };
    await dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path }, body }));
  };
  return {
    add: (body: Segment['parameters']): Promise<void> =>
      change(() =>
        dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments', { params: { path }, body })),
      ),
    /**
     * Changes properties of a segment, whose values were `base` when the change began. Returns the stored values instead
     * if another person has changed one of these properties in the meantime; their changes of others stay.
     */
    update: (idSegment: number, changed: Partial<Values>, base: Partial<Values>) =>
      inTurn(key, async () => {
        const outcome = await storeOver<Placed, unknown>({
          known: undefined,
          read: () => readPlaced(idSegment),
          isSame: ({ values }) => isOver(values, changed, base),
          write: ({ value: { segmentPosition, values }, etag }) => {
            const params = { path: { ...path, segmentPosition }, header: ifMatch(etag) };
            return dataOf(
              api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', {
                params,
                body: { ...values, ...changed },
              }),
            );
          },
        });
        await renew();
        return outcome && 'theirs' in outcome ? outcome.theirs.value.values : undefined;
      }),
    /** Removes a segment. Returns what puts it back before those that followed it, with its advertisements. */
    remove: (idSegment: number): Promise<() => Promise<void>> =>
      inTurn(key, async () => {
        const all = await readAll();
        const index = all.findIndex(({ id }) => id === idSegment);
        const removed = all[index];
        if (!removed) return async () => undefined;
        const params = { path: { ...path, segmentPosition: removed.position } };
        await dataOf(
          api.DELETE('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}', { params }),
        );
        await renew();
        return () => change(() => putBack(removed, new Set(all.slice(index + 1).map(({ id }) => id))));
      }),
    /**
     * Moves a segment to the place that follows from its present one, both counted from 0. Returns both, or undefined
     * if it was removed or stays where it is.
     */
    move: (idSegment: number, placeOf: (from: number) => number) =>
      inTurn(key, async () => {
        const ids = (await readAll()).map(({ id }) => id);
        const from = ids.indexOf(idSegment);
        const to = Math.min(Math.max(placeOf(from), 0), ids.length - 1);
        if (from === -1 || from === to) return undefined;
        ids.splice(from, 1);
        ids.splice(to, 0, idSegment);
        await setOrder(ids);
        await renew();
        return { from, to };
      }),
    /** Places an advertisement at [[ENCART.n]], or none. */
    place: (idSegment: number, position: number, idAdvertisement: number | null): Promise<void> =>
      at(idSegment, (segmentPosition) =>
        dataOf(
          api.PUT('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/advertisement', {
            params: { path: { ...path, segmentPosition } },
            body: { position, idAdvertisement: idAdvertisement ?? -1 },
          }),
        ),
      ),
  };
}

/** Returns a function that removes a segment, says so, and offers to put it back. */
export function useRemoveSegment(campaign: Campaign): (segment: Segment) => void {
  const { composer } = useWords().words;
  const { remove } = useSegments(campaign);
  const act = useAct();
  return ({ id, parameters: { name } }) =>
    act(async () => {
      const undo = await remove(id);
      toast({ text: composer.removed(name), seconds: 10, undo });
    });
}
