import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { OpenedFigure } from '../campaigns/opened-figure.tsx';
import type { PeopleFigure } from '../campaigns/people-figure.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { type Entry, isSubscribedOnly } from './condition.ts';
import type { Kind } from './filter-kinds.ts';
import {
  countUnsaved,
  type UnsavedCount,
  type UnsavedTarget,
  unsavedOf,
  withSteps,
} from './unsaved-target.ts';
import type { Parts, SaveState } from './use-target-draft.ts';

/** Counts an unsaved target; the previous count stays, with its target, until there is another. */
function useUnsavedCount(key: readonly unknown[], target: UnsavedTarget, isWanted: boolean) {
  const site = useSite();
  return useQuery({
    queryKey: ['targets', site.name, ...key, JSON.stringify(target)],
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => ({ target, ...(await countUnsaved(site.name, target, { signal })) }),
  }).data;
}

const isNotSubscribed: Entry = { idField: fieldIds.status, operator: 'NotEqual', value: '0' };

/**
 * Counts the people whom a stored target would select besides subscribed ones, or selects, without the condition on
 * the status.
 */
export function useUnsubscribed(saved: Parts, isWanted: boolean) {
  const { filters, excludedTargets } = unsavedOf(saved);
  const entries = (filters.field?.filters ?? []).filter((entry) => !isSubscribedOnly(entry));
  const target = {
    filters: { ...filters, field: { filters: [...entries, isNotSubscribed] } },
    excludedTargets,
  };
  return useUnsavedCount(['unsubscribed'], target, isWanted)?.count;
}

/** The steps of a target as it is stored, and what each leaves. */
export interface TargetSteps {
  readonly idTarget: number;
  /** The count and the target that it is of; undefined until it is counted. */
  readonly counted: (UnsavedCount & { readonly target: UnsavedTarget }) | undefined;
}

/** Counts what each step of a target leaves, after each save. */
export function useSteps(idTarget: number, saved: Parts, { at, kind }: SaveState): TargetSteps {
  const target = unsavedOf(saved);
  return { idTarget, counted: useUnsavedCount([idTarget, 'steps', at], target, kind === 'saved') };
}

interface SelectedCountProps {
  readonly idTarget: number;
  /** A count and the target that it is of; undefined while it is not known. */
  readonly counted: { readonly target: UnsavedTarget; readonly count: number } | undefined;
  /** The title of the list, from the number of people in words. */
  readonly title: (people: string) => string;
  /** Whether it is the count of a step, whose people can become a target of their own. */
  readonly isStep?: boolean;
}

/** The number of people whom a target selects; it opens them. */
export function SelectedCount({ idTarget, counted, title, isStep = false }: SelectedCountProps) {
  const { words, format } = useWords();
  const figureOf = ({ target, count }: NonNullable<typeof counted>): PeopleFigure => ({
    ...{ source: 'target', target, isStep, ids: [idTarget], count },
    title: title(words.campaigns.people(format.count(count), format.isOne(count))),
  });
  return <OpenedFigure figure={counted && figureOf(counted)} />;
}

/** How each step narrows a target, as bars; the step that leaves nobody is named. Nothing for a single step. */
export function Steps({ idTarget, counted }: TargetSteps) {
  const { words } = useWords();
  const texts = words.targets;
  if (!counted || counted.steps.length === 0) return null;
  const rows = [{ step: 'all' as const, count: counted.total }, ...counted.steps];
  const whole = counted.total || 1;
  const emptied = counted.steps.find(({ count }) => count === 0);
  const nameOf = (step: (typeof rows)[number]['step']) =>
    step === 'field'
      ? texts.fieldsTitle
      : step in texts.kinds
        ? texts.kinds[step as Kind]
        : texts.steps[step as 'all'];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="count-steps" role="group" aria-label={texts.steps.title}>
      {emptied && counted.total > 0 && (
        <p className="small amber name">{texts.steps.emptied(nameOf(emptied.step))}</p>
      )}
      <ol className="stack" style={{ gap: 8 }}>
        {rows.map(({ step, count }, index) => (
          <li key={step}>
            <span className="row small" style={{ justifyContent: 'space-between' }}>
              <span className="text-2">{nameOf(step)}</span>
              <span>
                <SelectedCount
                  isStep
                  idTarget={idTarget}
                  counted={{
                    count,
                    target: withSteps(
                      counted.target,
                      counted.steps.slice(0, index).map((one) => one.step),
                    ),
                  }}
                  title={(people) =>
                    step === 'all' ? texts.peopleInAll(people) : texts.peopleAfter(people, nameOf(step))
                  }
                />
              </span>
            </span>
            <span className="meter thin" aria-hidden>
              <i style={{ width: `${(100 * count) / whole}%`, background: 'var(--f-c1)' }} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The steps in a card of their own, where the count has no room for them. */
export function StepsCard({ steps }: { readonly steps: TargetSteps }) {
  const texts = useWords().words.targets;
  if (!steps.counted?.steps.length) return null;
  return (
    <section className="card">
      <h2 className="card-head">{texts.steps.title}</h2>
      <div className="card-body">
        <Steps {...steps} />
      </div>
    </section>
  );
}
