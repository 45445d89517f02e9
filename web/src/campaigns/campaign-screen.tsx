import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isRunning, stateOf } from './campaign.ts';
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
  useFocusOnTurn(data);
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

/** A dialog that closes gives the focus back within this time. */
const settledMs = 400;

/** Moves the focus to the content when a campaign turns from a draft into a run or a report, and the focus is gone. */
function useFocusOnTurn(campaign: Campaign | undefined): void {
  const state = campaign && (isRunning(campaign) ? 'run' : stateOf(campaign));
  const before = useRef(state);
  useEffect(() => {
    const hasTurned = before.current !== undefined && before.current !== state;
    before.current = state;
    if (!hasTurned) return;
    const timer = setTimeout(() => {
      if (document.activeElement === document.body)
        document.getElementById('content')?.focus({ preventScroll: true });
    }, settledMs);
    return () => clearTimeout(timer);
  }, [state]);
}
