import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { EditButton } from '../parts/edit-button.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { DataForm, DataSheet } from './data-form.tsx';
import { filterOf, ListPart } from './list-part.tsx';
import type { ListSearch } from './routes.ts';
import { useLibraryWords } from './words.ts';

const route = getRouteApi('/$site/library/data');

/** Data whose tag is shown or whose rows are replaced, or new ones. */
type Open = { readonly key: string; readonly isChanged: boolean } | 'new';

/** Rows of which messages show each reader the one with the value of their field. */
export function DataScreen() {
  const texts = useLibraryWords().data;
  const { format } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const search = route.useSearch();
  const query = filterOf(search);
  const data = useQuery({
    queryKey: ['content-data', site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/content-data', { params: { path: { idsite: site.name }, query } })),
  });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const mayEdit = site.may('editor');
  const go = (next: ListSearch) =>
    void navigate({ to: '/$site/library/data', params: { site: site.name }, search: next, replace: true });
  return (
    <ListPart
      part="data"
      texts={texts}
      query={data}
      search={search}
      go={go}
      add={mayEdit ? () => setOpen('new') : undefined}
      row={({ key, nbRows, loadDate }) => (
        <tr key={key}>
          <td className="title anywhere">
            <button type="button" className="link" onClick={() => setOpen({ key, isChanged: false })}>
              <bdi>{key}</bdi>
            </button>
          </td>
          <td className="text-2" data-label={texts.rows(nbRows === 1)}>
            {format.count(nbRows)}
          </td>
          <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
            {format.moment(loadDate)}
          </td>
          {mayEdit && (
            <td className="acts">
              <EditButton name={key} edit={() => setOpen({ key, isChanged: true })} />
            </td>
          )}
        </tr>
      )}
    >
      {open === 'new' && <DataForm dataKey={undefined} close={close} />}
      {open && open !== 'new' && !open.isChanged && <DataSheet dataKey={open.key} close={close} />}
      {open && open !== 'new' && open.isChanged && <DataForm dataKey={open.key} close={close} />}
    </ListPart>
  );
}
