import { Select, type SelectProps } from '@mantine/core';
import { plainText } from '../parts/plain-text.ts';
import { useWords } from '../words/words.tsx';
import { type Field, fieldName } from './fields.ts';

interface FieldChoiceProps
  extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'filter' | 'renderOption' | 'comboboxProps'> {
  readonly fields: readonly Field[];
  readonly value: Field;
  readonly choose: (field: Field) => void;
}

/** A choice of one field, which is found by a part of its name, its number or its type. */
export function FieldChoice({ fields, value, choose, ...props }: FieldChoiceProps) {
  const { words } = useWords();
  const { types, noSuchField } = words.fields;
  const byId = new Map(fields.map((field) => [String(field.id), field]));
  /** Whether every word of a search is a part of the name, the type or the beginning of the number. */
  const isFound = (id: string, wanted: readonly string[]): boolean => {
    const field = byId.get(id);
    if (!field) return false;
    const text = plainText(`${fieldName(words, field)} ${types[field.fieldType]}`);
    return wanted.every((word) => text.includes(word) || id.startsWith(word));
  };
  return (
    <Select
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      withCheckIcon={false}
      maxDropdownHeight={320}
      nothingFoundMessage={noSuchField}
      // Inside of the page's landmark.
      comboboxProps={{ width: 300, position: 'bottom-start', portalProps: { target: '#content' } }}
      {...props}
      data={fields.map((field) => ({ value: String(field.id), label: fieldName(words, field) }))}
      filter={({ options, search }) => {
        const wanted = plainText(search).split(/\s+/).filter(Boolean);
        return options.filter((option) => 'value' in option && isFound(option.value, wanted));
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
      value={String(value.id)}
      onChange={(id) => {
        const field = id === null ? undefined : byId.get(id);
        if (field && field.id !== value.id) choose(field);
      }}
    />
  );
}
