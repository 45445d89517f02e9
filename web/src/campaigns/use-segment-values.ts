import { useEffect, useRef, useState } from 'react';
import { isTemporary } from '../api/api-error.ts';
import { formKeys, keep, readKept } from '../parts/kept.ts';
import { useMe, useSite } from '../session/session.tsx';
import type { Campaign } from './campaign.ts';
import type { Segment } from './campaign-query.ts';
import { useSegments } from './use-segments.ts';

export type SegmentValues = Segment['parameters'];

/** How long after the last change a segment saves itself. */
const quietMs = 600;

/** How long after a failure it retries: the connection or the session may be back. */
const retryMs = 5_000;

/** Changes that are not saved, and what they changed. */
interface Unsaved {
  readonly changed: Partial<SegmentValues>;
  readonly base: Partial<SegmentValues>;
}

/** Removes changes that are saved, unless others were made meanwhile. The segment may not be shown any longer. */
function forgetSaved(key: string, saved: Partial<SegmentValues>): void {
  const kept = readKept<Unsaved>(sessionStorage, key)?.changed;
  if (JSON.stringify(kept) === JSON.stringify(saved)) keep(sessionStorage, key, undefined);
}

/**
 * A segment while a user changes it; it saves itself when they pause, and when they leave. What could not be saved
 * survives a reload of the tab.
 */
export function useSegmentValues(campaign: Campaign, { id, parameters }: Segment) {
  const { update } = useSegments(campaign);
  const key = `${formKeys}${useMe().user.id}.${useSite().name}.segment.${id}`;
  const [kept] = useState(() => readKept<Unsaved>(sessionStorage, key));
  const [changed, setChanged] = useState<Partial<SegmentValues>>(kept?.changed ?? {});
  const [error, setError] = useState<unknown>();
  /** The values that another person stored where the user changed them too. */
  const [conflict, setConflict] = useState<SegmentValues>();
  /** What the changed properties were when their change began. */
  const base = useRef<Partial<SegmentValues>>(kept?.base ?? {});
  const values = { ...parameters, ...changed };
  const latest = useRef(() => {});
  latest.current = () => {
    if (Object.keys(changed).length === 0 || conflict) return;
    const sent = changed;
    update(id, sent, base.current).then(
      (theirs) => {
        setError(undefined);
        setConflict(theirs);
        if (theirs) return;
        forgetSaved(key, sent);
        base.current = { ...base.current, ...sent };
        // What was typed meanwhile is saved next, and kept with what it changes now.
        setChanged((now) => (now === sent ? {} : { ...now }));
      },
      (failure: unknown) => setError(failure),
    );
  };
  useEffect(() => {
    if (Object.keys(changed).length === 0) {
      base.current = {};
      return;
    }
    if (conflict) return;
    const timer = setTimeout(() => latest.current(), quietMs);
    return () => clearTimeout(timer);
  }, [changed, conflict]);
  useEffect(() => {
    const isSaved = Object.keys(changed).length === 0;
    keep(sessionStorage, key, isSaved ? undefined : { changed, base: base.current });
  }, [key, changed]);
  useEffect(() => {
    if (!isTemporary(error)) return;
    const timer = setTimeout(() => latest.current(), retryMs);
    return () => clearTimeout(timer);
  }, [error]);
  useEffect(() => () => latest.current(), []);
  const change = (part: Partial<SegmentValues>) => {
    const names = Object.keys(part) as (keyof SegmentValues)[];
    const before = Object.fromEntries(names.map((name) => [name, parameters[name]]));
    base.current = { ...before, ...base.current };
    setChanged((now) => ({ ...now, ...part }));
  };
  return {
    values,
    change,
    error,
    conflict,
    /** Ends a conflict with the user's values. */
    overwrite: () => {
      base.current = { ...conflict };
      setConflict(undefined);
    },
    /** Ends a conflict with the stored values. */
    discard: () => {
      setChanged({});
      setConflict(undefined);
    },
  };
}
