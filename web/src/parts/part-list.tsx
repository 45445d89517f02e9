import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type DirectoryType, placed, useDirectories } from '../library/directories.ts';
import { DirectoryFilter } from '../library/directory-filter.tsx';
import { Choice } from './choice.tsx';
import { LimitedBy } from './limited-by.tsx';
import { Opened } from './opened.tsx';
import type { PartSearch } from './part-search.ts';
import { SearchedList } from './searched-list.tsx';
import { Empty } from './states.tsx';

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
  /** The type of directories that the list can be limited to; none if omitted. */
  readonly directories?: DirectoryType;
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
  const { texts, parts, directories, search, go, query, empty, table } = props;
  const isLimited = [search.search, search.part, search.directory].some((one) => one !== undefined);
  return (
    <SearchedList
      query={query}
      search={search}
      change={(change) => go({ ...search, ...change })}
      searchLabel={texts.search}
      label={texts.title}
      filters={
        <>
          <Choice
            label={texts.part}
            options={parts.map((part) => [part, texts.parts[part]] as const)}
            value={search.directory === undefined ? (search.part ?? parts[0]!) : undefined}
            choose={(part) => go({ ...search, part, directory: undefined, page: undefined })}
          />
          {directories && (
            <DirectoryFilter
              type={directories}
              value={search.directory}
              choose={(directory) => go({ ...search, directory, part: undefined, page: undefined })}
            />
          )}
        </>
      }
      table={table}
      empty={() =>
        isLimited ? (
          <Empty title={search.search ? texts.nothing(search.search) : texts.nothingInPart}>
            {(search.part || search.directory !== undefined) && (
              <Opened>
                <Limits part={search.part && texts.parts[search.part]} {...{ directories, search }} />
              </Opened>
            )}
            <Button onClick={() => go({})}>{texts.clear}</Button>
          </Empty>
        ) : (
          empty
        )
      }
    />
  );
}

interface LimitsProps {
  readonly directories: DirectoryType | undefined;
  /** The name of the part that the list shows; undefined for all. */
  readonly part: string | undefined;
  readonly search: PartSearch<string>;
}

/** What limits a list besides the search: its part, or a directory by its path. */
function Limits({ part, directories, search: { directory } }: LimitsProps) {
  if (part !== undefined) return <LimitedBy limit={part} />;
  return directories && directory !== undefined && <DirectoryLimit type={directories} id={directory} />;
}

function DirectoryLimit({ type, id }: { readonly type: DirectoryType; readonly id: number }) {
  const { data = [] } = useDirectories(type);
  const found = placed(data).find(({ directory }) => directory.id === id);
  return <LimitedBy limit={found?.path ?? String(id)} />;
}
