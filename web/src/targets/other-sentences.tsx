import { Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { mostBytes, uploadFile } from '../imports/upload.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { type Field, fieldName } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { Codes, partsOf } from './chosen.tsx';
import type { Filter } from './filter-kinds.ts';
import { parisInput, parisInstant } from './paris-time.ts';
import { type FoundPlace, PlaceSearch } from './place-search.tsx';
import { faultOf, More, numberFrom, Pick, Typed, typedFrom, usePart } from './sentence.tsx';
import { TrySql } from './try-sql.tsx';

interface SentenceProps<F> {
  readonly filter: F;
  readonly change: (next: Partial<F>) => void;
}

/** Place: country, postcodes with the places around them, departments. */
export function PlaceSentence({ filter, change }: SentenceProps<Filter<'geolocation'>>) {
  const { geolocation } = useWords().words.targets.filters;
  const { country, postcode, radius, excludePostCodes, departmentIds } = filter;
  const add = (place: FoundPlace) => {
    const codes = partsOf(postcode);
    const isOther = country !== place.country && country !== '_NBCountry';
    change({
      postcode: [...new Set([...codes, ...place.postcodes])].join(';'),
      // Places of two countries need any country; the first place brings its own.
      ...(isOther && { country: codes.length === 0 ? place.country : '_NBCountry' }),
    });
  };
  return (
    <>
      <div className="sentence">
        {geolocation.lives}
        <Pick
          member="country"
          label={geolocation.country}
          value={country ?? '_NBCountry'}
          choices={geolocation.countries}
          pick={(next) => change({ country: next })}
        />
        {geolocation.at}
        <Codes
          member="postcode"
          label={geolocation.postcodes}
          placeholder={geolocation.postcodesHint}
          codes={postcode}
          // A distance is one from a postcode.
          set={(next) => change({ postcode: next || null, ...(next === '' && { radius: null }) })}
        />
        <PlaceSearch choose={add} />
        {postcode && (
          <>
            {geolocation.within}
            <Typed
              member="radius"
              type="number"
              label={geolocation.radius}
              placeholder={geolocation.anyRadius}
              value={typedFrom(radius)}
              set={(next) => change({ radius: numberFrom(next) })}
            />
            {geolocation.around}
          </>
        )}
      </div>
      <More isUsed={Boolean(departmentIds || excludePostCodes)}>
        <div className="sentence">
          {geolocation.departments}
          <Codes
            member="departmentIds"
            label={geolocation.departments}
            placeholder={geolocation.departmentsHint}
            codes={departmentIds}
            set={(next) => change({ departmentIds: next || null })}
          />
        </div>
        <div className="sentence">
          {geolocation.not}
          <Codes
            member="excludePostCodes"
            label={geolocation.excluded}
            placeholder={geolocation.postcodesHint}
            codes={excludePostCodes}
            set={(next) => change({ excludePostCodes: next || null })}
          />
        </div>
      </More>
    </>
  );
}

/** The types of fields that files are compared with. */
const comparable: ReadonlySet<Field['fieldType']> = new Set(['Text', 'Integer', 'List']);

interface WithFields {
  readonly fields: readonly Field[];
}

/** List in a file: a field whose value is in an uploaded file. */
export function FileSentence({ filter, change, fields }: SentenceProps<Filter<'file'>> & WithFields) {
  const { words } = useWords();
  const { file } = words.targets.filters;
  const { filename, dbFieldName, fileAutomaticDeletionDate } = filter;
  const column = dbFieldName ?? '';
  const choices = fields
    .filter(({ fieldType }) => comparable.has(fieldType))
    .map((field) => [`fld${field.id}`, fieldName(words, field)] as const);
  const isKnown = choices.some(([name]) => name === column);
  return (
    <>
      <div className="sentence">
        <Pick
          member="dbFieldName"
          label={file.field}
          value={column}
          choices={Object.fromEntries(isKnown ? choices : [[column, column], ...choices])}
          pick={(next) => change({ dbFieldName: next })}
        />
        {file.isIn}
        <span className="path">
          <Typed
            member="filename"
            label={file.path}
            placeholder={file.pathHint}
            value={filename ?? ''}
            set={(next) => change({ filename: next })}
          />
        </span>
        <Upload done={(path) => change({ filename: path })} />
      </div>
      <p className="label text-3">{file.columns}</p>
      <div className="sentence">
        {file.until}
        <Typed
          member="fileAutomaticDeletionDate"
          type="datetime-local"
          label={file.untilLabel}
          value={parisInput(fileAutomaticDeletionDate)}
          set={(next) => change({ fileAutomaticDeletionDate: parisInstant(next) })}
        />
        {file.afterwards}
      </div>
    </>
  );
}

/** Uploads a file into the site's folder. */
function Upload({ done }: { readonly done: (path: string) => void }) {
  const { file: texts } = useWords().words.targets.filters;
  const site = useSite();
  const refusal = useRefusal();
  const { disabled } = usePart('filename');
  const [isBusy, setBusy] = useState(false);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > mostBytes) return toast({ text: texts.tooLarge });
    setBusy(true);
    try {
      done(await uploadFile(site.name, file));
      toast({ text: texts.uploaded(file.name) });
    } catch (error) {
      toast({ text: refusal(error) });
    } finally {
      setBusy(false);
    }
  };
  if (disabled) return null;
  return (
    <ChooseFile
      accept=".csv,.txt,.tsv,.xlsx,.gz,.zip"
      take={([file]) => void upload(file)}
      size="xs"
      loading={isBusy}
      leftSection={<IconUpload size={16} aria-hidden />}
    >
      {texts.upload}
    </ChooseFile>
  );
}

/** SQL: an expression over the columns of a subscriber. */
export function SqlSentence({ filter, change, fields, error }: SqlProps) {
  const { words } = useWords();
  const { sql } = words.targets.filters;
  const part = usePart('sql');
  const text = filter.sql ?? '';
  return (
    <>
      <Textarea
        {...part}
        error={part['aria-invalid'] === true}
        label={sql.fulfils}
        aria-label={sql.label}
        description={sql.hint}
        classNames={{ input: 'code' }}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={(event) => change({ sql: event.currentTarget.value })}
      />
      <RejectedWord text={text} error={error} />
      {text.trim() !== '' && <TrySql text={text} />}
      <details className="more">
        <summary className="small">{sql.fields}</summary>
        <ul className="columns-of">
          {fields.map((field) => (
            <li key={field.id} className="small name">
              <code>fld{field.id}</code> <bdi>{fieldName(words, field)}</bdi>{' '}
              <span className="text-3">{words.fields.types[field.fieldType]}</span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
interface SqlProps extends SentenceProps<Filter<'sql'>>, WithFields {
  readonly error: unknown;
}

/** The words of an error of the API that may be a part of the expression. */
function candidatesIn(message: string): string[] {
  const quoted = [...message.matchAll(/['“"‘`]([^'“”"’`]{1,200})['”"’`]/g)].map(([, word]) => word!);
  const named = /the (?:function|operator|constant) (\S+?)(?=[\s:;,]|$)/.exec(message)?.[1];
  const first = /^(.{1,60}?)(?=: | may not be used)/.exec(message)?.[1];
  const fields = [...message.matchAll(/\bfld\d+\b/g)].map(([word]) => word);
  return [...quoted, ...[named, first].filter((word) => word !== undefined), ...fields];
}

/** The expression with the part marked that the API rejected. */
function RejectedWord({ text, error }: { readonly text: string; readonly error: unknown }): ReactNode {
  const { sql } = useWords().words.targets.filters;
  const fault = faultOf(error);
  if (fault?.member !== 'sql') return null;
  const places = candidatesIn(fault.text).map((word) =>
    new RegExp(word.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'), 'i').exec(text),
  );
  const found = places.find((place) => place !== null);
  if (!found) return null;
  const { index: at } = found;
  const end = at + found[0].length;
  return (
    <p className="small name">
      {sql.rejected}{' '}
      <code className="code">
        {text.slice(Math.max(0, at - 40), at)}
        <mark>{text.slice(at, end)}</mark>
        {text.slice(end, end + 40)}
      </code>
    </p>
  );
}
