import { Button, NativeSelect, Switch } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Failed, Loading, NoRight, NotFound, Page } from '../parts/states.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { type Field, fieldIds, fieldName, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { ColumnTable } from './column-table.tsx';
import { type Choice, chosenTwice, guessedChoices, isKey, mappingOf, type Preview } from './mapping.ts';
import './imports.css';

const route = getRouteApi('/$site/imports/new');

/** How the file is read, as far as the user has said it; the service guesses the rest. */
interface Reading {
  readonly codepage?: number;
  readonly columnDelimiter?: string;
  readonly columnNamesFirstLine?: boolean;
}

/** Prepares the import of a file that was uploaded: how it is read, what its columns become, rules. */
export function NewImportScreen() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { file, rows } = route.useSearch();
  const [reading, setReading] = useState<Reading>({});
  const fields = useFields();
  const preview = useQuery({
    queryKey: ['imports', site.name, 'preview', file, reading],
    enabled: file !== undefined && site.may('editor'),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      dataOf(
        api.POST('/v1/{idsite}/imports/preview', {
          params: { path: { idsite: site.name } },
          body: { filename: file!, ...reading },
        }),
      ),
  });
  if (!site.may('editor')) return <NoRight text={words.rights.imports} />;
  if (file === undefined) return <NotFound text={texts.noFile} />;
  return (
    <Page
      title={texts.newTitle(file)}
      crumb={
        <Link to="/$site/imports" params={{ site: site.name }}>
          {texts.title}
        </Link>
      }
    >
      {preview.error && (
        <section className="card">
          <Failed error={preview.error} retry={() => void preview.refetch()} />
        </section>
      )}
      {(preview.isPending || fields.isPending) && !preview.error && <Loading />}
      {preview.data && fields.data && (
        <>
          <ReadAs preview={preview.data} change={(next) => setReading({ ...reading, ...next })} />
          {!preview.error && (
            <Preparation
              // Another reading has other columns.
              key={preview.data.columns.map(({ name }) => name).join('\n')}
              file={file}
              rows={rows}
              preview={preview.data}
              fields={fields.data}
            />
          )}
        </>
      )}
    </Page>
  );
}

function ReadAs({ preview, change }: ReadAsProps) {
  const { words } = useWords();
  const texts = words.imports;
  return (
    <section className="card" aria-label={texts.readAs}>
      <div className="card-body reading" style={{ paddingTop: 14 }}>
        {preview.isWorkbook ? (
          <p className="text-2">{texts.workbook}</p>
        ) : (
          <>
            <NativeSelect
              label={texts.encoding}
              value={String(preview.codepage)}
              data={Object.entries(texts.encodings).map(([value, label]) => ({ value, label }))}
              onChange={(event) => change({ codepage: Number(event.currentTarget.value) })}
            />
            <NativeSelect
              label={texts.separator}
              value={preview.columnDelimiter}
              data={Object.entries(texts.separators).map(([value, label]) => ({ value, label }))}
              onChange={(event) => change({ columnDelimiter: event.currentTarget.value })}
            />
          </>
        )}
        <Switch
          label={texts.header}
          checked={preview.columnNamesFirstLine}
          onChange={(event) => change({ columnNamesFirstLine: event.currentTarget.checked })}
        />
      </div>
    </section>
  );
}
interface ReadAsProps {
  readonly preview: Preview;
  readonly change: (next: Reading) => void;
}

interface PreparationProps {
  readonly file: string;
  readonly rows: number | undefined;
  readonly preview: Preview;
  readonly fields: readonly Field[];
}

const firstRules = { insertEnabled: true, keepFld7: true, safeMode: false, deleteFile: false };
type Rules = typeof firstRules;

function Preparation({ file, rows, preview, fields }: PreparationProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { settings } = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [choices, setChoices] = useState<readonly Choice[]>(() => guessedChoices(preview));
  const [rules, setRules] = useState<Rules>(firstRules);
  const [key, setKey] = useState<number>(fieldIds.email);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const keys = fields.filter((field) => isKey(field) && choices.some(({ idField }) => idField === field.id));
  // Another one is never chosen by itself: a town would make all its people one.
  const chosenKey = keys.find(({ id }) => id === key);
  const twice = fields.find(({ id }) => id === chosenTwice(choices));
  const problem = twice ? texts.twice(fieldName(words, twice)) : chosenKey ? '' : texts.keyMissing;
  const count = rows === undefined ? undefined : rows + (preview.columnNamesFirstLine ? 0 : 1);
  const start = async () => {
    setBusy(true);
    setError('');
    const { startLine, columnNamesFirstLine, textQualifier, columnDelimiter, codepage } = preview;
    const dialect = { startLine, columnNamesFirstLine, textQualifier, columnDelimiter, codepage };
    try {
      const { id } = await dataOf(
        api.POST('/v1/{idsite}/imports/immediate', {
          params: { path: { idsite: site.name } },
          body: {
            parameters: {
              filename: file,
              ...dialect,
              ...rules,
              keyDbFieldName: `fld${chosenKey!.id}`,
              columnMapping: mappingOf(preview, choices),
            },
          },
        }),
      );
      await queries.invalidateQueries({ queryKey: ['imports', site.name, 'list'] });
      await navigate({ to: '/$site/imports/$idImport', params: { site: site.name, idImport: String(id) } });
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <div className="columns">
      <ColumnTable preview={preview} fields={fields} choices={choices} change={setChoices} />
      <section className="card">
        <h2 className="card-head">{texts.rules}</h2>
        <div className="card-body rules">
          {keys.length > 0 && (
            <NativeSelect
              label={texts.key}
              value={chosenKey ? String(chosenKey.id) : ''}
              data={[
                ...(chosenKey ? [] : [{ value: '', label: '–' }]),
                ...keys.map((field) => ({ value: String(field.id), label: fieldName(words, field) })),
              ]}
              onChange={(event) => setKey(Number(event.currentTarget.value))}
            />
          )}
          <RuleSwitches rules={rules} change={setRules} />
          {(problem || error) && (
            <p className={error ? 'note red' : 'note amber'} role="alert">
              {error || problem}
            </p>
          )}
          <Button variant="filled" disabled={problem !== ''} loading={isBusy} onClick={() => void start()}>
            {count === undefined ? texts.startUncounted : texts.start(format.count(count), count === 1)}
          </Button>
          <p className="small text-3">{texts.delay(format.length(settings.importDelayInSeconds))}</p>
        </div>
      </section>
    </div>
  );
}

function RuleSwitches({ rules, change }: RuleProps) {
  const { words } = useWords();
  const texts = words.imports;
  const names: Readonly<Record<keyof Rules, string>> = {
    insertEnabled: texts.addNew,
    keepFld7: texts.keepStatus,
    safeMode: texts.safe,
    deleteFile: texts.deleteFile,
  };
  return (
    <>
      {(Object.keys(names) as (keyof Rules)[]).map((rule) => (
        <Switch
          key={rule}
          label={names[rule]}
          checked={rules[rule]}
          onChange={(event) => change({ ...rules, [rule]: event.currentTarget.checked })}
        />
      ))}
      {!rules.keepFld7 && <p className="note amber">{texts.keepStatusOff}</p>}
    </>
  );
}
interface RuleProps {
  readonly rules: Rules;
  readonly change: (rules: Rules) => void;
}
