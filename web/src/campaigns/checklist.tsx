import { IconAlertCircle, IconCheck, IconCircleX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { checklistQuery } from './campaign-query.ts';

/** In the order in which they are shown when all is well. */
const items = [
  'hasConfig',
  'hasSubject',
  'hasHtml',
  'hasUnsub',
  'hasSendingFilter',
  'hasSegmentNotExcluded',
  'isTargetSafe',
] as const;

/** What the campaign still needs: missing items first, then advice, then what is in order. */
export function Checklist({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const { composer } = words;
  const site = useSite();
  const { data } = useQuery({
    ...checklistQuery(site.name, campaign.id),
    placeholderData: keepPreviousData,
  });
  const missing = data ? items.filter((item) => !data[item]) : [];
  const done = data ? items.filter((item) => data[item]) : [];
  // Tags that cannot be filled, and others for which there is no item of their own.
  const problems =
    missing.length === 0
      ? (data?.problems ?? [])
      : (data?.problems ?? []).filter((text) => text.includes('[['));
  const count = missing.length || problems.length;
  return (
    <section>
      <div className="rail-head">
        <h2>{composer.checklist}</h2>
        {data && (
          <span className={`pill ${data.isCampaignReady ? 'green' : 'red'}`}>
            {data.isCampaignReady ? composer.ready : composer.missing(count)}
          </span>
        )}
      </div>
      <ul className="checks">
        {missing.map((item) => (
          <li key={item}>
            <IconCircleX size={16} className="red" aria-hidden />
            <span>
              <b className="strong">{composer.items[item]![0]}</b>
              <span className="text-2">{composer.items[item]![1]}</span>
            </span>
          </li>
        ))}
        {problems.map((text) => (
          <li key={text}>
            <IconCircleX size={16} className="red" aria-hidden />
            <span lang="en">{text}</span>
          </li>
        ))}
        {data?.warnings.map((text) => (
          <li key={text}>
            <IconAlertCircle size={16} className="amber" aria-hidden />
            <span lang="en">{text}</span>
          </li>
        ))}
        {done.map((item) => (
          <li key={item}>
            <IconCheck size={16} className="green" aria-hidden />
            <span>{composer.items[item]![0]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
