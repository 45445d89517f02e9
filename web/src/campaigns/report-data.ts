import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { partQuery, type sendingsQuery } from './campaign-query.ts';
import { renewOf } from './renewal.ts';

export type Sendings = readonly Awaited<ReturnType<ReturnType<typeof sendingsQuery>['queryFn']>>[number][];

/** Providers and segments are of so many sendings, the newest. */
export const mostSendings = 20;

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
  'nbHumanClickers',
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

/** The people who opened and clicked, or everyone including machines; and where each is listed. */
export function readersOf(figures: Figures, withMachines: boolean) {
  const { nbOpeners, nbHumanOpeners, nbClickers, nbHumanClickers } = figures;
  return withMachines
    ? ({ opened: nbOpeners, openedBy: 'nbOpeners', clicked: nbClickers, clickedBy: 'nbClickers' } as const)
    : ({
        ...({ opened: nbHumanOpeners, openedBy: 'nbHumanOpeners' } as const),
        ...({ clicked: nbHumanClickers, clickedBy: 'nbHumanClickers' } as const),
      } as const);
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
    refetchInterval: renewOf(shown),
  });
}

/** The figures of the scope: of the campaign over all its sendings, otherwise of the providers of one. */
export function useFigures(scope: Scope) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'figures', scope.idSent],
    refetchInterval: renewOf(scope.sendings),
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
    refetchInterval: renewOf(scope.sendings),
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/over-time', {
          params: { path: { idsite: site.name }, query: { ...queryOf(scope), unit } },
        }),
      ),
  });
}

/** The clicks on each link. @param isWanted whether they are read */
export function useLinks(scope: Scope, isWanted = true) {
  const site = useSite();
  return useQuery({
    queryKey: ['campaign', site.name, scope.idCampaign, 'links', scope.idSent],
    enabled: isWanted,
    refetchInterval: renewOf(scope.sendings),
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/links', {
          params: { path: { idsite: site.name }, query: queryOf(scope) },
        }),
      ),
  });
}

/** The clicks on a link: of people, or of everyone including machines. */
export const clicksOf = (
  { nbClicks, nbHumanClicks }: { readonly nbClicks: number; readonly nbHumanClicks: number },
  withMachines: boolean,
): number => (withMachines ? nbClicks : nbHumanClicks);

/** The number of clicks by machines; undefined while it is read. */
export function useMachineClicks(scope: Scope): number | undefined {
  return useOverTime(scope, 'day').data?.reduce((sum, one) => sum + one.nbClicks - one.nbHumanClicks, 0);
}
