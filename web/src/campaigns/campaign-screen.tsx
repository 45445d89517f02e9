import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { MessageFrame } from '../parts/message-frame.tsx';
import { StateOf } from '../parts/state.tsx';
import { Failed, Loading, NotFound, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { isRunning, stateOf } from './campaign.ts';

const route = getRouteApi('/$site/campaigns/$idCampaign');
const liveMs = 1_500;

/** The query of one campaign with its content; repeated while it is being sent. */
export const campaignQuery = (idsite: string, idCampaign: number) => ({
  queryKey: ['campaigns', idsite, 'one', idCampaign],
  queryFn: () =>
    dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params: { path: { idsite, idCampaign } } })),
});

/** One campaign. */
export function CampaignScreen() {
  const { words } = useWords();
  const site = useSite();
  const { idCampaign } = route.useParams();
  const { data, error, refetch } = useQuery({
    ...campaignQuery(site.name, Number(idCampaign)),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? liveMs : false),
  });
  if (isNotFound(error) || !/^\d+$/.test(idCampaign))
    return <NotFound text={words.campaigns.notFound(idCampaign, site.name)} />;
  if (!data)
    return (
      <Page title={words.campaigns.title}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  return (
    <Page
      title={data.parameters.name}
      crumb={
        <Link to="/$site/campaigns" params={{ site: site.name }} search={{}}>
          {words.campaigns.title}
        </Link>
      }
      sub={
        <>
          <StateOf state={stateOf(data)} />
          <span>{data.parameters.subject || words.campaigns.noSubject}</span>
        </>
      }
    >
      <section className="card" style={{ overflow: 'hidden' }}>
        <MessageFrame title={words.composer.previewTitle} html={data.htmlContent ?? ''} />
      </section>
    </Page>
  );
}
