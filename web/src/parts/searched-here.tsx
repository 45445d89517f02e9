import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePartWords } from '../words/use-part-words.ts';
import { pageSize } from './part-search.ts';
import { plainText } from './plain-text.ts';
import { type AddressSearch, SearchedList } from './searched-list.tsx';
import { Empty } from './states.tsx';

/**
 * A page of the rows whose text has the search, ignoring case and accents, and their number on all pages. The last page
 * instead of one behind it, whose rows are deleted.
 */
export function foundIn<Item>(
  all: readonly Item[],
  { search = '', page = 1 }: AddressSearch,
  textOf: (item: Item) => string,
) {
  const wanted = plainText(search);
  const found = all.filter((item) => plainText(textOf(item)).includes(wanted));
  const shown = Math.min(page, Math.max(1, Math.ceil(found.length / pageSize)));
  return { items: found.slice((shown - 1) * pageSize, shown * pageSize), totalCount: found.length };
}

interface SearchedHereProps<Item> {
  /** All rows in their order: the service lists them without pages. */
  readonly all: readonly Item[];
  /** What a row is found by. */
  readonly textOf: (item: Item) => string;
  readonly search: AddressSearch;
  readonly change: (change: AddressSearch) => void;
  readonly searchLabel: string;
  /** Whether `table` makes cards of its own. */
  readonly hasCards?: boolean;
  readonly table: (items: readonly Item[]) => ReactNode;
  /** Shown instead of the search if there is no row at all. */
  readonly empty: ReactNode;
}

/** A list that the service returns as a whole, with search and pages that are made here. */
export function SearchedHere<Item>(props: SearchedHereProps<Item>) {
  const { all, textOf, search, change, searchLabel, hasCards, table, empty } = props;
  const words = usePartWords();
  if (all.length === 0) return <section className="card flush">{empty}</section>;
  return (
    <SearchedList
      query={{ data: foundIn(all, search, textOf), error: null, isPending: false }}
      search={search}
      change={change}
      searchLabel={searchLabel}
      label={words.pages}
      hasCards={hasCards}
      table={table}
      empty={() => (
        <Empty title={words.nothing(search.search ?? '')}>
          <Button onClick={() => change({ search: undefined, page: undefined })}>{words.showAll}</Button>
        </Empty>
      )}
    />
  );
}
