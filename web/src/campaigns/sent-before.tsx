import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
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
          <Suspense>
            <Reason text={reason} />
          </Suspense>
        )}
      </span>
    </p>
  );
}

/** Why a sending failed, in the reader's language. */
function Reason({ text }: { readonly text: string }) {
  const said = useServiceText()(text);
  return (
    <span lang={said.lang} className="block anywhere">
      {said.text}
    </span>
  );
}
