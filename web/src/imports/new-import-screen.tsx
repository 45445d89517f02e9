import { Button, Menu, NativeSelect } from '@mantine/core';
import { IconCheck, IconClock, IconFileImport } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Failed, Loading, NoRight, NotFound, Page } from '../parts/states.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useMe, useSite } from '../session/session.tsx';
import { type Field, fieldName, useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { ColumnTable } from './column-table.tsx';
import { DropAnywhere } from './drop-anywhere.tsx';
import { DryRunCard } from './dry-run-card.tsx';
import { ExtraFields } from './extra-fields.tsx';
import { importQuery } from './import-query.ts';
import { beginningFor, type ChoicesOf, columnsOf, keepFor, keptFor } from './kept-choices.ts';
import {
  type Chosen,
  chosenTwice,
  type ImportParameters,
  isKey,
  type Preview,
  parametersOf,
} from './mapping.ts';
import { NightlyForm } from './nightly-form.tsx';
import { ReadAs } from './read-as.tsx';
import { RejectedRows } from './rejected-rows.tsx';
import { RuleSwitches } from './rules.tsx';
import { concernedBy, type Trial, useDryRun } from './use-dry-run.ts';
import { type Reading, usePreview } from './use-preview.ts';
import { useImportCountdown } from './use-undo-import.ts';
import './imports.css';

const route = getRouteApi('/$site/imports/new');

/** Prepares the import of a file; another one that is dropped begins anew. */
export function NewImportScreen() {
  return <NewImport key={route.useSearch().file} />;
}

/** Prepares the import of a file: how it is read, what its columns become, rules, and what would happen. */
function NewImport() {
  const { words } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { file, rows, like } = route.useSearch();
  const corrected = useQuery({ ...importQuery(site.name, like ?? 0), enabled: like !== undefined });
  const { reading, setReading, isReadAsChosen } = useReading(file, corrected.data?.parameters);
  const [isReading, setIsReading] = useState(false);
  const fields = useFields();
  const of = useChoicesOf(file ?? '');
  const preview = usePreview(file, reading, like === undefined || !corrected.isPending);
  if (!site.may('editor')) return <NoRight text={words.rights.imports} />;
  if (file === undefined) return <NotFound text={texts.noFile} />;
  return (
    <Page
      title={texts.newTitle(file)}
      thingOf="imports"
      sub={
        preview.data && (
          <Sub
            preview={preview.data}
            rows={rows}
            isOpen={isReading}
            toggle={() => setIsReading(!isReading)}
          />
        )
      }
      actions={<Steps />}
    >
      <DropAnywhere prepared={file} hasChoices={() => Object.keys(keptFor(of)).length > 0} />
      {(preview.isPending || fields.isPending) && !preview.error && <Loading />}
      {preview.data && isReading && (
        <ReadAs
          file={file}
          preview={preview.data}
          reading={reading}
          change={(next) => setReading({ ...reading, ...next })}
        />
      )}
      {preview.error && (
        <section className="card">
          <Failed error={preview.error} retry={() => void preview.refetch()} />
          {/* A sheet that was chosen, for example, may not be in this file. */}
          {isReadAsChosen && (
            <div className="empty">
              <Button size="xs" onClick={() => setReading({})}>
                {texts.readAsGuessed}
              </Button>
            </div>
          )}
        </section>
      )}
      {preview.data && fields.data && !preview.error && (
        <Preparation
          // Another reading has other columns.
          key={`${file}\n${columnsOf(preview.data)}`}
          file={file}
          rows={rows}
          preview={preview.data}
          sheetName={reading.sheetName}
          fields={fields.data}
          like={corrected.data?.parameters}
        />
      )}
    </Page>
  );
}

/** Whose choices for a file are kept in this tab. */
function useChoicesOf(file: string): ChoicesOf {
  const site = useSite();
  return { idUser: useMe().user.id, site: site.name, file };
}

/** How the user wants the file to be read; of a file that corrects an import, the first line means what it meant there. */
function useReading(file: string | undefined, like: ImportParameters | undefined) {
  const of = useChoicesOf(file ?? '');
  const [chosen, setChosen] = useState<Reading>(() => keptFor(of).reading ?? {});
  const reading: Reading = { ...pickHead(like), ...chosen };
  return {
    reading,
    isReadAsChosen: Object.keys(chosen).length > 0,
    setReading: (next: Reading) => {
      setChosen(next);
      if (file !== undefined) keepFor(of, { reading: next });
    },
  };
}

const pickHead = (like: ImportParameters | undefined): Reading =>
  typeof like?.columnNamesFirstLine === 'boolean' ? { columnNamesFirstLine: like.columnNamesFirstLine } : {};

/** How the file is read, and the way to change it. */
function Sub({ preview, rows, isOpen, toggle }: SubProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const encodings: Readonly<Record<number, string>> = texts.encodings;
  const separators: Readonly<Record<string, string>> = texts.separators;
  const { isWorkbook, codepage, columnDelimiter, columnNamesFirstLine } = preview;
  const count = rows === undefined ? undefined : rows + (columnNamesFirstLine ? 0 : 1);
  return (
    <>
      {count !== undefined && <span>{texts.rows(format.count(count), format.isOne(count))}</span>}
      {isWorkbook ? (
        <span>{texts.workbook}</span>
      ) : (
        <>
          <span>{encodings[codepage] ?? codepage}</span>
          <span>{texts.separatedBy(separators[columnDelimiter] ?? columnDelimiter)}</span>
        </>
      )}
      <span>{columnNamesFirstLine ? texts.withNames : texts.withoutNames}</span>
      <button type="button" className="link" aria-expanded={isOpen} aria-controls="read-as" onClick={toggle}>
        {texts.readDifferently}
      </button>
    </>
  );
}
interface SubProps {
  readonly preview: Preview;
  readonly rows: number | undefined;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/** The steps of an import; this screen is the third. */
function Steps() {
  const { words } = useWords();
  const { file, columns, dry, start } = words.imports.steps;
  return (
    <ol className="import-steps" aria-label={words.imports.steps.label}>
      {[file, columns].map((name) => (
        <li key={name} className="text-2">
          <IconCheck size={14} className="green" aria-hidden />
          {name}
        </li>
      ))}
      <li className="ink strong" aria-current="step">
        {dry}
      </li>
      <li className="text-3">{start}</li>
    </ol>
  );
}

interface PreparationProps {
  readonly file: string;
  readonly rows: number | undefined;
  readonly preview: Preview;
  /** The sheet of a workbook, if the user has chosen one. */
  readonly sheetName: string | undefined;
  readonly fields: readonly Field[];
  /** The import that the file corrects. */
  readonly like: ImportParameters | undefined;
}

/** What the user has chosen, what is wrong with it, and the parameters of the import that follow from it. */
function useChosen({ file, preview, sheetName, fields, like }: PreparationProps) {
  const { words } = useWords();
  const texts = words.imports;
  const of = useChoicesOf(file);
  const [chosen, setChosen] = useState(() => beginningFor(preview, keptFor(of), like, fields));
  const { choices, extras, idKeyField } = chosen;
  const change = (changes: Partial<Chosen>) => {
    const next = { ...chosen, ...changes };
    setChosen(next);
    keepFor(of, { chosen: next, columns: columnsOf(preview) });
  };
  const keys = fields.filter((field) => isKey(field) && choices.some(({ idField }) => idField === field.id));
  // Another one is never chosen by itself: a town would make all its people one.
  const key = keys.find(({ id }) => id === idKeyField);
  const twice = fields.find(({ id }) => id === chosenTwice([...choices, ...extras]));
  const problem = twice ? texts.twice(fieldName(words, twice)) : key ? '' : texts.keyMissing;
  return {
    ...chosen,
    ...{ keys, key, problem, change },
    parameters: problem === '' ? parametersOf(file, preview, chosen, sheetName) : undefined,
  };
}

function Preparation(props: PreparationProps) {
  const { words } = useWords();
  const texts = words.imports;
  const { file, preview, fields } = props;
  const chosen = useChosen(props);
  const { choices, extras, rules, keys, key, problem, change } = chosen;
  const trial = useDryRun(chosen.parameters);
  const run = problem === '' ? trial.result : undefined;
  return (
    <>
      <DryRunCard trial={trial} problem={problem} />
      <div className="columns">
        <section className="card flush">
          <ColumnTable
            file={file}
            preview={preview}
            fields={fields}
            choices={choices}
            change={(choices) => change({ choices })}
          />
          <ExtraFields fields={fields} extras={extras} change={(extras) => change({ extras })} />
        </section>
        <div className="stack">
          <section className="card">
            <h2 className="card-head">{texts.rules}</h2>
            <div className="card-body rules">
              {keys.length > 0 && (
                <NativeSelect
                  label={texts.key}
                  value={key ? String(key.id) : ''}
                  data={[
                    ...(key ? [] : [{ value: '', label: '–' }]),
                    ...keys.map((field) => ({ value: String(field.id), label: fieldName(words, field) })),
                  ]}
                  onChange={(event) => change({ idKeyField: Number(event.currentTarget.value) })}
                />
              )}
              <RuleSwitches rules={rules} run={run} change={(rules) => change({ rules })} />
              {problem !== '' && (
                <p className="note amber" role="alert">
                  {problem}
                </p>
              )}
            </div>
          </section>
          {run && <RejectedRows run={run} file={file} />}
        </div>
      </div>
      <Actions file={file} parameters={chosen.parameters} trial={trial} />
    </>
  );
}

/** The bar with the action: the import with its number, or every night. */
function Actions({ file, parameters, trial }: ActionProps) {
  const { words, format } = useWords();
  const texts = words.imports;
  const site = useSite();
  const { settings } = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const countDown = useImportCountdown();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isNightly, setNightly] = useState(false);
  const isPhone = useIsPhone();
  const nightly = {
    disabled: !parameters,
    leftSection: <IconClock size={16} aria-hidden />,
    onClick: () => setNightly(true),
  };
  const count = trial.isPending || !trial.result ? undefined : concernedBy(trial.result);
  const start = async () => {
    setBusy(true);
    setError('');
    try {
      const { id } = await dataOf(
        api.POST('/v1/{idsite}/imports/immediate', {
          params: { path: { idsite: site.name } },
          body: { parameters: parameters! },
        }),
      );
      countDown(id, file);
      await queries.invalidateQueries({ queryKey: ['imports', site.name, 'list'] });
      await navigate({ to: '/$site/imports/$idImport', params: { site: site.name, idImport: String(id) } });
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <div className="act-bar">
      <p className={error ? 'small red' : 'small text-2'} role={error ? 'alert' : undefined}>
        {error || texts.delay(format.length(settings.importDelayInSeconds))}
      </p>
      <div className="row bottom-bar">
        <LinkButton to="/$site/imports" params={{ site: site.name }}>
          {texts.back}
        </LinkButton>
        {!isPhone && <Button {...nightly}>{texts.nightly.open}</Button>}
        <Button
          variant="filled"
          disabled={!parameters}
          loading={isBusy}
          leftSection={<IconFileImport size={16} aria-hidden />}
          onClick={() => void start()}
        >
          {count ? texts.start(format.count(count), format.isOne(count)) : texts.startUncounted}
        </Button>
        {isPhone && (
          <RowMenu name={file} isFixed>
            <Menu.Item {...nightly}>{texts.nightly.open}</Menu.Item>
          </RowMenu>
        )}
      </div>
      {isNightly && parameters && <NightlyForm parameters={parameters} close={() => setNightly(false)} />}
    </div>
  );
}
interface ActionProps {
  readonly file: string;
  readonly parameters: ImportParameters | undefined;
  readonly trial: Trial;
}
