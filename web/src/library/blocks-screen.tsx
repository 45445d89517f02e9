import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { EditButton } from '../parts/edit-button.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type FoundBlock, keyOfBlock, readBlock } from './block.ts';
import { BlockForm, BlockSheet, NewBlock } from './block-form.tsx';
import { filterOf, ListPart } from './list-part.tsx';
import type { ListSearch } from './routes.ts';
import { useLibraryWords } from './words.ts';

const route = getRouteApi('/$site/library/blocks');

/** A block that is read or changed, or a new one. */
type Open = { readonly block: FoundBlock; readonly isChanged: boolean } | 'new';

/** Texts that many messages show by the tag of their key. */
export function BlocksScreen() {
  const texts = useLibraryWords().blocks;
  const { format } = useWords();
  const site = useSite();
  const act = useAct();
  const navigate = useNavigate();
  const search = route.useSearch();
  const query = filterOf({ ...search, search: keyOfBlock(search.search ?? '') });
  const blocks = useQuery({
    queryKey: ['content-blocks', site.name, query],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/content-blocks/list', { params: { path: { idsite: site.name }, query } })),
  });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const mayEdit = site.may('editor');
  /** Opens a block as it is now: the list has no texts. */
  const show = (key: string, isChanged: boolean) =>
    act(async () => setOpen({ block: await readBlock(site.name, key), isChanged }));
  const go = (next: ListSearch) =>
    void navigate({ to: '/$site/library/blocks', params: { site: site.name }, search: next, replace: true });
  return (
    <ListPart
      part="blocks"
      texts={texts}
      query={blocks}
      search={search}
      go={go}
      add={mayEdit ? () => setOpen('new') : undefined}
      row={({ contentKey, size, updateDate }) => (
        <tr key={contentKey}>
          <td className="title anywhere">
            <button type="button" className="link" onClick={() => show(contentKey, false)}>
              <bdi>{contentKey}</bdi>
            </button>
          </td>
          <td className="text-2">{texts.kilobytes(format.count(Math.ceil(size / 1000)))}</td>
          <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
            {format.moment(updateDate)}
          </td>
          {mayEdit && (
            <td className="acts">
              <EditButton name={contentKey} edit={() => show(contentKey, true)} />
            </td>
          )}
        </tr>
      )}
    >
      {open === 'new' && <NewBlock close={close} />}
      {open && open !== 'new' && !open.isChanged && <BlockSheet block={open.block} close={close} />}
      {open && open !== 'new' && open.isChanged && <BlockForm block={open.block} close={close} />}
    </ListPart>
  );
}
