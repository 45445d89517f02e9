import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../api/api-error.ts';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { isRunning, stateOf } from './campaign.ts';
import { campaignQuery, sendingsQuery } from './campaign-query.ts';
import { Composer } from './composer.tsx';
import { LiveRun } from './live-run.tsx';
import { Report } from './report.tsx';

const route = getRouteApi('/$site/campaigns/$idCampaign');
const liveMs = 1_500;
/** A campaign that another person sends is noticed after this. */
const idleMs = 15_000;

/** One campaign: the live run while it is being sent, the report afterwards, otherwise the composer. */
export function CampaignScreen() {
  const { words } = useWords();
  const site = useSite();
  const { idCampaign } = route.useParams();
  const id = Number(idCampaign);
  const { data, error, refetch } = useQuery({
    ...campaignQuery(site.name, id),
    enabled: Number.isInteger(id),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? liveMs : idleMs),
  });
  const hasEnded = data !== undefined && ['Finished', 'Stopped'].includes(stateOf(data));
  const known = sendingsQuery(site.name, id);
  const sendings = useQuery({
    ...known,
    // Not what the live run has read: while the audience was frozen there were none.
    queryKey: [...known.queryKey, 'ended'],
    enabled: hasEnded,
  });
  if (isNotFound(error) || !Number.isInteger(id))
    return <NotFound text={words.campaigns.notFound(idCampaign, site.name)} />;
  if (!data || (hasEnded && sendings.isPending))
    return (
      <Page title={words.campaigns.title}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  if (isRunning(data)) return <LiveRun campaign={data} />;
  // A sending that was undone before it began has left nothing to report.
  const wasUndone = stateOf(data) === 'Stopped' && sendings.data?.length === 0;
  if (hasEnded && !wasUndone) return <Report campaign={data} sendings={sendings.data ?? []} />;
  return <Composer key={data.id} campaign={data} />;
}
