import type { Counters } from '../activity/counters.ts';
import { Closed, Count, Nullable, type Static, Type } from '../platform/http/schema.ts';
import { groupNameOf, type JobRow } from './job-record.ts';

/** What came of a campaign: the sums over its real sendings. Test mailings count nowhere here. */
export const CampaignStatistics = Closed('CampaignStatistics', {
  groupName: Type.String(),
  jobErrorInfo: Nullable(Type.String()),
  nbAd: Count(),
  nbAdClickers: Count(),
  nbAdClicks: Count(),
  nbAddressSent: Count(),
  nbAddressToSend: Count(),
  nbAutoRespondersBounces: Count(),
  nbClickers: Count(),
  nbClicks: Count(),
  nbDnsErrorsBounces: Count(),
  nbEditoClickers: Count(),
  nbEditoClicks: Count(),
  nbGodsons: Count(),
  nbHardBounces: Count(),
  nbHumanOpeners: Count(),
  nbHumanOpenings: Count(),
  nbjob: Count(),
  nbLinks: Count(),
  nbMirrorClickers: Count(),
  nbMirrorClicks: Count(),
  nbOpeners: Count(),
  nbOpenings: Count(),
  nbSents: Count(),
  nbSoftBounces: Count(),
  nbSpamBounces: Count(),
  nbSpamComplaints: Count(),
  nbTotalBounces: Count(),
  nbUnsubClickers: Count(),
  nbUnsubClicks: Count(),
  nbUnsubs: Count(),
  nbViralClicks: Count(),
  senderDomain: Type.String(),
});
export type CampaignStatistics = Static<typeof CampaignStatistics>;

/**
 * The statistics of a campaign whose real jobs are `jobs`, oldest first. What is no sum (domain, links,
 * advertisements, what went wrong) is that of the last job.
 * @param counters the sum over all sents of the jobs
 * @param nbGodsons addresses that messages of the jobs were forwarded to
 */
export function campaignStatistics(
  jobs: readonly JobRow[],
  counters: Counters,
  nbGodsons: number,
): CampaignStatistics {
  const last = jobs.at(-1);
  // The document's counters less those that it has elsewhere only.
  const { nbViralClickers, nbDelivered, ...shown } = counters;
  return {
    ...shown,
    groupName: last ? groupNameOf(last) : '',
    senderDomain: last?.senderDomain ?? '',
    jobErrorInfo: last?.errorInfo ?? null,
    nbAd: last?.nbPubInsert ?? 0,
    nbLinks: last?.nbLinks ?? 0,
    nbjob: jobs.length,
    nbSents: jobs.reduce((sum, job) => sum + job.idsSent.length, 0),
    nbAddressToSend: jobs.reduce((sum, job) => sum + job.nbAddressToSend, 0),
    nbGodsons,
  };
}
