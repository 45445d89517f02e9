import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { uploadFile } from '../imports/upload.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds, fieldName, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { DataRows } from './data-rows.tsx';
import { KeyField, KeySheet } from './key-parts.tsx';
import { useChanged } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

const tagOf = (key: string, idField: number | string) => `[[DATA.${key}.fld${idField}]]`;

/** The tag of content data, for the field that chooses a reader's row. */
export function DataSheet({ dataKey, close }: { readonly dataKey: string; readonly close: () => void }) {
  const texts = useLibraryWords().data;
  const { words } = useWords();
  const fields = useFields().data ?? [];
  const [idField, setField] = useState(String(fieldIds.email));
  return (
    <KeySheet
      part="data"
      of={dataKey}
      title={texts.of(dataKey)}
      tag={tagOf(dataKey, idField)}
      close={close}
      before={
        <NativeSelect
          label={texts.field}
          description={texts.fieldText}
          value={idField}
          onChange={(event) => setField(event.currentTarget.value)}
          data={fields.map((field) => ({ value: String(field.id), label: fieldName(words, field) }))}
        />
      }
    >
      <DataRows dataKey={dataKey} />
    </KeySheet>
  );
}

/** Whether there are data of a key, ignoring case. */
async function isTaken(idsite: string, key: string): Promise<boolean> {
  const query = { key, 'filter.limit': 1 };
  try {
    await dataOf(api.GET('/v1/{idsite}/content-data/rows', { params: { path: { idsite }, query } }));
    return true;
  } catch (failure) {
    if (isNotFound(failure)) return false;
    throw failure;
  }
}

interface DataFormProps {
  /** The key whose rows are replaced; undefined for new data. */
  readonly dataKey: string | undefined;
  readonly close: () => void;
}

/** Stores a file of two columns under a key: a value, and what readers with that value see. */
export function DataForm({ dataKey, close }: DataFormProps) {
  const texts = useLibraryWords().data;
  const site = useSite();
  const changed = useChanged('data');
  const draft = useFormDraft(dataKey === undefined ? 'new-data' : 'data', dataKey);
  const [typed, setTyped] = draft.field('contentKey', '');
  const [separator, setSeparator] = draft.field('separator', ';');
  const [file, setFile] = useState<File>();
  const key = dataKey ?? typed.trim();
  const save = async () => {
    if (key === '') return { key: texts.noKey };
    if (!file) return texts.noFile;
    if (dataKey === undefined && (await isTaken(site.name, key))) return { key: texts.taken(key) };
    const dataFilePath = await uploadFile(site.name, file);
    await dataOf(
      api.POST('/v1/{idsite}/content-data', {
        params: { path: { idsite: site.name } },
        // As the tag: a key alone may end like one.
        body: { key: tagOf(key, fieldIds.email), dataFilePath, dataFieldTerminator: separator },
      }),
    );
    await changed(texts.saved(key));
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      title={dataKey === undefined ? texts.add : texts.change(dataKey)}
      close={close}
      save={save}
      saveLabel={texts.store}
    >
      <p className="text-2">
        {texts.about}
        {dataKey !== undefined && ` ${texts.replaced}`}
      </p>
      {dataKey === undefined && (
        <KeyField property="key" texts={texts} maxLength={100} value={typed} change={setTyped} />
      )}
      <div className="row">
        <ChooseFile accept=".csv,.txt,.tsv,.gz,.zip" take={([chosen]) => setFile(chosen)}>
          {texts.choose}
        </ChooseFile>
        <span className="small text-2 anywhere">
          <bdi>{file?.name ?? texts.fileText}</bdi>
        </span>
      </div>
      <TextField
        property="dataFieldTerminator"
        label={texts.separator}
        maxLength={20}
        value={separator}
        onChange={(event) => setSeparator(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
