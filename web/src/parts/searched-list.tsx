import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pages, SearchField } from './list.tsx';
import { pageSize } from './part-search.ts';
import { Failed, Loading } from './states.tsx';

/** The search and the page in the address of a list. */
interface Search {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}

interface SearchedListProps<Item> {
  readonly query: UseQueryResult<{ readonly items: readonly Item[]; readonly totalCount: number }>;
  readonly search: Search;
  /** Changes the address; what the change does not have stays. */
  readonly change: (change: Search) => void;
  readonly searchLabel: string;
  /** The name of the pages. */
  readonly label: string;
  /** Before the search. */
  readonly filters?: ReactNode;
  /** The rows, of which there is at least one. */
  readonly table: (items: readonly Item[]) => ReactNode;
  /** Shown without rows, from their number on other pages. */
  readonly empty: (total: number) => ReactNode;
}

/** A search, rows in one card, and pages below. */
export function SearchedList<Item>(props: SearchedListProps<Item>) {
  const { query, search, change, searchLabel, label, filters, table, empty } = props;
  const items = query.data?.items;
  const total = query.data?.totalCount ?? 0;
  return (
    <div className="stack tight">
      <div className="row">
        {filters}
        <SearchField
          label={searchLabel}
          text={search.search ?? ''}
          find={(text) => change({ search: text, page: undefined })}
        />
      </div>
      <section className="card flush" data-reloading={query.isPlaceholderData || undefined}>
        {query.error && !items && <Failed error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loading rows={10} />}
        {items && (items.length > 0 ? table(items) : empty(total))}
      </section>
      <Pages
        label={label}
        page={search.page ?? 1}
        size={pageSize}
        total={total}
        go={(page) => change({ page })}
      />
    </div>
  );
}
