import type { Counters } from '../activity/counters.ts';
import { byName, figures, moreFigures } from '../activity/figures.ts';
import { Closed, Count, Nullable, type Static, Type } from '../platform/http/schema.ts';
import type { JobRow } from './job-record.ts';

const ownFigures = {
  groupName: Type.String({
    description: 'What sendings are grouped by: the sender’s domain of the last job that has messages',
  }),
  jobErrorInfo: Nullable(
    Type.String({
      description: 'What went wrong in the last job, or keeps it waiting; null when nothing did',
    }),
  ),
  nbAd: Count(
    'Advertisement placements in the last job with messages, summed over its segments: its nbPubInsert',
  ),
  nbGodsons: Count(
    'Friends to whom a message was forwarded and whose message a relay accepted, each address once for a sending',
  ),
  nbjob: Count(
    'Real jobs: how often the campaign was sent, or was to be: the lines of `listJobs` without tests',
  ),
  nbHumanClickers: moreFigures.nbHumanClickers,
  nbLinks: Count(
    'Tracked links of the messages of the last job that has any, those of advertisements among them',
  ),
  nbSents: Count(
    'Sendings of those jobs (idSent): one for each segment of each job. Messages are nbAddressSent',
  ),
  nbViralClicks: Count(
    'Clicks of friends through forwarded messages, whatever the link or page; they are in no other kind of clicks',
  ),
  senderDomain: Type.String({
    description: 'The domain of the sender’s address in the last job that has messages',
  }),
};

/** The statistics of a campaign: sums over its real sendings. Test mailings do not count. */
export const CampaignStatistics = Closed('CampaignStatistics', byName({ ...figures, ...ownFigures }));
export type CampaignStatistics = Static<typeof CampaignStatistics>;

/**
 * The statistics of a campaign with the real jobs `jobs`, oldest first. Values that are not sums (domain, links,
 * advertisements) come from the last generated job, the error from the last job.
 * @param counters the sum over all sendings of the jobs
 * @param nbGodsons number of addresses that messages of the jobs were forwarded to
 */
export function campaignStatistics(
  jobs: readonly JobRow[],
  counters: Counters,
  nbGodsons: number,
): CampaignStatistics {
  const last = jobs.at(-1);
  // A job that waits, or whose generation failed, has no messages.
  const made = jobs.findLast(({ idsSent }) => idsSent.length > 0);
  // The API document's counters, without those that it has only elsewhere.
  const { nbViralClickers, nbDelivered, ...shown } = counters;
  return {
    ...shown,
    groupName: made?.senderDomain ?? '',
    senderDomain: made?.senderDomain ?? '',
    jobErrorInfo: last?.jobErrorInfo ?? null,
    nbAd: made?.nbPubInsert ?? 0,
    nbLinks: made?.nbLinks ?? 0,
    nbjob: jobs.length,
    nbSents: jobs.reduce((sum, job) => sum + job.idsSent.length, 0),
    nbAddressToSend: jobs.reduce((sum, job) => sum + job.nbAddressToSend, 0),
    nbGodsons,
  };
}
