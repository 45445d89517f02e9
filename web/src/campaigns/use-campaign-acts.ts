import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isRunning } from './campaign.ts';
import { changeParameter } from './change-parameter.ts';
import { duplicateCampaign } from './duplicate.ts';

/** A campaign as it is after it was archived or restored. */
const toggled = (one: Campaign): Campaign => ({
  ...one,
  parameters: { ...one.parameters, isArchive: !one.parameters.isArchive },
});

/**
 * Actions on campaigns of the list, one or many; each says what was done.
 * @param done called once the list has been read again
 */
export function useCampaignActs(done: () => void = () => undefined) {
  const { words, format } = useWords();
  const { campaigns: texts, campaignList: list } = words;
  const site = useSite();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const act = useAct();
  const path = { idsite: site.name };
  const renew = async () => {
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    done();
  };
  const counted = (all: readonly Campaign[]) =>
    list.campaigns(format.count(all.length), format.isOne(all.length));
  const setArchived = async (all: readonly Campaign[], isArchive: boolean) => {
    try {
      for (const one of all) await changeParameter(site.name, one, 'isArchive', isArchive);
    } finally {
      await renew();
    }
  };
  const move = async (all: readonly Campaign[], directoryOf: (campaign: Campaign) => number) => {
    try {
      for (const one of all)
        await dataOf(
          api.PUT('/v1/{idsite}/campaigns', {
            params: { path },
            body: { id: one.id, parameters: {}, idDirectory: directoryOf(one) },
          }),
        );
    } finally {
      await renew();
    }
  };
  return {
    /** Archives campaigns, or restores them from the archive; those that are being sent stay. */
    archive: (campaigns: readonly Campaign[], isArchive: boolean) =>
      act(async () => {
        const all = campaigns.filter((one) => !isRunning(one));
        await setArchived(all, isArchive);
        const [one] = all;
        const said = isArchive ? texts.archived : texts.restored;
        const saidOfAll = isArchive ? list.archived : list.restored;
        if (one)
          toast({
            text: all.length === 1 ? said(one.parameters.name) : saidOfAll(counted(all)),
            seconds: 10,
            undo: () => setArchived(all.map(toggled), !isArchive),
          });
      }),
    /** Moves campaigns into a directory; 0 is none. */
    move: (campaigns: readonly Campaign[], idDirectory: number, name: string) =>
      act(async () => {
        const all = campaigns.filter((one) => !isRunning(one));
        await move(all, () => idDirectory);
        const before = new Map(all.map((one) => [one.id, one.idDirectory ?? 0]));
        toast({
          text: idDirectory === 0 ? list.removed(counted(all)) : list.moved(counted(all), name),
          seconds: 10,
          undo: () => move(all, ({ id }) => before.get(id)!),
        });
      }),
    /** Duplicates campaigns; of a single one, the copy is opened. */
    duplicate: (campaigns: readonly Campaign[]) =>
      act(async () => {
        const ids: number[] = [];
        try {
          for (const { id, parameters } of campaigns)
            ids.push(await duplicateCampaign(site.name, id, texts.copyOf(parameters.name)));
        } finally {
          await renew();
        }
        if (ids.length !== 1) return toast({ text: list.duplicated(counted(campaigns)) });
        await navigate({
          to: '/$site/campaigns/$idCampaign',
          params: { site: site.name, idCampaign: String(ids[0]) },
        });
      }),
    setFavourite: (idCampaign: number, isFavourite: boolean) =>
      act(async () => {
        await dataOf(
          api.PUT('/v1/{idsite}/campaigns/{idCampaign}/favourite', {
            params: { path: { ...path, idCampaign } },
            body: isFavourite,
          }),
        );
        await renew();
      }),
  };
}

export type CampaignActs = ReturnType<typeof useCampaignActs>;
