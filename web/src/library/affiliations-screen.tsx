import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { TextField } from '../parts/fields.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { type FormOf, RecordForm, RecordList } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

type Affiliation = components['schemas']['Affiliation'];

/** The affiliation platforms through which advertisements come. */
export function AffiliationsScreen() {
  const texts = useLibraryWords().affiliations;
  return (
    <RecordList
      part="affiliations"
      texts={texts}
      read={(idsite, query) =>
        dataOf(api.GET('/v1/{idsite}/affiliations', { params: { path: { idsite }, query } }))
      }
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      cells={({ webSite }) => <td className="text-2 anywhere">{webSite}</td>}
      form={(record, close) => <AffiliationForm record={record} close={close} />}
    />
  );
}

function AffiliationForm({ record, close }: FormOf<Affiliation>) {
  const texts = useLibraryWords().affiliations;
  const draft = useFormDraft('affiliation', record?.id);
  const [webSite, setWebSite] = draft.field('webSite', record?.webSite ?? '');
  return (
    <RecordForm
      draft={draft}
      part="affiliations"
      texts={texts}
      record={record}
      close={close}
      store={async (name, params) => {
        if (!/^https?:\/\//.test(webSite.trim())) return { webSite: texts.noWebSite };
        const body = { name, webSite: webSite.trim() };
        if (record)
          await dataOf(api.PUT('/v1/{idsite}/affiliations', { params, body: { ...body, id: record.id } }));
        else await dataOf(api.POST('/v1/{idsite}/affiliations', { params, body }));
        return undefined;
      }}
    >
      <TextField
        property="webSite"
        type="url"
        label={texts.webSite}
        placeholder="https://"
        maxLength={2000}
        value={webSite}
        onChange={(event) => setWebSite(event.currentTarget.value)}
      />
    </RecordForm>
  );
}
