import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';

/** Changes of a running sending; `send-now` resumes a paused one. */
export type RunChange = 'pause' | 'send-now' | 'stop';

/** Returns a function that changes a running sending. A refusal is said at the edge of the screen. */
export function useRunChange(idCampaign: number): (to: RunChange) => void {
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  return (to) => {
    const params = { path: { idsite: site.name } };
    const body = idCampaign;
    const calls = {
      pause: () => api.POST('/v1/{idsite}/campaigns/pause', { params, body }),
      'send-now': () => api.POST('/v1/{idsite}/campaigns/send-now', { params, body }),
      stop: () => api.POST('/v1/{idsite}/campaigns/stop', { params, body }),
    };
    void dataOf(calls[to]())
      .catch((error: unknown) => toast({ text: refusal(error) }))
      .then(() =>
        Promise.all(
          ['campaigns', 'jobs'].map((what) => queries.invalidateQueries({ queryKey: [what, site.name] })),
        ),
      );
  };
}
