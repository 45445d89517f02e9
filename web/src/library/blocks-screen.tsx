import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { keyOfBlock, readBlock } from './block.ts';
import { BlockForm, BlockSheet, NewBlock } from './block-form.tsx';
import { RecordList } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

/** Texts that many messages show by the tag of their key. */
export function BlocksScreen() {
  const texts = useLibraryWords().blocks;
  const { format } = useWords();
  const site = useSite();
  return (
    <RecordList
      part="blocks"
      texts={texts}
      read={(idsite, { 'filter.name': name, ...page }) => {
        const query = { ...page, ...(name && { 'filter.name': keyOfBlock(name) }) };
        return dataOf(api.GET('/v1/{idsite}/content-blocks/list', { params: { path: { idsite }, query } }));
      }}
      idOf={({ contentKey }) => contentKey}
      nameOf={({ contentKey }) => contentKey}
      cells={({ size, updateDate }) => (
        <>
          <td className="text-2">{texts.kilobytes(format.count(Math.ceil(size / 1000)))}</td>
          <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
            {format.moment(updateDate)}
          </td>
        </>
      )}
      // The list has no texts.
      form={async (item, close) =>
        item ? (
          <BlockForm block={await readBlock(site.name, item.contentKey)} close={close} />
        ) : (
          <NewBlock close={close} />
        )
      }
      sheet={async ({ contentKey }, close) => (
        <BlockSheet block={await readBlock(site.name, contentKey)} close={close} />
      )}
    />
  );
}
