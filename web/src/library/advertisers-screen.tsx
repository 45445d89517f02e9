import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { SelectField } from '../parts/fields.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { type FormOf, RecordForm, RecordList } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

type Advertiser = components['schemas']['Advertiser'];
type Sector = Advertiser['sector'];

/** The advertisers whose advertisements messages show. */
export function AdvertisersScreen() {
  const texts = useLibraryWords().advertisers;
  return (
    <RecordList
      part="advertisers"
      texts={texts}
      read={(idsite, query) =>
        dataOf(api.GET('/v1/{idsite}/advertisers', { params: { path: { idsite }, query } }))
      }
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      cells={({ sector }) => <td className="text-2">{texts.sectors[sector]}</td>}
      form={(record, close) => <AdvertiserForm record={record} close={close} />}
    />
  );
}

function AdvertiserForm({ record, close }: FormOf<Advertiser>) {
  const texts = useLibraryWords().advertisers;
  const draft = useFormDraft('advertiser', record?.id);
  const [sector, setSector] = draft.field<Sector>('sector', record?.sector ?? 'NoSector');
  return (
    <RecordForm
      draft={draft}
      part="advertisers"
      texts={texts}
      record={record}
      close={close}
      store={async (name, params) => {
        const body = { name, sector };
        if (record)
          await dataOf(api.PUT('/v1/{idsite}/advertisers', { params, body: { ...body, id: record.id } }));
        else await dataOf(api.POST('/v1/{idsite}/advertisers', { params, body }));
        return undefined;
      }}
    >
      <SelectField
        property="sector"
        label={texts.sector}
        value={sector}
        onChange={(event) => setSector(event.currentTarget.value as Sector)}
        data={Object.entries(texts.sectors).map(([value, label]) => ({ value, label }))}
      />
    </RecordForm>
  );
}
