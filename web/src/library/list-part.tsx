import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { pageSize } from '../parts/part-search.ts';
import { SearchedList } from '../parts/searched-list.tsx';
import { Empty } from '../parts/states.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { LibraryPage } from './library-page.tsx';
import type { ListSearch } from './routes.ts';

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
  /** The words of the button that adds the first record. Default: only the button above the list adds one. */
  readonly begin?: string;
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
      <SearchedList
        query={query}
        search={search}
        change={(change) => go({ ...search, ...change })}
        searchLabel={texts.search}
        label={words.pages}
        filters={filters}
        table={(items) => (
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
            <tbody>{items.map(row)}</tbody>
          </table>
        )}
        empty={() =>
          search.search ? (
            <Empty title={texts.nothing(search.search)} />
          ) : (
            <Empty title={texts.empty} text={texts.emptyText}>
              {add && texts.begin && <Button onClick={add}>{texts.begin}</Button>}
            </Empty>
          )
        }
      />
      {children}
    </LibraryPage>
  );
}
