import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { createDraft } from '../campaigns/create-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { fieldIds } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { type Entry, isSubscribedOnly } from './condition.ts';
import type { UnsavedTarget } from './unsaved-target.ts';

export type Target = components['schemas']['Target'];

interface NewTarget<T> {
  /** Excluded targets, and what part is taken. */
  readonly limits?: Omit<UnsavedTarget, 'filters'>;
  /** Conditions on fields, besides the one on the status. */
  readonly conditions?: readonly Entry[];
  /** Stores the rest of the target. */
  readonly fill: (idTarget: number) => Promise<T>;
}

/**
 * Creates a target of subscribed people, fills it, and returns what `fill` returns. A target that could not be filled is
 * deleted: without its other filters it selects everybody, under a name that says otherwise.
 */
export async function createTarget<T>(
  idsite: string,
  name: string,
  { limits, conditions = [], fill }: NewTarget<T>,
): Promise<T> {
  const params = { path: { idsite } };
  const { id } = await dataOf(api.POST('/v1/{idsite}/targets', { params, body: { name, ...limits } }));
  const filters = [
    { idField: fieldIds.status, operator: 'Equal' as const, value: '0' },
    ...conditions.filter((entry) => !isSubscribedOnly(entry)),
  ];
  try {
    await dataOf(
      api.PUT('/v1/{idsite}/targets/filters/field', {
        params,
        body: { idTarget: id, isEnabled: true, filters },
      }),
    );
    return await fill(id);
  } catch (failure) {
    const path = { idsite, idTarget: id };
    await dataOf(api.DELETE('/v1/{idsite}/targets/{idTarget}', { params: { path } })).catch(() => undefined);
    throw failure;
  }
}

const mostItems = 200;

/** The ids of the reader's favourites; lists of targets do not mark them. */
export function useFavouriteTargets() {
  const site = useSite();
  return useQuery({
    queryKey: ['targets', site.name, 'favourites'],
    queryFn: async () => {
      const ids = new Set<number>();
      for (let start = 0; ; start += mostItems) {
        const query = {
          'filter.location': 'MyFavorites',
          'filter.sortBy': 'IdTarget',
          'filter.order': 'ASC',
          'filter.start': start,
          'filter.limit': mostItems,
        } as const;
        const { items, totalCount } = await dataOf(
          api.GET('/v1/{idsite}/targets', { params: { path: { idsite: site.name }, query } }),
        );
        for (const { idTarget } of items) ids.add(idTarget);
        if (items.length === 0 || start + items.length >= totalCount) return ids;
      }
    },
  });
}

/** Archives, restores, duplicates and marks targets, and reports it; archiving can be undone for 10 s. */
export function useTargetActions() {
  const { words } = useWords();
  const texts = words.targets;
  const site = useSite();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const setArchived = async (idTarget: number, isArchived: boolean) => {
    const params = { path: { idsite: site.name, idTarget } };
    await dataOf(
      isArchived
        ? api.POST('/v1/{idsite}/targets/{idTarget}/archive', { params })
        : api.POST('/v1/{idsite}/targets/{idTarget}/unarchive', { params }),
    );
    await queries.invalidateQueries({ queryKey: ['targets', site.name] });
  };
  const failed = (error: unknown) => toast({ text: refusal(error) });
  return {
    archive: (idTarget: number, name: string, isArchived: boolean) =>
      setArchived(idTarget, isArchived).then(
        () =>
          toast({
            text: isArchived ? texts.archived(name) : texts.restored(name),
            seconds: 10,
            undo: () => setArchived(idTarget, !isArchived).catch(failed),
          }),
        failed,
      ),
    setFavourite: async (idTarget: number, isFavourite: boolean) => {
      const params = { path: { idsite: site.name, idTarget } };
      try {
        await dataOf(api.PUT('/v1/{idsite}/targets/{idTarget}/favourite', { params, body: isFavourite }));
        await queries.invalidateQueries({ queryKey: ['targets', site.name] });
      } catch (error) {
        failed(error);
      }
    },
    /** Makes a campaign to the people of a target and opens it. */
    writeTo: async (idTarget: number, name: string) => {
      try {
        const id = await createDraft(site.name, words.composer.starter, { idTarget, name });
        await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
        await navigate({
          to: '/$site/campaigns/$idCampaign',
          params: { site: site.name, idCampaign: String(id) },
        });
      } catch (error) {
        failed(error);
      }
    },
    duplicate: async (idTarget: number, name: string) => {
      const params = { path: { idsite: site.name } };
      try {
        const { id, parameters } = await dataOf(
          api.POST('/v1/{idsite}/targets/duplicate', { params, body: idTarget }),
        );
        // The service names copies in French.
        await dataOf(
          api.PUT('/v1/{idsite}/targets/{idTarget}', {
            params: { path: { idsite: site.name, idTarget: id } },
            body: { ...parameters, name: texts.copyOf(name).slice(0, 255) },
          }),
        );
        await queries.invalidateQueries({ queryKey: ['targets', site.name] });
        await navigate({
          to: '/$site/targets/$idTarget',
          params: { site: site.name, idTarget: String(id) },
        });
      } catch (error) {
        failed(error);
      }
    },
  };
}
