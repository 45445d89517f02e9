import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import type { Campaign } from './campaign.ts';
import { checklistQuery } from './campaign-query.ts';
import { type BrokenTarget, brokenTargetOf } from './finding-words.ts';

/** The targets of a campaign's segments that a sending would refuse, by their ids. */
export function useBrokenTargets(campaign: Campaign): ReadonlyMap<number, BrokenTarget> {
  const checklist = useQuery({
    ...checklistQuery(useSite().name, campaign.id),
    placeholderData: keepPreviousData,
  }).data;
  const say = useServiceText();
  const broken = (checklist?.findings ?? []).flatMap((finding) => brokenTargetOf(finding) ?? []);
  return new Map(
    broken.map(({ idTarget, reason }) => [idTarget, { idTarget, reason: reason && say(reason).text }]),
  );
}
