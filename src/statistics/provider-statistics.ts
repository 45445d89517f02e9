import { byName, figures, moreFigures } from '../activity/figures.ts';
import type { ProviderCounters } from '../activity/provider-counter-store.ts';
import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';

const { nbTotalBounces: nbBounces, ...others } = figures;

/** The figures of one provider's recipients within a sending. */
export const ProviderStatistics = Closed(
  'ProviderStatistics',
  byName({
    ...others,
    ...moreFigures,
    nbBounces,
    dsn: Type.String({
      description:
        'Most frequent status code of the reports, for example 5.1.1 (RFC 3463); empty without reports',
    }),
    dsnCount: Count('Recipients with a report of this status code'),
    groupName: Type.String({ description: 'Group of the sending: the domain of the sender' }),
    idFai: Count('The provider; 0 for recipients whose domain belongs to no provider'),
    isp: Type.String({ description: 'Name of the provider; Others for 0' }),
    nbContentClickers: Count('Recipients with at least one of nbEditoClicks or nbAdClicks'),
    nbWaiting: Count(
      'Recipients without a final state: not attempted yet, deferred, or with a message in flight',
    ),
  }),
);
export type ProviderStatistics = Static<typeof ProviderStatistics>;

/** The name of a provider; empty if it no longer exists. */
export const nameOfProvider = (id: number, names: ReadonlyMap<number, string>): string =>
  names.get(id) ?? (id === 0 ? 'Others' : '');

export function showProvider(
  { idProvider, nbTotalBounces, ...shown }: ProviderCounters,
  groupName: string,
  isp: string,
): ProviderStatistics {
  return { ...shown, groupName, idFai: idProvider, isp, nbBounces: nbTotalBounces };
}
