import { type ComboboxItem, Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceState } from '../parts/choice-state.tsx';
import { useFieldOf } from '../parts/fields.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { allTargetsQuery, type ListedTarget } from './all-targets.ts';

interface TargetChoiceProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  /** The property of a form that it fills. */
  readonly property?: string;
  /** The targets that can be chosen. Default: all. */
  readonly isChoice?: (target: ListedTarget) => boolean;
  /** What can be chosen besides, after the targets. */
  readonly others?: readonly ComboboxItem[];
  /** The id of the chosen target, or the value of another choice; null while there is none. */
  readonly value: string | null;
  readonly choose: (value: string, label: string) => void;
}

const all = () => true;

/** A choice of one target, which is found by a part of its name. Marks targets that no campaign can be sent to. */
export function TargetChoice({
  property,
  isChoice = all,
  others = [],
  value,
  choose,
  ...props
}: TargetChoiceProps) {
  const { words } = useWords();
  const { composer } = words;
  const searchable = useSearchable();
  const site = useSite();
  const query = useQuery(allTargetsQuery(site.name));
  const targets = query.data?.items.filter(isChoice) ?? [];
  const unsafe = new Set(targets.flatMap(({ idTarget, isSafe }) => (isSafe ? [] : [String(idTarget)])));
  const field = useFieldOf(property);
  // An error is about what was chosen then.
  const [judged, setJudged] = useState({ error: field.error, value });
  if (judged.error !== field.error) setJudged({ error: field.error, value });
  const error = judged.value === value ? (field.error ?? props.error) : props.error;
  return (
    <div>
      <Select
        {...searchable}
        openOnFocus={false}
        selectFirstOptionOnChange
        allowDeselect={false}
        withCheckIcon={false}
        maxDropdownHeight={320}
        // Inside of the page's landmark.
        comboboxProps={{ portalProps: { target: '#content' } }}
        nothingFoundMessage={
          query.data && (targets.length === 0 ? composer.noTargets : composer.noSuchTarget)
        }
        renderOption={({ option }) => (
          <>
            <span className="grow anywhere">{option.label}</span>
            {unsafe.has(option.value) && <span className="label amber">{composer.notSafe}</span>}
          </>
        )}
        {...props}
        {...field}
        error={error}
        value={value}
        onChange={(next, option) => option && next !== null && choose(next, option.label)}
        data={[...targets.map((one) => ({ value: String(one.idTarget), label: one.name })), ...others]}
      />
      <ChoiceState query={query} />
    </div>
  );
}
