import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { draftOf, entriesOf, type FieldFilterDraft } from './condition.ts';
import { type Filters, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import type { Target } from './target.ts';

/** How long after the last change it is saved and counted. */
const savedAfterMs = 400;

type Parameters = components['schemas']['TargetParameters'];

/** The editable part of a target. */
export interface TargetDraft extends FieldFilterDraft {
  readonly parameters: Parameters;
  readonly filters: Filters;
}

/** A part of a target that is saved alone: its parameters, or one of its filters. */
type Part = 'parameters' | 'field' | Kind;

/** Whether the draft is stored: since when, or why not. */
export interface SaveState {
  readonly kind: 'saved' | 'unsaved' | 'saving' | 'failed';
  /** When it was last stored, in milliseconds; 0 as it was loaded. */
  readonly at: number;
  /** Why parts of it are not stored. */
  readonly errors: Readonly<Partial<Record<Part, unknown>>>;
}

/** Each part as it would be saved; undefined while it is not complete, and keeps what is stored. */
function partsOf({ parameters, filters, ...field }: TargetDraft): Record<Part, string | undefined> {
  const textOf = <K extends Kind>(kind: K) => {
    const filter = filters[kind];
    if (!filter) return [kind, JSON.stringify(kindsOf[kind].none)];
    return [kind, kindsOf[kind].isComplete(filter) ? JSON.stringify(filter) : undefined];
  };
  const name = parameters.name.trim();
  return {
    parameters: name === '' ? undefined : JSON.stringify({ ...parameters, name }),
    field: JSON.stringify({ isEnabled: field.isEnabled, filters: entriesOf(field) }),
    ...(Object.fromEntries(kinds.map(textOf)) as Record<Kind, string | undefined>),
  };
}

/** Stores a part of a target from its text. */
function storePart(idsite: string, idTarget: number, part: Part, text: string): Promise<unknown> {
  const body = JSON.parse(text);
  if (part === 'parameters')
    return dataOf(
      api.PUT('/v1/{idsite}/targets/{idTarget}', { params: { path: { idsite, idTarget } }, body }),
    );
  if (part === 'field')
    return dataOf(
      api.PUT('/v1/{idsite}/targets/filters/field', {
        params: { path: { idsite } },
        body: { idTarget, ...body },
      }),
    );
  return kindsOf[part].write({ idsite, idTarget }, body);
}

/** The draft of a target, which saves itself: its parameters and each filter, each only if it changed. */
export function useTargetDraft(
  target: Target,
  field: components['schemas']['FieldFilter'] | null,
  filters: Filters,
) {
  const site = useSite();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<TargetDraft>(() => ({
    parameters: target.parameters,
    filters,
    ...draftOf(field),
  }));
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: 0, errors: {} });
  const saved = useRef(partsOf(draft));
  const latest = useRef(draft);
  const running = useRef<Promise<void>>(Promise.resolve());

  const store = async () => {
    const parts = partsOf(latest.current);
    const changed = (Object.keys(parts) as Part[]).filter(
      (part) => parts[part] !== undefined && parts[part] !== saved.current[part],
    );
    setState(({ at, errors }) => ({ kind: 'saving', at, errors }));
    const errors: Partial<Record<Part, unknown>> = {};
    let isChanged = false;
    for (const part of changed) {
      try {
        await storePart(site.name, target.id, part, parts[part]!);
        saved.current = { ...saved.current, [part]: parts[part] };
        isChanged = true;
      } catch (error) {
        errors[part] = error;
      }
    }
    const kind = Object.keys(errors).length > 0 ? 'failed' : 'saved';
    setState(({ at }) => ({ kind, at: isChanged ? Date.now() : at, errors }));
    if (isChanged) await queries.invalidateQueries({ queryKey: ['targets', site.name, 'list'] });
  };
  // One after the other, so that an older state never overwrites a newer one.
  const save = () => {
    running.current = running.current.then(store);
  };
  const later = useDebouncedCallback(save, { delay: savedAfterMs, flushOnUnmount: true });
  const change = (next: Partial<TargetDraft>) => {
    latest.current = { ...latest.current, ...next };
    setDraft(latest.current);
    setState(({ at, errors }) => ({ kind: 'unsaved', at, errors }));
    later();
  };
  return {
    draft,
    state,
    change,
    save,
    setParameters: (next: Partial<Parameters>) =>
      change({ parameters: { ...latest.current.parameters, ...next } }),
    /** Adds or changes a filter; undefined removes it. */
    setFilter: <K extends Kind>(kind: K, filter: Filters[K]) =>
      change({ filters: { ...latest.current.filters, [kind]: filter } }),
  };
}
