import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { stateOf } from '../campaigns/campaign.ts';
import { StateOf } from '../parts/state.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';

const shown = 5;
/** Scheduled campaigns are looked for among the newest so many that use a target. */
const lookedThrough = 200;

/** The campaigns that use a target, newest first, and how many of them are scheduled. */
export function useUses(idTarget: number) {
  const site = useSite();
  const { data } = useQuery({
    queryKey: ['campaigns', site.name, 'of target', idTarget],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns', {
          params: {
            path: { idsite: site.name },
            query: {
              'filter.idTarget': idTarget,
              'filter.sortBy': 'Id',
              'filter.order': 'DESC',
              'filter.limit': lookedThrough,
            },
          },
        }),
      ),
  });
  const campaigns = data?.items ?? [];
  return {
    campaigns,
    total: data?.totalCount ?? 0,
    scheduled: campaigns.filter((campaign) => stateOf(campaign) === 'Programmed').length,
    isRead: data !== undefined,
  };
}

/** Where a target is used. */
export function UsedIn({ uses: { campaigns, total, scheduled } }: UsedInProps) {
  const { words, format } = useWords();
  const texts = words.targets;
  const site = useSite();
  if (total === 0) return null;
  return (
    <section className="card">
      <h2 className="card-head">{texts.usedIn(format.count(total), format.isOne(total))}</h2>
      <div className="card-body stack" style={{ gap: 8 }}>
        {scheduled > 0 && <p className="note amber">{texts.changeWithIt(scheduled)}</p>}
        <ul className="stack" style={{ gap: 8 }}>
          {campaigns.slice(0, shown).map((campaign) => (
            <li key={campaign.id} className="row uses">
              <Link
                className="link cut"
                to="/$site/campaigns/$idCampaign"
                params={{ site: site.name, idCampaign: String(campaign.id) }}
              >
                <bdi>{campaign.parameters.name}</bdi>
              </Link>
              <StateOf state={stateOf(campaign)} />
            </li>
          ))}
        </ul>
        {total > shown && <p className="small text-3">{texts.moreCampaigns(format.count(total - shown))}</p>}
      </div>
    </section>
  );
}
interface UsedInProps {
  readonly uses: ReturnType<typeof useUses>;
}
