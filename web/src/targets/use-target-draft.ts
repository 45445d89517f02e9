import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isTemporary } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { ifMatch, storeOver, type Versioned, versionedOf } from '../api/versions.ts';
import { keep, readKept } from '../parts/kept.ts';
import { useMe, useSite } from '../session/session.tsx';
import {
  draftOf,
  entriesOf,
  type FieldFilterDraft,
  isComplete,
  isSubscribedOnly,
  nextKey,
} from './condition.ts';
import { type AtVersion, type Filters, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import { readTarget, type WholeTarget } from './read-target.ts';

/** How long after the last change it is saved and counted. */
const savedAfterMs = 400;
/** How long after a failure it retries: the connection or the session may be back. */
const retryMs = 5_000;

type Parameters = components['schemas']['TargetParameters'];

type StoredField = components['schemas']['FieldFilter'];

/** The editable part of a target. */
export interface TargetDraft extends FieldFilterDraft {
  readonly parameters: Parameters;
  readonly filters: Filters;
  /** Filters that were added and are not used yet: they are kept in the draft only. */
  readonly begun?: readonly Kind[];
}

/** A part of a target that is saved alone: its parameters, or one of its filters. */
export type Part = 'parameters' | FilterPart;
/** A filter of a target. */
export type FilterPart = 'field' | Kind;

/** Whether the draft is stored: since when, or why not. */
export interface SaveState {
  readonly kind: 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict';
  /** When it was last stored, in milliseconds; 0 as it was loaded. */
  readonly at: number;
  /** Why parts of it are not stored. */
  readonly errors: Readonly<Partial<Record<Part, unknown>>>;
}

/** Parts as they are saved; undefined while one is not complete: what is stored of it stays as it is. */
export type Parts = Readonly<Record<Part, string | undefined>>;

/** Each part of a draft as it would be saved. */
export function partsOf({ parameters, filters, begun = [], ...field }: TargetDraft): Parts {
  const textOf = <K extends Kind>(kind: K) => {
    const filter = filters[kind];
    if (!filter) return [kind, JSON.stringify(kindsOf[kind].none)];
    const isReady = kindsOf[kind].isComplete(filter) && !begun.includes(kind);
    return [kind, isReady ? JSON.stringify(filter) : undefined];
  };
  const name = parameters.name.trim();
  return {
    parameters: name === '' ? undefined : JSON.stringify({ ...parameters, name }),
    field: field.conditions.every(isComplete)
      ? JSON.stringify({ isEnabled: field.isEnabled, filters: entriesOf(field) })
      : undefined,
    ...(Object.fromEntries(kinds.map(textOf)) as Record<Kind, string | undefined>),
  };
}

/** A target as its draft begins. */
export const draftFrom = ({ target, field, filters }: WholeTarget): TargetDraft => ({
  parameters: target.parameters,
  filters,
  ...draftOf(field),
});

/** Changes that are not stored yet, as the browser keeps them, with what is known of the stored target. */
interface Kept {
  readonly draft: TargetDraft;
  readonly saved: Parts;
  readonly etag: string;
}

const isStored = (draft: TargetDraft, saved: Parts): boolean =>
  Object.entries(partsOf(draft)).every(([part, text]) => text !== undefined && text === saved[part as Part]);

/** Keeps what is not stored yet, and finds it again after a reload. */
function keptTarget(key: string) {
  return {
    read(): Kept | undefined {
      const kept = readKept<Kept>(localStorage, key);
      if (!kept || isStored(kept.draft, kept.saved)) return undefined;
      // Numbers of conditions begin again with each visit.
      const conditions = kept.draft.conditions.map((one) => ({ ...one, key: nextKey() }));
      return { ...kept, draft: { ...kept.draft, conditions } };
    },
    keep: (kept: Kept) => keep(localStorage, key, isStored(kept.draft, kept.saved) ? undefined : kept),
  };
}

/**
 * Puts what was kept on the target as another person has saved it since. Changes that wait to be stored stay on what
 * they were made of, so that they are a conflict; so does an incomplete part that the other person has changed.
 */
function onStored(kept: Kept, stored: Versioned<WholeTarget>): Kept {
  const theirs = draftFrom(stored.value);
  const saved = partsOf(theirs);
  const ours = partsOf(kept.draft);
  const { parameters, filters, begun = [], ...field } = kept.draft;
  const open = (Object.keys(ours) as Part[]).filter(
    (part) => ours[part] !== kept.saved[part] && !begun.some((kind) => kind === part),
  );
  const isBound = (part: Part) =>
    ours[part] !== undefined || plainOf(kept.saved[part]) !== plainOf(saved[part]);
  if (kept.etag === stored.etag || open.some(isBound)) return kept;
  // A filter that the target has now is not begun a second time.
  const stillBegun = begun.filter((kind) => !theirs.filters[kind]);
  const ownKinds = kinds.filter((kind) => open.includes(kind) || stillBegun.includes(kind));
  return {
    saved,
    etag: stored.etag,
    draft: {
      ...theirs,
      ...(open.includes('field') && field),
      ...(open.includes('parameters') && { parameters }),
      filters: { ...theirs.filters, ...Object.fromEntries(ownKinds.map((kind) => [kind, filters[kind]])) },
      begun: stillBegun,
    },
  };
}

/** Whether the stored target selects subscribed people only. */
export function isStoredSafe({ field }: Parts): boolean {
  const { isEnabled, filters } = JSON.parse(field ?? '{}') as Partial<StoredField>;
  return isEnabled === true && filters?.some(isSubscribedOnly) === true;
}

/** The text of a part without what means the same: the order of properties, and those that have no value. */
const plainOf = (text: string | undefined): string | undefined =>
  text &&
  JSON.stringify(JSON.parse(text), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, one]) => one !== null)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );

/** The parts in which two drafts differ. */
export function differingParts(one: TargetDraft, other: TargetDraft): Part[] {
  const [ours, others] = [partsOf(one), partsOf(other)];
  return (Object.keys(ours) as Part[]).filter((part) => plainOf(ours[part]) !== plainOf(others[part]));
}

/** Stores a part of a target from its text. @throws 412 if the target has another version than `at` */
export function storePart(at: AtVersion, part: Part, text: string): Promise<Versioned<unknown>> {
  const { idsite, idTarget, etag } = at;
  const body = JSON.parse(text);
  const header = ifMatch(etag);
  if (part === 'parameters')
    return versionedOf(
      api.PUT('/v1/{idsite}/targets/{idTarget}', { params: { path: { idsite, idTarget }, header }, body }),
    );
  if (part === 'field')
    return versionedOf(
      api.PUT('/v1/{idsite}/targets/filters/field', {
        params: { path: { idsite }, header },
        body: { idTarget, ...body },
      }),
    );
  return kindsOf[part].write(at, body);
}

/**
 * The draft of a target, which saves itself: its parameters and each filter, each only if it changed.
 * @param isEditable whether the user may change it; otherwise nothing is restored
 */
export function useTargetDraft(loaded: Versioned<WholeTarget>, isEditable: boolean) {
  const { value: whole, etag: firstEtag } = loaded;
  const site = useSite();
  const queries = useQueryClient();
  const idTarget = whole.target.id;
  // Another user of the browser has drafts of their own.
  const kept = keptTarget(`facteur.target.${useMe().user.id}.${site.name}.${idTarget}`);
  const [restored] = useState(() => {
    const found = isEditable ? kept.read() : undefined;
    return found && onStored(found, loaded);
  });
  const [isRestored, setRestored] = useState(restored !== undefined);
  const [draft, setDraft] = useState<TargetDraft>(() => restored?.draft ?? draftFrom(whole));
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: 0, errors: {} });
  /** The target as another person saved it in the meantime. */
  const [conflict, setConflict] = useState<TargetDraft>();
  const saved = useRef(restored?.saved ?? partsOf(draft));
  const etag = useRef(restored?.etag ?? firstEtag);
  const latest = useRef(draft);
  const isInConflict = useRef(false);
  const running = useRef<Promise<void>>(Promise.resolve());

  /** Stores a part. Returns false if another person's version differs from what the user changes. */
  const storeOne = async (part: Part, text: string): Promise<boolean> => {
    let theirs: TargetDraft | undefined;
    const outcome = await storeOver<unknown, Versioned<unknown>>({
      known: { value: undefined, etag: etag.current },
      read: async () => {
        const found = await readTarget(site.name, idTarget);
        theirs = draftFrom(found.value);
        return found;
      },
      isSame: () => isOver(partsOf(theirs!), saved.current, partsOf(latest.current)),
      write: (now) => storePart({ idsite: site.name, idTarget, etag: now.etag }, part, text),
    });
    if (!outcome) return true;
    if ('stored' in outcome) {
      etag.current = outcome.stored.etag;
      saved.current = { ...saved.current, [part]: text };
      return true;
    }
    etag.current = outcome.theirs.etag;
    saved.current = partsOf(theirs!);
    isInConflict.current = true;
    setConflict(theirs);
    return false;
  };
  const store = async () => {
    if (isInConflict.current) return;
    const parts = partsOf(latest.current);
    const changed = (Object.keys(parts) as Part[]).filter(
      (part) => parts[part] !== undefined && parts[part] !== saved.current[part],
    );
    setState(({ at, errors }) => ({ kind: 'saving', at, errors }));
    const errors: Partial<Record<Part, unknown>> = {};
    let isChanged = false;
    for (const part of changed) {
      try {
        if (!(await storeOne(part, parts[part]!))) break;
        isChanged = true;
      } catch (error) {
        errors[part] = error;
      }
    }
    const kind = isInConflict.current ? 'conflict' : Object.keys(errors).length > 0 ? 'failed' : 'saved';
    setState(({ at }) => ({ kind, at: isChanged ? Date.now() : at, errors }));
    if (isChanged) await queries.invalidateQueries({ queryKey: ['targets', site.name, 'list'] });
  };
  const noteKept = () => {
    const isLeft = !isStored(latest.current, saved.current);
    kept.keep({ draft: latest.current, saved: saved.current, etag: etag.current });
    if (!isLeft) setRestored(false);
  };
  // One after the other, so that an older state never overwrites a newer one.
  const save = () => {
    running.current = running.current.then(store).then(noteKept);
  };
  const later = useDebouncedCallback(save, { delay: savedAfterMs, flushOnUnmount: true });
  const retried = useRef(save);
  retried.current = save;
  useEffect(() => {
    if (state.kind !== 'failed' || !Object.values(state.errors).some(isTemporary)) return;
    const timer = setTimeout(() => retried.current(), retryMs);
    return () => clearTimeout(timer);
  }, [state]);
  // What was kept is saved as soon as it is shown, as far as it is complete.
  useEffect(() => {
    if (restored) retried.current();
  }, [restored]);
  const change = (next: Partial<TargetDraft>) => {
    latest.current = { ...latest.current, ...next };
    setDraft(latest.current);
    noteKept();
    setState(({ at, errors }) => ({ kind: isInConflict.current ? 'conflict' : 'unsaved', at, errors }));
    later();
  };
  const endConflict = () => {
    isInConflict.current = false;
    setConflict(undefined);
  };
  const parts = partsOf(draft);
  return {
    draft,
    state,
    /** The target as it is stored, which is what counts and descriptions are of. */
    saved: saved.current,
    /** Whether a condition or filter is not complete, so that its part is not saved; a begun one says so itself. */
    isIncomplete: (Object.keys(parts) as Part[]).some(
      (part) => ![...(draft.begun ?? []), 'parameters'].includes(part) && parts[part] === undefined,
    ),
    conflict,
    change,
    save,
    /** Whether changes of an earlier visit are shown that are not stored. */
    isRestored,
    /** Shows the stored version instead of what was kept. */
    discardKept: async () => {
      await running.current;
      const found = await readTarget(site.name, idTarget);
      latest.current = draftFrom(found.value);
      saved.current = partsOf(latest.current);
      etag.current = found.etag;
      setDraft(latest.current);
      setState({ kind: 'saved', at: 0, errors: {} });
      noteKept();
    },
    /** Ends a conflict with the user's version. */
    overwrite: () => {
      endConflict();
      save();
    },
    /** Ends a conflict with the stored version. */
    discard: () => {
      if (!conflict) return;
      latest.current = conflict;
      setDraft(conflict);
      setState({ kind: 'saved', at: Date.now(), errors: {} });
      endConflict();
      noteKept();
    },
    setParameters: (next: Partial<Parameters>) =>
      change({ parameters: { ...latest.current.parameters, ...next } }),
    /** Adds or changes a filter; undefined removes it. One that is begun is not used yet. */
    setFilter: <K extends Kind>(kind: K, filter: Filters[K], isBegun = false) => {
      const { filters, begun = [] } = latest.current;
      const others = begun.filter((one) => one !== kind);
      change({ filters: { ...filters, [kind]: filter }, begun: isBegun ? [...others, kind] : others });
    },
  };
}

/** Whether a stored version differs from the known one only where it is what the user has. */
const isOver = (stored: Parts, known: Parts, ours: Parts): boolean =>
  (Object.keys(stored) as Part[]).every((part) =>
    [plainOf(known[part]), plainOf(ours[part])].includes(plainOf(stored[part])),
  );
