import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { type Entry, isSubscribedOnly } from './condition.ts';
import { type Filter, isOn, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import type { Part, Parts, SaveState, TargetDraft } from './use-target-draft.ts';

type Unsaved = components['schemas']['UnsavedTarget'];

/** The filters of a stored target that are on, and its limits, as a count accepts them. */
function unsavedOf(saved: Parts): Unsaved {
  const stored = <T,>(part: Part, without: T): T => (saved[part] ? JSON.parse(saved[part]) : without);
  const { pctSelect, maxSelect, isRandomMode, excludedTargets } = stored<Partial<TargetDraft['parameters']>>(
    'parameters',
    {},
  );
  const field = stored<{ isEnabled: boolean; filters: Entry[] }>('field', { isEnabled: false, filters: [] });
  const entries = field.isEnabled ? field.filters : [];
  const definitionOf = <K extends Kind>(kind: K) => {
    const filter = stored<Filter<K>>(kind, kindsOf[kind].none);
    if (!isOn(kind, filter)) return [];
    const { [kindsOf[kind].enabled]: _, ...definition } = filter as Readonly<Record<string, unknown>>;
    return [[kind, definition] as const];
  };
  return {
    filters: {
      ...(entries.length > 0 && { field: { filters: entries } }),
      ...(Object.fromEntries(kinds.flatMap(definitionOf)) as Unsaved['filters']),
    },
    ...{ pctSelect, maxSelect, isRandomMode, excludedTargets },
  };
}

const isNotSubscribed: Entry = { idField: fieldIds.status, operator: 'NotEqual', value: '0' };

/**
 * Counts the people whom a stored target would select besides subscribed ones, or selects, without the condition on
 * the status.
 */
export function useUnsubscribed(saved: Parts, isWanted: boolean) {
  const site = useSite();
  const { filters, excludedTargets } = unsavedOf(saved);
  const entries = (filters.field?.filters ?? []).filter((entry) => !isSubscribedOnly(entry));
  const body = {
    filters: { ...filters, field: { filters: [...entries, isNotSubscribed] } },
    excludedTargets,
  };
  return useQuery({
    queryKey: ['targets', site.name, 'unsubscribed', JSON.stringify(body)],
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/v1/{idsite}/targets/count-unsaved', {
          params: { path: { idsite: site.name } },
          body,
          signal,
        }),
      ),
  }).data?.count;
}

/** Counts what each step of a target leaves, after each save. */
export function useSteps(idTarget: number, saved: Parts, { at, kind }: SaveState) {
  const site = useSite();
  const body = unsavedOf(saved);
  return useQuery({
    queryKey: ['targets', site.name, idTarget, 'steps', at, JSON.stringify(body)],
    enabled: kind === 'saved',
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/v1/{idsite}/targets/count-unsaved', {
          params: { path: { idsite: site.name } },
          body,
          signal,
        }),
      ),
  }).data;
}

/** How each step narrows a target, as bars; the step that leaves nobody is named. Nothing for a single step. */
export function Steps({ counted }: { readonly counted: ReturnType<typeof useSteps> }) {
  const { words, format } = useWords();
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
    <div className="steps" role="group" aria-label={texts.steps.title}>
      {emptied && counted.total > 0 && (
        <p className="small amber name">{texts.steps.emptied(nameOf(emptied.step))}</p>
      )}
      <ol className="stack" style={{ gap: 8 }}>
        {rows.map(({ step, count }) => (
          <li key={step}>
            <span className="row small" style={{ justifyContent: 'space-between' }}>
              <span className="text-2">{nameOf(step)}</span>
              <span>{format.count(count)}</span>
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
export function StepsCard({ counted }: { readonly counted: ReturnType<typeof useSteps> }) {
  const texts = useWords().words.targets;
  if (!counted || counted.steps.length === 0) return null;
  return (
    <section className="card">
      <h2 className="card-head">{texts.steps.title}</h2>
      <div className="card-body">
        <Steps counted={counted} />
      </div>
    </section>
  );
}
