import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { pageSize } from '../parts/part-search.ts';
import { SearchedList } from '../parts/searched-list.tsx';
import { Empty } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import type { ListSearch } from './routes.ts';
import { useLibraryWords } from './words.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The rows of content data, as texts. */
export function DataRows({ dataKey }: { readonly dataKey: string }) {
  const texts = useLibraryWords().data;
  const words = usePartWords();
  const site = useSite();
  const [search, setSearch] = useState<ListSearch>({});
  const { search: value, page = 1 } = search;
  const query = {
    key: dataKey,
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
    ...(value && { 'filter.value': value }),
  };
  const rows = useQuery({
    queryKey: ['data', site.name, 'rows', query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/content-data/rows', { params: { path: { idsite: site.name }, query } })),
  });
  return (
    <SearchedList
      query={rows}
      search={search}
      change={({ search, page }) => setSearch((before) => ({ ...before, search, page }))}
      searchLabel={texts.value}
      label={words.pages}
      table={(items) => (
        <table className="table">
          <thead>
            <tr>
              {texts.rowColumns.map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((row) => (
              <tr key={row.value}>
                <td className="title anywhere">
                  <bdi>{row.value}</bdi>
                </td>
                <td className="anywhere" style={{ whiteSpace: 'pre-wrap' }}>
                  <bdi>{row.content}</bdi>
                  {bytesOf(row.content) < row.size && <span title={texts.isLonger}>…</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      empty={() => <Empty title={value ? texts.noRow(value) : texts.noRows} />}
    />
  );
}
