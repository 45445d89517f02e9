import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Field, fieldName, useFieldText } from './fields.ts';
import type { Subscriber } from './subscriber.ts';

export type FieldsChange = components['schemas']['KeptChange'];

/** The characters of a value that are shown. */
const shownCharacters = 120;

/** The changes of a person's fields by page, the newest first. */
export function useChanges({ id }: Subscriber) {
  const site = useSite();
  return useInfiniteQuery({
    queryKey: ['subscribers', site.name, 'changes', id],
    initialPageParam: '',
    queryFn: ({ pageParam: before }) =>
      dataOf(
        api.GET('/v1/{idsite}/subscribers/{idSubscriber}/changes', {
          params: {
            path: { idsite: site.name, idSubscriber: id },
            query: before === '' ? {} : { before },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

interface ChangedValuesProps {
  readonly change: FieldsChange;
  readonly fields: readonly Field[];
}

/** The fields of a change, each with its values before and after on a line. */
export function ChangedValues({ change, fields }: ChangedValuesProps) {
  const { words } = useWords();
  return change.values.map(({ idField, before, after }) => {
    const field = fields.find(({ id }) => id === idField);
    return (
      <span key={idField} className="changed">
        <bdi>{field ? fieldName(words, field) : idField}</bdi>
        {words.subscribers.history.is}
        <Value field={field} value={before} /> <span aria-hidden>→</span>
        <span className="hidden">{words.subscribers.history.became}</span>{' '}
        <Value field={field} value={after} />
      </span>
    );
  });
}

function Value({ field, value }: { readonly field: Field | undefined; readonly value: unknown }) {
  const { words } = useWords();
  const say = useFieldText();
  const text = field ? say(field, value) : String(value ?? '');
  if (text === '') return <span className="text-3">{words.subscribers.none}</span>;
  const characters = [...text];
  return (
    <bdi>
      {characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join('')}…` : text}
    </bdi>
  );
}

/** What changed the fields: an import with its file, or a user. */
export function ChangeCause({ change: { cause, name, idImport } }: { readonly change: FieldsChange }) {
  const { words } = useWords();
  const texts = words.subscribers.history;
  const site = useSite();
  if (cause === 'Import' && idImport !== null)
    return (
      <>
        {texts.by.Import}{' '}
        <Link to="/$site/imports/$idImport" params={{ site: site.name, idImport: String(idImport) }}>
          <bdi>{name ?? idImport}</bdi>
        </Link>
      </>
    );
  if (cause === 'Import' || name === null) return texts.byUnknown[cause];
  return (
    <>
      {texts.by[cause]} <bdi>{name}</bdi>
    </>
  );
}
