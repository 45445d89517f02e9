import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { partQuery, type sendingsQuery } from './campaign-query.ts';
import { idsOfPeople } from './people-figure.ts';

export type Sendings = readonly Awaited<ReturnType<ReturnType<typeof sendingsQuery>['queryFn']>>[number][];

/** The figures of a newly sent campaign still change. */
export const renewMs = 10_000;
/** Providers and segments are of so many sendings, the newest. */
export const mostSendings = 20;
const mostClickers = 20_000;

/** The sendings that a report is about. */
export interface Scope {
  readonly idCampaign: number;
  /** Only this sending. */
  readonly idSent: number | undefined;
  readonly sendings: Sendings;
}

const figureNames = [
  'nbAddressToSend',
  'nbAddressSent',
  'nbHardBounces',
  'nbSoftBounces',
  'nbDnsErrorsBounces',
  'nbSpamBounces',
  'nbHumanOpeners',
  'nbOpeners',
  'nbHumanOpenings',
  'nbOpenings',
  'nbClickers',
  'nbClicks',
  'nbUnsubs',
  'nbSpamComplaints',
] as const;

/** Figures of a campaign or a sending, or a sum of them. */
export type Figures = Readonly<Record<(typeof figureNames)[number], number>>;

export function sumOf(all: readonly Figures[]): Figures {
  const sums = figureNames.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)] as const);
  return Object.fromEntries(sums) as Figures;
}

/** Recipients whose message arrived, as far as the service knows: accepted, and not returned. */
export const deliveredOf = (figures: Figures): number =>
  Math.max(0, figures.nbAddressSent - bouncedOf(figures));

export const bouncedOf = (figures: Figures): number =>
  figures.nbHardBounces + figures.nbSoftBounces + figures.nbDnsErrorsBounces + figures.nbSpamBounces;

const queryOf = ({ idCampaign, idSent }: Scope) => ({ idCampaign, ...(idSent !== undefined && { idSent }) });

/** The figures by provider of each sending in scope, newest sending first. */
export function useProviders({ idCampaign, sendings }: Scope) {
  const site = useSite();
  const shown = sendings.slice(-mostSendings).reverse();
  const ids = shown.map(({ idSent }) => idSent);
  return useQuery({
    ...partQuery(site.name, idCampaign, 'providers', () =>
      Promise.all(
        shown.map(async (sending) => ({
          sending,
          providers: await dataOf(
            api.GET('/v1/{idsite}/statistics/providers', {
              params: {
                path: { idsite: site.name },
                query: { idJob: sending.idJob, idSent: sending.idSent },
              },
            }),
          ),
        })),
      ),
    ),
    queryKey: ['campaign', site.name, idCampaign, 'providers', ids],
    refetchInterval: renewMs,
  });
}

/** The figures of the scope: of the campaign over all its sendings, otherwise of the providers of one. */
export function useFigures(scope: Scope) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'figures', scope.idSent],
    refetchInterval: renewMs,
    queryFn: async (): Promise<Figures> => {
      const params = { path: { idsite: site.name } };
      const [only] = scope.sendings;
      if (scope.idSent === undefined || !only)
        return dataOf(
          api.GET('/v1/{idsite}/statistics/campaign', {
            params: { ...params, query: { idCampaign: scope.idCampaign } },
          }),
        );
      const { idJob, idSent } = only;
      return sumOf(
        await dataOf(
          api.GET('/v1/{idsite}/statistics/providers', { params: { ...params, query: { idJob, idSent } } }),
        ),
      );
    },
  });
}

/** The figures of each hour or day. */
export function useOverTime(scope: Scope, unit: 'hour' | 'day') {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'time', scope.idSent, unit],
    refetchInterval: renewMs,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/over-time', {
          params: { path: { idsite: site.name }, query: { ...queryOf(scope), unit } },
        }),
      ),
  });
}

/** The clicks on each link. */
export function useLinks(scope: Scope) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'links', scope.idSent],
    refetchInterval: renewMs,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/links', {
          params: { path: { idsite: site.name }, query: queryOf(scope) },
        }),
      ),
  });
}

/** Clicks by machines and the people who clicked; undefined if there are too many to tell them apart. */
export interface HumanClicks {
  readonly machineClicks: number;
  readonly clickers: number | undefined;
}

/** Tells clicks of people from those of machines. The service sums human clicks, and lists human clickers. */
export function useHumanClicks(scope: Scope, figures: Figures | undefined): HumanClicks | undefined {
  const site = useSite();
  const days = useOverTime(scope, 'day').data;
  const machineClicks = days?.reduce((sum, one) => sum + one.nbClicks - one.nbHumanClicks, 0);
  const most = figures?.nbClickers ?? 0;
  const mustCount = machineClicks !== undefined && machineClicks > 0 && most > 0 && most <= mostClickers;
  const counted = useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'human', scope.idSent, figures?.nbClicks],
    enabled: mustCount,
    queryFn: async () => {
      let sum = 0;
      for (const { idSent } of scope.sendings)
        sum += (await idsOfPeople(site.name, idSent, 'nbHumanClickers', mostClickers)).length;
      return sum;
    },
  });
  if (machineClicks === undefined || !figures) return undefined;
  if (machineClicks === 0) return { machineClicks, clickers: most };
  return { machineClicks, clickers: mustCount ? counted.data : undefined };
}
