import { figures } from '../activity/figures.ts';
import type { ProviderCounters } from '../activity/provider-counter-store.ts';
import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';

/** The figures of one provider's recipients within a sending. */
export const ProviderStatistics = Closed('ProviderStatistics', {
  dsn: Type.String({
    description:
      'Most frequent status code of the reports, for example 5.1.1 (RFC 3463); empty without reports',
  }),
  dsnCount: Count('Recipients with a report of this status code'),
  groupName: Type.String({ description: 'Group of the sending: the domain of the sender' }),
  idFai: Count('The provider; 0 for recipients whose domain belongs to no provider'),
  isp: Type.String({ description: 'Name of the provider; Others for 0' }),
  nbAdClickers: figures.nbAdClickers,
  nbAdClicks: figures.nbAdClicks,
  nbAddressSent: figures.nbAddressSent,
  nbAddressToSend: figures.nbAddressToSend,
  nbAutoRespondersBounces: figures.nbAutoRespondersBounces,
  nbBounces: figures.nbTotalBounces,
  nbClickers: figures.nbClickers,
  nbClicks: figures.nbClicks,
  nbContentClickers: Count('Recipients with at least one of nbEditoClicks or nbAdClicks'),
  nbDelivered: Count('nbAddressSent, less hard, soft, DNS and spam bounces'),
  nbDnsErrorsBounces: figures.nbDnsErrorsBounces,
  nbEditoClickers: figures.nbEditoClickers,
  nbEditoClicks: figures.nbEditoClicks,
  nbHardBounces: figures.nbHardBounces,
  nbHumanOpeners: figures.nbHumanOpeners,
  nbHumanOpenings: figures.nbHumanOpenings,
  nbMirrorClickers: figures.nbMirrorClickers,
  nbMirrorClicks: figures.nbMirrorClicks,
  nbOpeners: figures.nbOpeners,
  nbOpenings: figures.nbOpenings,
  nbSoftBounces: figures.nbSoftBounces,
  nbSpamBounces: figures.nbSpamBounces,
  nbSpamComplaints: figures.nbSpamComplaints,
  nbUnsubClickers: figures.nbUnsubClickers,
  nbUnsubClicks: figures.nbUnsubClicks,
  nbUnsubs: figures.nbUnsubs,
  nbViralClickers: Count('Recipients with at least one click through a message that they forwarded'),
  nbViralClicks: Count('Clicks through forwarded messages; they are in no other kind of clicks'),
});
export type ProviderStatistics = Static<typeof ProviderStatistics>;

/** @param isp name of the provider; undefined if it no longer exists */
export function showProvider(
  { idProvider, counters, ...own }: ProviderCounters,
  groupName: string,
  isp: string | undefined,
): ProviderStatistics {
  const { nbTotalBounces, ...shown } = counters;
  return {
    ...own,
    ...shown,
    groupName,
    idFai: idProvider,
    isp: isp ?? (idProvider === 0 ? 'Others' : ''),
    nbBounces: nbTotalBounces,
  };
}
