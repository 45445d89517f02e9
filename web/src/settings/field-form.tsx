import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { LongTextField, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import type { Field } from '../subscribers/fields.ts';
import { SameName } from '../subscribers/same-name.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { useSettingsWords } from './words.ts';

const fieldTypes = ['Text', 'Integer', 'Date', 'List', 'Boolean'] as const;

/** A value of a list, as it is typed. */
interface ListValue {
  readonly key: string;
  readonly value: string;
}

/** Adds a field, or renames one. The type of a field stays: another one would empty the values of all people. */
export function FieldForm({ field, close }: FieldFormProps) {
  const { words } = useWords();
  const texts = useSettingsWords().fields;
  const site = useSite();
  const queries = useQueryClient();
  const draft = useFormDraft('field', field?.id);
  const [name, setName] = draft.field('name', field?.name ?? '');
  const [fieldType, setType] = draft.field('fieldType', field?.fieldType ?? 'Text');
  const [length, setLength] = draft.field('length', String(field?.length ?? 100));
  const [values, setValues] = draft.field<readonly ListValue[]>(
    'values',
    field?.list?.map(({ key, value }) => ({ key: String(key), value })) ?? [{ key: '1', value: '' }],
  );
  const [description, setDescription] = draft.field('description', field?.description ?? '');
  const save = async () => {
    if (name.trim() === '') return { name: texts.noName };
    const list = values.filter(({ value }) => value.trim() !== '');
    if (fieldType === 'List' && list.length === 0) return texts.noValue;
    const body = {
      name: name.trim(),
      description: description.trim(),
      ...(fieldType === 'Text' && { length: Number(length) || 0 }),
      ...(fieldType === 'List' && {
        list: list.map(({ key, value }) => ({ key: Number(key), value: value.trim() })),
      }),
    };
    const params = { path: { idsite: site.name } };
    if (field) await dataOf(api.PUT('/v1/{idsite}/fields', { params, body: { ...body, id: field.id } }));
    else await dataOf(api.POST('/v1/{idsite}/fields', { params, body: { ...body, fieldType } }));
    await queries.invalidateQueries({ queryKey: ['fields', site.name] });
    toast({ text: texts.saved(name.trim()) });
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={field ? texts.change(field.name) : texts.add}
      close={close}
      save={save}
      saveLabel={field ? undefined : texts.create}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SameName name={name} id={field?.id} />
      <NativeSelect
        label={texts.type}
        disabled={field !== undefined}
        description={field && texts.typeStays}
        value={fieldType}
        onChange={(event) => setType(event.currentTarget.value as Field['fieldType'])}
        data={fieldTypes.map((value) => ({ value, label: words.fields.types[value] }))}
      />
      {fieldType === 'Text' && (
        <TextField
          property="length"
          label={texts.length}
          inputMode="numeric"
          value={length}
          onChange={(event) => setLength(event.currentTarget.value)}
        />
      )}
      {fieldType === 'List' && <ListValues values={values} change={setValues} />}
      <LongTextField
        property="description"
        label={texts.description}
        maxLength={500}
        autosize={false}
        rows={2}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
interface FieldFormProps {
  /** Undefined for a new one. */
  readonly field: Field | undefined;
  readonly close: () => void;
}

/** The allowed values of a list, each with the number that is stored for it. */
function ListValues({ values, change }: ListValuesProps) {
  const texts = useSettingsWords().fields;
  const parts = usePartWords();
  const set = (index: number, next: Partial<ListValue>) =>
    change(values.map((one, at) => (at === index ? { ...one, ...next } : one)));
  const highest = Math.max(0, ...values.map(({ key }) => Number(key) || 0));
  return (
    <fieldset className="list-values">
      <legend className="small strong" style={{ marginBottom: 5 }}>
        {texts.listValues}
      </legend>
      {values.map(({ key, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: while it is typed, a value has no other identity
        <div key={index}>
          <TextInput
            aria-label={texts.keyOf(index + 1)}
            inputMode="numeric"
            value={key}
            onChange={(event) => set(index, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={texts.valueOf(index + 1)}
            maxLength={255}
            value={value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={`${parts.remove}: ${value || texts.valueOf(index + 1)}`}
            title={parts.remove}
            disabled={values.length === 1}
            onClick={() => change(values.filter((_, at) => at !== index))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <span>
        <Button size="xs" onClick={() => change([...values, { key: String(highest + 1), value: '' }])}>
          {texts.addValue}
        </Button>
      </span>
    </fieldset>
  );
}
interface ListValuesProps {
  readonly values: readonly ListValue[];
  readonly change: (values: readonly ListValue[]) => void;
}
