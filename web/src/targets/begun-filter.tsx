import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Filter, type Kind, kindsOf } from './filter-kinds.ts';
import { countUnsaved, unsavedOf } from './unsaved-target.ts';
import type { Parts } from './use-target-draft.ts';

/** How long after the last change it is counted, in milliseconds. */
const countedAfterMs = 400;

interface BegunFilterProps<K extends Kind> {
  readonly kind: K;
  readonly filter: Filter<K>;
  /** The target as it is stored. */
  readonly saved: Parts;
  /** Uses the filter from now on. */
  readonly start: () => void;
}

/** Says that a new filter is not used yet, how many people it would leave, and lets the user use it. */
export function BegunFilter<K extends Kind>({ kind, filter, saved, start }: BegunFilterProps<K>) {
  const { words, format } = useWords();
  const { begun } = words.targets;
  const site = useSite();
  const refusal = useRefusal();
  const isComplete = kindsOf[kind].isComplete(filter);
  const [text] = useDebouncedValue(
    JSON.stringify(unsavedOf({ ...saved, [kind]: JSON.stringify(filter) })),
    countedAfterMs,
  );
  const preview = useQuery({
    queryKey: ['targets', site.name, 'begun', text],
    enabled: isComplete,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => countUnsaved(site.name, JSON.parse(text), { signal }),
  });
  const count = isComplete && !preview.error ? preview.data?.count : undefined;
  const people = count !== undefined && words.campaigns.people(format.count(count), format.isOne(count));
  return (
    <div className="note row">
      <p className="grow" role="status">
        {begun.isNotUsed} {people && begun.count(people)}
        {isComplete && preview.error && <span className="red anywhere">{refusal(preview.error)}</span>}
      </p>
      <Button size="xs" disabled={!isComplete} onClick={start}>
        {begun.use}
      </Button>
    </div>
  );
}
