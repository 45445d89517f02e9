import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pages, SearchField } from './list.tsx';
import { pageSize } from './part-search.ts';
import { Failed, Loading } from './states.tsx';

/** The search and the page in the address of a list. */
export interface AddressSearch {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}

/** The query of a page of a list. */
export type ListQuery<Item> = Pick<
  UseQueryResult<{ readonly items: readonly Item[]; readonly totalCount: number }>,
  'data' | 'error' | 'isPending'
> & { readonly isPlaceholderData?: boolean; readonly refetch?: () => unknown };

interface SearchedListProps<Item> {
  readonly query: ListQuery<Item>;
  readonly search: AddressSearch;
  /** Changes the address; what the change does not have stays. */
  readonly change: (change: AddressSearch) => void;
  readonly searchLabel: string;
  /** The name of the pages. */
  readonly label: string;
  /** Before the search. */
  readonly filters?: ReactNode;
  /** Whether `table` makes cards of its own. */
  readonly hasCards?: boolean | undefined;
  /** The rows, of which there is at least one. */
  readonly table: (items: readonly Item[]) => ReactNode;
  /** Shown if there is no row on any page. */
  readonly empty: () => ReactNode;
}

/** A search, rows in one card, and pages below. */
export function SearchedList<Item>(props: SearchedListProps<Item>) {
  const { query, search, change, searchLabel, label, filters, hasCards, table, empty } = props;
  const items = query.data?.items;
  const total = query.data?.totalCount ?? 0;
  // The last page follows.
  const isBehind = items?.length === 0 && total > 0;
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
      {hasCards && items && items.length > 0 ? (
        table(items)
      ) : (
        <section className="card flush" data-reloading={query.isPlaceholderData || undefined}>
          {query.error && !items && <Failed error={query.error} retry={() => void query.refetch?.()} />}
          {(query.isPending || isBehind) && <Loading rows={10} />}
          {items && !isBehind && (items.length > 0 ? table(items) : empty())}
        </section>
      )}
      <Pages
        label={label}
        page={search.page ?? 1}
        size={pageSize}
        total={total}
        isCurrent={query.data !== undefined && !query.isPlaceholderData}
        go={(page) => change({ page })}
      />
    </div>
  );
}
