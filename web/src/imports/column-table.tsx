import { NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { isTyped } from '../parts/searchable.ts';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { FieldChoice } from '../subscribers/field-choice.tsx';
import type { Field } from '../subscribers/fields.ts';
import { SameName } from '../subscribers/same-name.tsx';
import { useWords } from '../words/words.tsx';
import {
  type Choice,
  choiceOf,
  type Fitting,
  fittingType,
  isImportable,
  newTypes,
  type Preview,
} from './mapping.ts';

const skip = 'skip';
const newField = 'new';
const samples = 3;
/** Columns that are named when they are not imported. */
const mostNamed = 5;
/** Length of the text fields that are created here. */
const textLength = 255;

interface ColumnTableProps {
  readonly file: string;
  readonly preview: Preview;
  readonly fields: readonly Field[];
  readonly choices: readonly Choice[];
  readonly change: (choices: readonly Choice[]) => void;
}

/** Moves from the choice of one column to another by the arrow keys, and opens it by Enter, unless it is open. */
function moveBetween(event: KeyboardEvent<HTMLElement>): void {
  const { target, key } = event;
  if (!(target instanceof HTMLInputElement) || target.ariaExpanded !== 'false' || isTyped(target)) return;
  const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const choices = [
    ...(target.closest('table')?.querySelectorAll<HTMLInputElement>('.becomes [role=combobox]') ?? []),
  ];
  if (step === 0) target.click();
  else choices[choices.indexOf(target) + step]?.focus();
}

/** The names of the columns, without the number and the reason that a file of rejected rows has behind them. */
function ownNames(file: string, { columns, columnNamesFirstLine }: Preview): string[] {
  const names = columns.map(({ name }, at) => name.trim() || String(at + 1));
  const isOfRejected = columnNamesFirstLine
    ? /\n_*row\n_*reason$/.test(names.join('\n'))
    : file.endsWith('.errors.csv');
  return isOfRejected ? names.slice(0, -2) : names;
}

/** The columns of the file with their first values, and what each becomes. */
export function ColumnTable({ file, preview, fields, choices, change }: ColumnTableProps) {
  const { words } = useWords();
  const texts = words.imports;
  const [created, setCreated] = useState<number>();
  const choose = (at: number, choice: Choice) => change(choices.with(at, choice));
  const columnAt = (at: number) => preview.rows.map((row) => row[at]);
  const importable = fields.filter(isImportable);
  const guessed = preview.columns.filter(
    ({ dbFieldName }, at) => dbFieldName !== null && dbFieldName === `fld${choices[at]?.idField}`,
  ).length;
  const names = ownNames(file, preview);
  const skipped = names.filter((_, at) => choices[at]?.idField === undefined);
  return (
    <>
      <div className="card-head">
        <h2>{texts.columnsTitle}</h2>
        <span className="aside">{texts.guessedOf(guessed, names.length)}</span>
      </div>
      {skipped.length > 0 && (
        <p className="note amber anywhere" role="status">
          {texts.notImported(skipped.slice(0, mostNamed).join(', '), skipped.length - mostNamed)}
        </p>
      )}
      <table className="table">
        <thead>
          <tr>
            <th>{texts.column}</th>
            <th>{texts.firstRows}</th>
            <th>{texts.becomes}</th>
          </tr>
        </thead>
        <tbody>
          {preview.columns.map(({ name, dbFieldName }, at) => {
            const { idField, format } = choices[at] ?? {};
            const field = fields.find(({ id }) => id === idField);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may share a name, and never move
              <tr key={at}>
                <td className="title" style={{ overflowWrap: 'anywhere' }}>
                  <bdi className="strong">{name}</bdi>
                </td>
                <td>
                  <div className="samples small text-2">
                    {preview.rows.slice(0, samples).map((row, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
                      <bdi key={index} className="cut">
                        {row[at] || '–'}
                      </bdi>
                    ))}
                  </div>
                </td>
                <td className="becomes" onKeyDownCapture={moveBetween}>
                  <FieldChoice
                    aria-label={texts.becomesOf(name)}
                    // The arrow keys only pass by.
                    openOnFocus={false}
                    fields={importable}
                    value={field ?? skip}
                    choose={(next) => choose(at, choiceOf(next, columnAt(at)))}
                    others={[
                      { value: skip, label: texts.skip, choose: () => choose(at, {}) },
                      { value: newField, label: texts.newField, choose: () => setCreated(at) },
                    ]}
                  />
                  {field && dbFieldName === `fld${field.id}` && (
                    <span className="label text-3">{texts.guessed}</span>
                  )}
                  {field && (
                    <Format
                      field={field}
                      format={format ?? ''}
                      setFormat={(next) => choose(at, { idField: field.id, format: next })}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {created !== undefined && (
        <FieldDialog
          file={file}
          name={preview.columns[created]?.name ?? ''}
          fitting={fittingType(columnAt(created))}
          close={() => setCreated(undefined)}
          choose={(choice) => choose(created, choice)}
        />
      )}
    </>
  );
}

/** How the column writes dates, or the values of a list. */
function Format({ field, format, setFormat }: FormatProps) {
  const { words } = useWords();
  const texts = words.imports;
  if (field.fieldType === 'Date')
    return (
      <TextInput
        aria-label={texts.dateFormat}
        title={texts.dateFormat}
        placeholder={texts.dateFormatUsual}
        value={format}
        maxLength={50}
        onChange={(event) => setFormat(event.currentTarget.value)}
      />
    );
  if (field.fieldType !== 'List') return null;
  return (
    <NativeSelect
      aria-label={texts.listFormat}
      value={format || 'KEY'}
      data={[
        { value: 'KEY', label: texts.listKeys },
        { value: 'VALUE', label: texts.listTexts },
      ]}
      onChange={(event) => setFormat(event.currentTarget.value)}
    />
  );
}
interface FormatProps {
  readonly field: Field;
  readonly format: string;
  readonly setFormat: (format: string) => void;
}

/** Creates a field, and chooses it for the column. */
function FieldDialog({ file, name: first, fitting, close: end, choose }: FieldDialogProps) {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const queries = useQueryClient();
  const draft = useFormDraft('import-field', `${file} ${first}`);
  const [name, setName] = draft.field('name', first);
  const [fieldType, setFieldType] = draft.field('type', fitting.fieldType);
  const close = () => {
    draft.forget();
    end();
  };
  const create = async () => {
    if (name.trim() === '') return { name: texts.noName };
    const { id } = await dataOf(
      api.POST('/v1/{idsite}/fields', {
        params: { path: { idsite: site.name } },
        body: { name: name.trim(), fieldType, ...(fieldType === 'Text' && { length: textLength }) },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['fields', site.name] });
    const { format } = fitting;
    choose({ idField: id, ...(fieldType === 'Date' && format && { format }) });
    return undefined;
  };
  return (
    <Dialog close={close} back={end} title={texts.fieldTitle}>
      <SubmitForm save={create} saveLabel={texts.createField} close={close} draft={draft}>
        <TextField
          property="name"
          data-autofocus
          label={texts.fieldName}
          value={name}
          maxLength={255}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SameName name={name} />
        <NativeSelect
          label={texts.fieldType}
          value={fieldType}
          data={newTypes.map((value) => ({ value, label: words.fields.types[value] }))}
          onChange={(event) => setFieldType(event.currentTarget.value as Fitting['fieldType'])}
        />
      </SubmitForm>
    </Dialog>
  );
}
interface FieldDialogProps {
  readonly file: string;
  readonly name: string;
  /** The type that is chosen at first. */
  readonly fitting: Fitting;
  readonly close: () => void;
  readonly choose: (choice: Choice) => void;
}
