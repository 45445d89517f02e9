import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { draftOf, entriesOf, type FieldFilterDraft } from './condition.ts';
import type { Target } from './target.ts';

/** How long after the last change it is saved and counted. */
const savedAfterMs = 400;

/** The editable part of a target. */
export interface TargetDraft extends FieldFilterDraft {
  readonly name: string;
  readonly isTestTarget: boolean;
}

/** Whether the draft is stored: since when, or why not. */
export interface SaveState {
  readonly kind: 'saved' | 'unsaved' | 'saving' | 'failed';
  /** When it was last stored, in milliseconds; 0 as it was loaded. */
  readonly at: number;
  readonly error?: unknown;
}

const partsOf = (draft: TargetDraft) => ({
  parameters: JSON.stringify([draft.name.trim(), draft.isTestTarget]),
  filter: JSON.stringify([draft.isEnabled, entriesOf(draft)]),
});

/** The draft of a target, which saves itself: first its parameters, then its field filter, each only if it changed. */
export function useTargetDraft(target: Target, filter: components['schemas']['FieldFilter'] | null) {
  const site = useSite();
  const queries = useQueryClient();
  const { name, isTestTarget } = target.parameters;
  const [draft, setDraft] = useState<TargetDraft>(() => ({
    name,
    isTestTarget: isTestTarget === true,
    ...draftOf(filter),
  }));
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: 0 });
  const saved = useRef(partsOf(draft));
  const latest = useRef(draft);
  const running = useRef<Promise<void>>(Promise.resolve());

  const store = async () => {
    const now = latest.current;
    const parts = partsOf(now);
    if (now.name.trim() === '') return;
    setState(({ at }) => ({ kind: 'saving', at }));
    try {
      if (parts.parameters !== saved.current.parameters)
        await dataOf(
          api.PUT('/v1/{idsite}/targets/{idTarget}', {
            params: { path: { idsite: site.name, idTarget: target.id } },
            body: { ...target.parameters, name: now.name.trim(), isTestTarget: now.isTestTarget },
          }),
        );
      if (parts.filter !== saved.current.filter)
        await dataOf(
          api.PUT('/v1/{idsite}/targets/filters/field', {
            params: { path: { idsite: site.name } },
            body: { idTarget: target.id, isEnabled: now.isEnabled, filters: entriesOf(now) },
          }),
        );
      const isChanged =
        parts.parameters !== saved.current.parameters || parts.filter !== saved.current.filter;
      saved.current = parts;
      setState(({ at }) => ({ kind: 'saved', at: isChanged ? Date.now() : at }));
      if (isChanged) await queries.invalidateQueries({ queryKey: ['targets', site.name, 'list'] });
    } catch (error) {
      setState(({ at }) => ({ kind: 'failed', at, error }));
    }
  };
  // One after the other, so that an older state never overwrites a newer one.
  const save = () => {
    running.current = running.current.then(store);
  };
  const later = useDebouncedCallback(save, { delay: savedAfterMs, flushOnUnmount: true });
  const change = (next: Partial<TargetDraft>) => {
    latest.current = { ...latest.current, ...next };
    setDraft(latest.current);
    setState(({ at }) => ({ kind: 'unsaved', at }));
    later();
  };
  return { draft, state, change, save };
}
