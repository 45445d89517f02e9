import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Conflict, type ConflictField, shownValue } from '../parts/conflict.tsx';
import { useSite } from '../session/session.tsx';
import type { Field } from '../subscribers/fields.ts';
import { useWords, type Words } from '../words/words.tsx';
import { allTargetsQuery } from './all-targets.ts';
import { ConditionText } from './condition-rows.tsx';
import type { Kind } from './filter-kinds.ts';
import { FilterList } from './filter-list.tsx';
import { VersionContext } from './sentence.tsx';
import { differingParts, type FilterPart, type TargetDraft } from './use-target-draft.ts';

interface TargetConflictProps {
  readonly draft: TargetDraft;
  readonly theirs: TargetDraft;
  readonly fields: readonly Field[];
  readonly overwrite: () => void;
  readonly discard: () => void;
  readonly target: { readonly idTarget: number };
}

/** The stored version of a target beside the user's. */
export function TargetConflict(props: TargetConflictProps) {
  const { draft, theirs, fields, overwrite, discard, target } = props;
  const { words } = useWords();
  const { data } = useQuery(allTargetsQuery(useSite().name));
  const nameOf = (id: number) => data?.items.find(({ idTarget }) => idTarget === id)?.name ?? `#${id}`;
  const shown = differingParts(theirs, draft).flatMap((part): readonly ConflictField[] => {
    if (part === 'parameters') return parameterFields(words.targets, nameOf, theirs, draft);
    const of = (version: TargetDraft, title: string): ReactNode => (
      <PartOfTarget part={part} draft={version} fields={fields} title={title} />
    );
    return [
      {
        key: part,
        name: part === 'field' ? words.targets.fieldsTitle : words.targets.kinds[part],
        theirs: of(theirs, words.composer.theirs),
        yours: of(draft, words.composer.yours),
      },
    ];
  });
  return <Conflict fields={shown} keepYours={overwrite} takeTheirs={discard} of={target} />;
}

/** A filter of a version of a target, as people see it who may not change it. */
export function PartOfTarget({ part, ...of }: PartOfTargetProps) {
  return part === 'field' ? <FieldConditions {...of} /> : <OneFilter kind={part} {...of} />;
}
interface PartOfTargetProps extends FieldConditionsProps {
  readonly part: FilterPart;
  /** The name of the version. */
  readonly title: string;
}

/** The parameters that differ. */
function parameterFields(
  texts: Words['targets'],
  nameOf: (id: number) => string,
  { parameters: theirs }: TargetDraft,
  { parameters: ours }: TargetDraft,
): ConflictField[] {
  const taken = ({ maxSelect, pctSelect, isRandomMode }: TargetDraft['parameters']) => {
    if (!maxSelect && pctSelect >= 100) return texts.takes.all;
    const some = maxSelect
      ? `${texts.takes.most} ${maxSelect} ${texts.afterMost}`
      : `${texts.takes.share} ${pctSelect} ${texts.afterShare}`;
    return `${some} ${isRandomMode ? texts.orders.random : texts.orders.first}`;
  };
  const lines = {
    [texts.rename]: ({ name }: TargetDraft['parameters']) => name,
    [texts.excludedLabel]: ({ excludedTargets }: TargetDraft['parameters']) =>
      excludedTargets.map(nameOf).join(', '),
    [texts.howMany]: taken,
    [texts.isTest]: ({ isTestTarget }: TargetDraft['parameters']) => isTestTarget,
  };
  return Object.entries(lines)
    .map(([name, of]) => ({
      key: name,
      name,
      theirs: shownValue(of(theirs)),
      yours: shownValue(of(ours)),
    }))
    .filter((line) => line.theirs !== line.yours);
}

function FieldConditions({ draft, fields }: FieldConditionsProps) {
  const texts = useWords().words.targets;
  return (
    <ul className="conditions small">
      {draft.subscribedOnly && <li>{texts.subscribedOnly}</li>}
      {draft.conditions.map((condition) => (
        <ConditionText key={condition.key} condition={condition} fields={fields} />
      ))}
      {!draft.subscribedOnly && draft.conditions.length === 0 && <li>–</li>}
      {!draft.isEnabled && <li>{texts.isOff}</li>}
    </ul>
  );
}
interface FieldConditionsProps {
  readonly draft: TargetDraft;
  readonly fields: readonly Field[];
}

function OneFilter({ kind, draft, fields, title }: OneFilterProps) {
  const filter = draft.filters[kind];
  if (!filter) return <p>–</p>;
  return (
    <VersionContext value={title}>
      <FilterList
        filters={{ [kind]: filter }}
        fields={fields}
        mayEdit={false}
        errors={{}}
        setFilter={() => undefined}
        copy={() => undefined}
      />
    </VersionContext>
  );
}
interface OneFilterProps extends FieldConditionsProps {
  readonly kind: Kind;
  readonly title: string;
}
