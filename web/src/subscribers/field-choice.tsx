import { type ComboboxItem, Select, type SelectProps } from '@mantine/core';
import { plainText } from '../parts/plain-text.ts';
import { useSearchable } from '../parts/searchable.ts';
import { useWords } from '../words/words.tsx';
import { type Field, fieldName } from './fields.ts';

interface FieldChoiceProps
  extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'filter' | 'renderOption' | 'comboboxProps'> {
  readonly fields: readonly Field[];
  /** A field, or the value of one of `others`. */
  readonly value: Field | string;
  readonly choose: (field: Field) => void;
  /** What can be chosen instead of a field, before the fields. */
  readonly others?: readonly Other[];
}

interface Other {
  readonly value: string;
  readonly label: string;
  readonly choose: () => void;
}

/** A choice of one field, which is found by a part of its name, its number or its type. */
export function FieldChoice({ fields, value, choose, others = [], ...props }: FieldChoiceProps) {
  const { words } = useWords();
  const { types, noSuchField } = words.fields;
  const searchable = useSearchable();
  const byId = new Map(fields.map((field) => [String(field.id), field]));
  const data = [
    ...others.map(({ value, label }) => ({ value, label })),
    ...fields.map((field) => ({ value: String(field.id), label: fieldName(words, field) })),
  ];
  const chosen = typeof value === 'string' ? value : String(value.id);
  /** Whether every word of a search is a part of the name, the type or the beginning of the number. */
  const isFound = ({ value: id, label }: ComboboxItem, wanted: readonly string[]): boolean => {
    const field = byId.get(id);
    const text = plainText(field ? `${label} ${types[field.fieldType]}` : label);
    return wanted.every((word) => text.includes(word) || (field && id.startsWith(word)));
  };
  const isName = (text: string) => data.some((one) => one.value === chosen && one.label === text);
  /** What is typed next replaces the name, as long as that is whole. */
  const selectName = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const { selectionStart, selectionEnd } = currentTarget;
    if (isName(currentTarget.value) && selectionStart === selectionEnd) currentTarget.select();
  };
  return (
    <Select
      {...searchable}
      selectFirstOptionOnChange
      allowDeselect={false}
      withCheckIcon={false}
      maxDropdownHeight={320}
      nothingFoundMessage={noSuchField}
      // Inside of the page's landmark.
      comboboxProps={{ width: 300, position: 'bottom-start', portalProps: { target: '#content' } }}
      onFocus={selectName}
      onClick={selectName}
      {...props}
      data={data}
      filter={({ options, search }) => {
        const wanted = plainText(search).split(/\s+/).filter(Boolean);
        return options.filter((option) => 'value' in option && isFound(option, wanted));
      }}
      renderOption={({ option }) => {
        const field = byId.get(option.value);
        return (
          <>
            <span className="grow anywhere">{option.label}</span>
            {field && (
              // The chosen option has other colours.
              <span className="label" style={{ color: 'inherit' }}>
                {field.id} · {types[field.fieldType]}
              </span>
            )}
          </>
        );
      }}
      value={chosen}
      onChange={(id) => {
        if (id === null || id === chosen) return;
        const field = byId.get(id);
        if (field) choose(field);
        else others.find((one) => one.value === id)?.choose();
      }}
    />
  );
}
