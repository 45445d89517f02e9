import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { segmentsQuery } from './campaign-query.ts';

/** What spam filters think of each segment's message; advice, not a condition. */
export function SpamScores({ campaign, mayCheck }: SpamScoresProps) {
  const { words } = useWords();
  const { spam } = words.campaignParts;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const all = useQuery(segmentsQuery(site.name, campaign.id)).data ?? [];
  const segments = all.filter(({ parameters }) => !parameters.isExcluded);
  const check = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/{idsite}/campaigns/spam-score', {
          params: { path: { idsite: site.name } },
          body: { idCampaign: campaign.id },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] }),
  });
  if (segments.length === 0) return null;
  const scored = segments.filter(({ lastSpamScore }) => lastSpamScore !== null);
  return (
    <div className="spam">
      {scored.map(({ id, parameters, lastSpamScore, isSpamScoreValid }) => (
        <p key={id} className="small text-2">
          {spam.title} · {spam.of(parameters.name, String(lastSpamScore))}
          {!isSpamScoreValid && ` (${spam.outdated})`}
        </p>
      ))}
      {mayCheck && (
        <Button size="xs" fullWidth loading={check.isPending} onClick={() => check.mutate()}>
          {spam.check}
        </Button>
      )}
      {check.error && (
        <p className="note amber" role="alert">
          {refusal(check.error)}
        </p>
      )}
      {check.data && (
        <details className="small">
          <summary>{spam.details}</summary>
          {check.data.map(({ score, details }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: scores have no other name than their place
            <pre key={index} className="mono spam-details" lang="en">
              {`${segments[index]?.parameters.name ?? ''}: ${score ?? spam.unknown}\n${details}`}
            </pre>
          ))}
        </details>
      )}
    </div>
  );
}
interface SpamScoresProps {
  readonly campaign: Campaign;
  readonly mayCheck: boolean;
}
