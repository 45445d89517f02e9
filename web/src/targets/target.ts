import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { createDraft } from '../campaigns/create-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';

export type Target = components['schemas']['Target'];

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
