import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pages, SearchField } from '../parts/list.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { LibraryPage } from './library-page.tsx';
import type { ListSearch } from './routes.ts';

/** Records of a page of a list. */
export const pageSize = 50;

/** The filter of a search, for lists that the service sorts by name. */
export const filterOf = ({ search, page = 1 }: ListSearch) =>
  ({
    'filter.sortBy': 'Name',
    'filter.order': 'ASC',
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
    ...(search && { 'filter.name': search }),
  }) as const;

/** The texts of a list of records. */
export interface ListTexts {
  readonly add: string;
  readonly search: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly nothing: (text: string) => string;
  readonly columns: readonly string[];
}

interface ListPartProps<Item> {
  readonly part: Parameters<typeof LibraryPage>[0]['part'];
  readonly texts: ListTexts;
  readonly query: UseQueryResult<{ readonly items: readonly Item[]; readonly totalCount: number }>;
  readonly search: ListSearch;
  readonly go: (search: ListSearch) => void;
  /** Undefined if the user may not change the records. */
  readonly add: (() => void) | undefined;
  /** The row of a record. */
  readonly row: (item: Item) => ReactNode;
  /** Between the links of the parts and the list. */
  readonly filters?: ReactNode;
  /** Forms that are open. */
  readonly children?: ReactNode;
}

/** A part of the library that is a table with a search, pages, and a form for each record. */
export function ListPart<Item>({
  part,
  texts,
  query,
  search,
  go,
  add,
  row,
  filters,
  children,
}: ListPartProps<Item>) {
  const words = usePartWords();
  const { data, error } = query;
  return (
    <LibraryPage
      part={part}
      actions={
        add && (
          <Button variant="filled" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {texts.add}
          </Button>
        )
      }
    >
      <div className="stack tight">
        <div className="row">
          {filters}
          <SearchField
            label={texts.search}
            text={search.search ?? ''}
            find={(text) => go({ ...search, search: text, page: undefined })}
          />
        </div>
        <section className="card flush">
          {error && !data && <Failed error={error} retry={() => void query.refetch()} />}
          {query.isPending && <Loading />}
          {data?.items.length === 0 &&
            (search.search ? (
              <Empty title={texts.nothing(search.search)} />
            ) : (
              <Empty title={texts.empty} text={texts.emptyText} />
            ))}
          {data && data.items.length > 0 && (
            <table className="table">
              <thead>
                <tr>
                  {texts.columns.map((column) => (
                    <th key={column}>{column}</th>
                  ))}
                  {add && (
                    <th className="acts">
                      <span className="hidden">{words.edit}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>{data.items.map(row)}</tbody>
            </table>
          )}
        </section>
        <Pages
          label={words.pages}
          page={search.page ?? 1}
          size={pageSize}
          total={data?.totalCount ?? 0}
          go={(page) => go({ ...search, page })}
        />
      </div>
      {children}
    </LibraryPage>
  );
}
