import { IconAlertCircle, IconCheck, IconCircleX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from '../api/schema.d.ts';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useSite } from '../session/session.tsx';
import { useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { checklistQuery } from './campaign-query.ts';
import { type Finding, useFindingWords } from './finding-words.ts';
import { SpamScores } from './spam-scores.tsx';

type Checked = components['schemas']['Checklist'];

/** In the order in which they are shown when all is well. */
const items = [
  'hasConfig',
  'hasSubject',
  'hasHtml',
  'hasUnsub',
  'isTracked',
  'hasSendingFilter',
  'hasSegmentNotExcluded',
  'isTargetSafe',
] as const;
const targetCodes: readonly Finding['code'][] = ['broken_target', 'unchecked_target'];

interface ChecklistProps {
  readonly campaign: Campaign;
  /** What is found in the content as it is being written. */
  readonly checked: Checked | undefined;
  readonly mayCheckSpam: boolean;
  /** Leads to the place where a finding is put right. */
  readonly goTo: (finding: Finding) => void;
}

/** What is found in the content as it is written and, of the rest, as it is stored; undefined until it is known. */
function useFindings(campaign: Campaign, checked: Checked | undefined) {
  const { data: stored } = useQuery({
    ...checklistQuery(useSite().name, campaign.id),
    placeholderData: keepPreviousData,
  });
  if (!stored) return undefined;
  const findings = [
    ...(checked?.findings ?? []),
    ...stored.findings.filter(({ code }) => !checked || targetCodes.includes(code)),
  ];
  return {
    known: { ...(checked ?? stored), hasSendingFilter: stored.hasSendingFilter },
    missing: findings.filter(({ isProblem }) => isProblem),
    advice: findings.filter(({ isProblem }) => !isProblem),
  };
}

/** The id of the heading of the checklist. */
const idOfChecklist = 'checklist';

/** On a phone: how many items are missing. Leads to the checklist, which is far below. */
export function MissingItems({ campaign, checked }: Pick<ChecklistProps, 'campaign' | 'checked'>) {
  const { composer } = useWords().words;
  const isPhone = useIsPhone();
  const count = useFindings(campaign, checked)?.missing.length;
  if (!isPhone || count === undefined) return null;
  return (
    <button
      type="button"
      className={`pill ${count === 0 ? 'green' : 'red'} composer-missing`}
      onClick={() => document.getElementById(idOfChecklist)?.focus()}
    >
      {count === 0 ? composer.ready : composer.missing(count)}
    </button>
  );
}

/** What the campaign still needs: missing items first, then advice, then what is in order. */
export function Checklist({ campaign, checked, mayCheckSpam, goTo }: ChecklistProps) {
  const { words } = useWords();
  const { composer } = words;
  const wordsOf = useFindingWords(useFields().data ?? []);
  const { known, missing = [], advice = [] } = useFindings(campaign, checked) ?? {};
  const done = known ? items.filter((item) => known[item]) : [];
  return (
    <section>
      <div className="rail-head">
        <h2 id={idOfChecklist} tabIndex={-1}>
          {composer.checklist}
        </h2>
        {known && (
          <span className={`pill ${missing.length === 0 ? 'green' : 'red'}`}>
            {missing.length === 0 ? composer.ready : composer.missing(missing.length)}
          </span>
        )}
      </div>
      <ul className="checks">
        {[...missing, ...advice].map((finding) => {
          const { title, detail, lang } = wordsOf(finding);
          const Icon = finding.isProblem ? IconCircleX : IconAlertCircle;
          return (
            <li key={finding.text}>
              <Icon size={16} className={finding.isProblem ? 'red' : 'amber'} aria-hidden />
              <button type="button" className="check" lang={lang} onClick={() => goTo(finding)}>
                <b className="strong">{title}</b>
                {detail !== '' && <span className="text-2">{detail}</span>}
              </button>
            </li>
          );
        })}
        {done.map((item) => (
          <li key={item}>
            <IconCheck size={16} className="green" aria-hidden />
            <span>{composer.items[item]![0]}</span>
          </li>
        ))}
      </ul>
      <SpamScores campaign={campaign} mayCheck={mayCheckSpam} />
    </section>
  );
}
