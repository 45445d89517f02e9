import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { renewOf } from './renewal.ts';
import type { Scope } from './report-data.ts';
import { Figure, type OpenPeople } from './report-funnel.tsx';
import { useReportWords } from './report-words.ts';
import { useUnreached } from './use-unreached.ts';

/** Notes about people without the message: uncertain ones, and those to whom it can be sent again. */
export function UnreachedNotes({ scope, open }: { readonly scope: Scope; readonly open: OpenPeople }) {
  const { words, format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const [isAsking, setAsking] = useState(false);
  const unreached = useUnreached(
    scope.sendings.map((one) => ({
      idSent: one.idSent,
      bounced: one.nbHardBounces + one.nbSoftBounces + one.nbSpam + one.nbDnsErrors,
    })),
    renewOf(scope.sendings),
  );
  const newest = scope.sendings.at(-1);
  if (!unreached || !newest) return null;
  const people = (count: number) => words.campaigns.people(format.count(count), format.isOne(count));
  const counted = (count: number) => (unreached.isPartial ? report.atLeast(people(count)) : people(count));
  const failed = unreached.refused + unreached.expired;
  const kinds = [
    ['refused', report.rejected],
    ['expired', report.expired],
  ] as const;
  return (
    <>
      {unreached.uncertain > 0 && (
        <div className="note amber report-note">
          <p className="grow">{report.uncertain(counted(unreached.uncertain))}</p>
          <Figure source="uncertain" count={unreached.uncertain} open={open}>
            {report.showPeople}
          </Figure>
        </div>
      )}
      {failed > 0 && (
        <div className="note amber report-note">
          <p className="grow">
            {report.unreached(counted(failed))}{' '}
            {kinds
              .filter(([state]) => unreached[state] > 0)
              .map(([state, name], index) => (
                <span key={state}>
                  {index > 0 ? ', ' : ''}
                  <Figure source={state} count={unreached[state]} open={open} /> {name}
                </span>
              ))}
          </p>
          {site.may('sender') && (
            <Button size="xs" onClick={() => setAsking(true)}>
              {report.resend}
            </Button>
          )}
        </div>
      )}
      {isAsking && (
        <Resend
          idCampaign={scope.idCampaign}
          idJob={newest.idJob}
          title={report.resendTitle(people(failed), unreached.isPartial)}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface ResendProps {
  readonly idCampaign: number;
  readonly idJob: number;
  readonly title: string;
  readonly close: () => void;
}

function Resend({ idCampaign, idJob, title, close }: ResendProps) {
  const report = useReportWords();
  const site = useSite();
  const queries = useQueryClient();
  const resend = async () => {
    const params = { path: { idsite: site.name } };
    await dataOf(api.POST('/v1/{idsite}/campaigns/resend-failed', { params, body: { idCampaign, idJob } }));
    toast({ text: report.resent });
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  };
  return (
    <Confirm title={title} text={report.resendText} action={report.resend} close={close} confirm={resend} />
  );
}
