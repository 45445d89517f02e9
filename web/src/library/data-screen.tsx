import { api, dataOf } from '../api/client.ts';
import { useWords } from '../words/words.tsx';
import { DataForm, DataSheet } from './data-form.tsx';
import { RecordList } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

/** Rows of which messages show each reader the one with the value of their field. */
export function DataScreen() {
  const texts = useLibraryWords().data;
  const { format } = useWords();
  return (
    <RecordList
      part="data"
      texts={texts}
      read={(idsite, query) =>
        dataOf(api.GET('/v1/{idsite}/content-data', { params: { path: { idsite }, query } }))
      }
      idOf={({ key }) => key}
      nameOf={({ key }) => key}
      cells={({ nbRows, loadDate }) => (
        <>
          <td className="text-2" data-label={texts.rows(format.isOne(nbRows))}>
            {format.count(nbRows)}
          </td>
          <td className="text-2" style={{ whiteSpace: 'nowrap' }}>
            {format.moment(loadDate)}
          </td>
        </>
      )}
      form={(item, close) => <DataForm dataKey={item?.key} close={close} />}
      sheet={({ key }, close) => <DataSheet dataKey={key} close={close} />}
    />
  );
}
