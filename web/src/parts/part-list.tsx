import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pages, SearchField } from './list.tsx';
import { type PartSearch, pageSize } from './part-search.ts';
import { Empty, Failed, Loading } from './states.tsx';

/** The texts of a list with parts. */
interface PartListTexts<Part extends string> {
  readonly title: string;
  /** What the parts are. */
  readonly part: string;
  readonly parts: Readonly<Record<Part, string>>;
  readonly search: string;
  readonly nothing: (text: string) => string;
  readonly nothingInPart: string;
  readonly clear: string;
}

interface PartListProps<Item, Part extends string> {
  readonly texts: PartListTexts<Part>;
  /** The first one has all rows. */
  readonly parts: readonly Part[];
  readonly search: PartSearch<Part>;
  readonly go: (search: PartSearch<Part>) => void;
  readonly query: UseQueryResult<{ readonly items: readonly Item[]; readonly totalCount: number }>;
  /** Shown if the list has no rows at all. */
  readonly empty: ReactNode;
  readonly table: (items: readonly Item[]) => ReactNode;
}

/** A list with parts to choose from, a search, and pages. */
export function PartList<Item, Part extends string>(props: PartListProps<Item, Part>) {
  const { texts, parts, search, go, query, empty, table } = props;
  const items = query.data?.items;
  const total = query.data?.totalCount ?? 0;
  // A page behind the last one has no rows either.
  const isLimited = search.search !== undefined || search.part !== undefined || total > 0;
  return (
    <div className="stack tight">
      <div className="row">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div className="segments" role="group" aria-label={texts.part}>
          {parts.map((part) => (
            <button
              key={part}
              type="button"
              aria-pressed={part === (search.part ?? parts[0])}
              onClick={() => go({ ...search, part, page: undefined })}
            >
              {texts.parts[part]}
            </button>
          ))}
        </div>
        <SearchField
          label={texts.search}
          text={search.search ?? ''}
          find={(text) => go({ ...search, search: text, page: undefined })}
        />
      </div>
      <section className="card flush">
        {query.error && !items && <Failed error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loading rows={10} />}
        {items && items.length > 0 && table(items)}
        {items?.length === 0 && !isLimited && empty}
        {items?.length === 0 && isLimited && (
          <Empty title={search.search ? texts.nothing(search.search) : texts.nothingInPart}>
            <Button onClick={() => go({})}>{texts.clear}</Button>
          </Empty>
        )}
      </section>
      <Pages
        label={texts.title}
        page={search.page ?? 1}
        size={pageSize}
        total={total}
        go={(page) => go({ ...search, page })}
      />
    </div>
  );
}
