import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { EditButton } from '../parts/edit-button.tsx';
import { type FieldErrors, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useAct } from '../parts/use-act.ts';
import type { FormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { filterOf, ListPart, type ListTexts } from './list-part.tsx';
import type { ListSearch } from './routes.ts';

/** The parts of the library whose records have a name, or a key, and little else. */
type Part = 'advertisers' | 'affiliations' | 'thematics' | 'blocks' | 'data';

interface Named {
  readonly name: string;
}

/** A form or a drawer that is opened, at once or when what it needs is read. */
type Opening = ReactNode | Promise<ReactNode>;

interface RecordListProps<Item> {
  readonly part: Part;
  readonly texts: ListTexts;
  /** Reads a page of the list. */
  readonly read: (
    site: string,
    query: ReturnType<typeof filterOf>,
  ) => Promise<{ readonly items: Item[]; readonly totalCount: number }>;
  readonly idOf: (item: Item) => number | string;
  /** The name of a record, or its key. */
  readonly nameOf: (item: Item) => string;
  /** What stands below a name. */
  readonly about?: (item: Item) => ReactNode;
  /** The cells after that of the name. */
  readonly cells: (item: Item) => ReactNode;
  /** The form of a record; of a new one without it. */
  readonly form: (item: Item | undefined, close: () => void) => Opening;
  /** The drawer that a name opens. Without it a name is only a text. */
  readonly sheet?: (item: Item, close: () => void) => Opening;
}

/** A part of the library that lists records by name, each with its form. */
export function RecordList<Item>(props: RecordListProps<Item>) {
  const { part, texts, read, idOf, nameOf, about, cells, form, sheet } = props;
  const site = useSite();
  const act = useAct();
  const navigate = useNavigate();
  const search: ListSearch = useSearch({ from: `/$site/library/${part}` });
  const query = filterOf(search);
  const records = useQuery({
    queryKey: [part, site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () => read(site.name, query),
  });
  const [drawer, setDrawer] = useState<ReactNode>();
  const close = () => setDrawer(undefined);
  const edit = (item: Item | undefined) => act(async () => setDrawer(await form(item, close)));
  const mayEdit = site.may('editor');
  const go = (next: ListSearch) =>
    void navigate({
      to: `/$site/library/${part}`,
      params: { site: site.name },
      search: next,
      replace: true,
    });
  return (
    <ListPart
      part={part}
      texts={texts}
      query={records}
      search={search}
      go={go}
      add={mayEdit ? () => edit(undefined) : undefined}
      row={(item) => (
        <tr key={idOf(item)}>
          <td className="title anywhere">
            <Name
              name={nameOf(item)}
              open={sheet && (() => act(async () => setDrawer(await sheet(item, close))))}
            />
            {about?.(item)}
          </td>
          {cells(item)}
          {mayEdit && (
            <td className="acts">
              <EditButton name={nameOf(item)} edit={() => edit(item)} />
            </td>
          )}
        </tr>
      )}
    >
      {drawer}
    </ListPart>
  );
}

function Name({ name, open }: { readonly name: string; readonly open: (() => void) | undefined }) {
  if (!open) return <bdi className="strong">{name}</bdi>;
  return (
    <button type="button" className="link record-name" onClick={open}>
      <bdi>{name}</bdi>
    </button>
  );
}

interface RecordFormProps {
  readonly part: Part;
  readonly texts: {
    readonly add: string;
    readonly change: (name: string) => string;
    readonly name: string;
    readonly noName: string;
    readonly saved: (name: string) => string;
  };
  /** The record to change; undefined for a new one. */
  readonly record: Named | undefined;
  readonly close: () => void;
  /** What was typed into the form. */
  readonly draft: FormDraft;
  /** Stores the record under a name. A text that it returns is what has to be corrected first. */
  readonly store: (
    name: string,
    params: { path: { idsite: string } },
  ) => Promise<string | FieldErrors | undefined>;
  /** The fields after the name. */
  readonly children: ReactNode;
}

/** What follows a change of records: their lists are read again, and the user is told. */
export function useChanged(part: Part): (text: string) => Promise<void> {
  const site = useSite();
  const queries = useQueryClient();
  return async (text) => {
    await queries.invalidateQueries({ queryKey: [part, site.name] });
    toast({ text });
  };
}

/** The form of a record with a name. */
export function RecordForm({ part, texts, record, close, draft, store, children }: RecordFormProps) {
  const site = useSite();
  const changed = useChanged(part);
  const [typed, setTyped] = draft.field('name', record?.name ?? '');
  const name = typed.trim();
  const save = async () => {
    if (name === '') return { name: texts.noName };
    const fault = await store(name, { path: { idsite: site.name } });
    if (fault !== undefined) return fault;
    await changed(texts.saved(name));
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={record ? texts.change(record.name) : texts.add}
      close={close}
      save={save}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
    </FormDrawer>
  );
}

/** What the form of a record is given. */
export interface FormOf<Item> {
  /** Undefined for a new one. */
  readonly record: Item | undefined;
  readonly close: () => void;
}
