import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isFinalJob, missedStartOf, stateOf } from './campaign.ts';
import { partQuery } from './campaign-query.ts';

/** The real jobs of a campaign, newest first, those that never started among them. */
const realJobsQuery = (idsite: string, idCampaign: number) =>
  partQuery(idsite, idCampaign, 'real jobs', () => {
    const query = { 'filters.idsCampaign': [idCampaign], 'filters.hideTest': true, 'filters.sortDesc': true };
    return dataOf(api.GET('/v1/{idsite}/statistics/jobs', { params: { path: { idsite }, query } }));
  });

/** The job that a campaign was last sent with, null if it never was; the query tells whether that is known. */
export function useSentBefore({ id }: Campaign) {
  return useQuery({
    ...realJobsQuery(useSite().name, id),
    staleTime: 0,
    select: (jobs) =>
      jobs.find((one) => isFinalJob(one.jobStateName) && one.nbAddressSent + one.nbUncertain > 0) ?? null,
  });
}

/** Why a campaign missed its date or ended with an error. */
export function WhyNotSent({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const { notSent } = words.composer;
  const state = stateOf(campaign);
  const isMissed = state === 'Missed';
  const jobs = useQuery({
    ...realJobsQuery(useSite().name, campaign.id),
    enabled: isMissed || state === 'Error',
  });
  if (!isMissed && state !== 'Error') return null;
  const reason = jobs.data?.[0]?.jobErrorInfo ?? undefined;
  const start = reason && missedStartOf(reason);
  return (
    <p className="note amber">
      <span className="grow">
        {isMissed ? notSent.missed(start && format.moment(start)) : notSent.failed}
        {!isMissed && reason && (
          <span lang="en" className="block anywhere">
            {reason}
          </span>
        )}
      </span>
    </p>
  );
}
