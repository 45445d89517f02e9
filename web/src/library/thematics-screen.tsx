import { Switch } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { api, dataOf } from '../api/client.ts';
import { LongTextField, SelectField } from '../parts/fields.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { type FormOf, RecordForm, RecordList } from './record-list.tsx';
import { type Thematic, useThematics } from './thematics.ts';
import { useLibraryWords } from './words.ts';

/** What campaigns and advertisements are about, by which targets can select. */
export function ThematicsScreen() {
  const texts = useLibraryWords().thematics;
  const names = new Map(useThematics().data?.map((one) => [one.idThematic, one.name]));
  return (
    <RecordList<Thematic>
      part="thematics"
      texts={texts}
      read={(idsite, query) =>
        dataOf(api.GET('/v1/{idsite}/thematics', { params: { path: { idsite }, query } }))
      }
      idOf={({ idThematic }) => idThematic}
      nameOf={({ name }) => name}
      about={({ description }) =>
        description !== '' && (
          <p className="small text-3">
            <bdi>{description}</bdi>
          </p>
        )
      }
      cells={({ idParentThematic, isEnabled }) => (
        <>
          <td className="text-2 anywhere">
            <bdi>{idParentThematic === null ? '–' : names.get(idParentThematic)}</bdi>
          </td>
          <td>
            <span className={isEnabled ? 'state green' : 'state'}>
              {isEnabled ? (
                <IconCircleCheck size={16} stroke={1.75} aria-hidden />
              ) : (
                <IconCircleX size={16} stroke={1.75} aria-hidden />
              )}
              {isEnabled ? texts.enabled : texts.disabled}
            </span>
          </td>
        </>
      )}
      form={(record, close) => <ThematicForm record={record} close={close} />}
    />
  );
}

function ThematicForm({ record, close }: FormOf<Thematic>) {
  const texts = useLibraryWords().thematics;
  const all = useThematics().data ?? [];
  const draft = useFormDraft('thematic', record?.idThematic);
  const [description, setDescription] = draft.field('description', record?.description ?? '');
  const [parent, setParent] = draft.field('parent', String(record?.idParentThematic ?? ''));
  const [isEnabled, setEnabled] = draft.field('isEnabled', record?.isEnabled ?? true);
  return (
    <RecordForm
      draft={draft}
      part="thematics"
      texts={texts}
      record={record}
      close={close}
      store={async (name, params) => {
        const idParentThematic = Number(parent) || null;
        const body = { name, description: description.trim(), idParentThematic, isEnabled };
        if (record) {
          const { idThematic } = record;
          await dataOf(api.PUT('/v1/{idsite}/thematics', { params, body: { ...body, idThematic } }));
        } else await dataOf(api.POST('/v1/{idsite}/thematics', { params, body }));
        return undefined;
      }}
    >
      <SelectField
        property="idParentThematic"
        label={texts.parent}
        value={parent}
        onChange={(event) => setParent(event.currentTarget.value)}
      >
        <option value="">–</option>
        {all
          .filter(({ idThematic }) => idThematic !== record?.idThematic)
          .map((one) => (
            <option key={one.idThematic} value={one.idThematic}>
              {one.name}
            </option>
          ))}
      </SelectField>
      <LongTextField
        property="description"
        label={texts.description}
        rows={3}
        maxLength={4000}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Switch
        label={texts.isEnabled}
        description={texts.isEnabledText}
        checked={isEnabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
    </RecordForm>
  );
}
