import { Select } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import type { Field } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { allTargetsQuery } from './all-targets.ts';
import { readTarget } from './read-target.ts';
import { PartOfTarget } from './target-conflict.tsx';
import { draftFrom, type FilterPart, partsOf, storePart, type TargetDraft } from './use-target-draft.ts';
import { useUses } from './used-in.tsx';

/** Whether a target already has a filter of the kind; the condition that makes it safe is kept, and does not count. */
function hasFilter({ filters, conditions }: TargetDraft, part: FilterPart): boolean {
  return part === 'field' ? conditions.length > 0 : filters[part] !== undefined;
}

/** The text of a filter for another target. A safe target stays safe. */
function textFor(theirs: TargetDraft, part: FilterPart, ours: TargetDraft): string {
  const isSafe = theirs.subscribedOnly && theirs.isEnabled;
  const text = partsOf({
    ...ours,
    subscribedOnly: ours.subscribedOnly || theirs.subscribedOnly,
    isEnabled: ours.isEnabled || isSafe,
  })[part];
  if (text === undefined) throw new Error(`The filter ${part} is not complete`);
  return text;
}

interface CopyFilterProps {
  readonly idTarget: number;
  readonly part: FilterPart;
  readonly draft: TargetDraft;
  readonly fields: readonly Field[];
  readonly close: () => void;
}

/** Copies a filter of a target into another one, and offers to undo it. A filter that it replaces is shown before. */
export function CopyFilter({ idTarget, part, draft, fields, close }: CopyFilterProps) {
  const { words } = useWords();
  const texts = words.targets;
  useFocusReturn();
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const searchable = useSearchable();
  const [chosen, setChosen] = useState<number>();
  const all = useQuery(allTargetsQuery(site.name)).data?.items ?? [];
  const name = all.find((one) => one.idTarget === chosen)?.name ?? '';
  const other = useQuery({
    queryKey: ['targets', site.name, chosen, 'whole'],
    enabled: chosen !== undefined,
    gcTime: 0,
    queryFn: () => readTarget(site.name, chosen!),
  });
  const theirs = useMemo(() => other.data && draftFrom(other.data.value), [other.data]);
  const isReplaced = theirs !== undefined && hasFilter(theirs, part);
  const kind = part === 'field' ? texts.fieldsTitle : texts.kinds[part];
  const changed = () => queries.invalidateQueries({ queryKey: ['targets', site.name] });
  const copy = async () => {
    if (chosen === undefined) return texts.copyFilter.choose;
    const read = other.data ?? (await other.refetch({ throwOnError: true })).data!;
    const stored = draftFrom(read.value);
    // What would be replaced is shown first.
    if (hasFilter(stored, part) && !isReplaced) return '';
    const at = { idsite: site.name, idTarget: chosen };
    const before = partsOf(stored)[part]!;
    try {
      const { etag } = await storePart({ ...at, etag: read.etag }, part, textFor(stored, part, draft));
      toast({
        text: texts.copyFilter.done(kind, name),
        seconds: 10,
        undo: () => act(async () => void (await storePart({ ...at, etag }, part, before).then(changed))),
      });
    } finally {
      // A target that another person changed is read again, and what it has by now is shown.
      await changed();
    }
    return undefined;
  };
  return (
    <Dialog close={close} title={texts.copyFilter.title(kind)}>
      <SubmitForm
        save={copy}
        saveLabel={isReplaced ? texts.copyFilter.replace : texts.duplicate}
        close={close}
      >
        <Select
          data-autofocus
          label={texts.copyFilter.target}
          {...searchable}
          allowDeselect={false}
          data={all
            .filter((one) => one.idTarget !== idTarget)
            .map((one) => ({ value: String(one.idTarget), label: one.name }))}
          value={chosen === undefined ? null : String(chosen)}
          onChange={(id) => setChosen(id === null ? undefined : Number(id))}
        />
        {isReplaced && (
          <>
            <p className="note amber name">{texts.copyFilter.hasOne(name, kind)}</p>
            <PartOfTarget part={part} draft={theirs} fields={fields} title={name} />
          </>
        )}
        {chosen !== undefined && <Scheduled idTarget={chosen} />}
      </SubmitForm>
    </Dialog>
  );
}

/** Names how many scheduled campaigns a change of a target changes. */
function Scheduled({ idTarget }: { readonly idTarget: number }) {
  const texts = useWords().words.targets;
  const { scheduled } = useUses(idTarget);
  return scheduled > 0 && <p className="note amber">{texts.changeWithIt(scheduled)}</p>;
}
