import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';

/** Takes back a sending that has not started yet. */
export function useUndoSending(campaign: Campaign): () => Promise<void> {
  const { words } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  return async () => {
    const params = { path: { idsite: site.name } };
    try {
      await dataOf(api.POST('/v1/{idsite}/campaigns/stop', { params, body: campaign.id }));
      toast({ text: words.composer.undone(campaign.parameters.name) });
    } catch (error) {
      toast({ text: refusal(error) });
    }
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    await queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] });
  };
}
