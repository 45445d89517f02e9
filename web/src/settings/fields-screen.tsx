import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { EditButton } from '../parts/edit-button.tsx';
import { SearchedHere } from '../parts/searched-here.tsx';
import { useSite } from '../session/session.tsx';
import { type Field, fieldName, useFields } from '../subscribers/fields.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { FieldForm } from './field-form.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSectionSearch } from './use-section-search.ts';
import { useSettingsWords } from './words.ts';

/** The fields of subscribers: the site's own ones, which can be added and renamed, and the system's. */
export function FieldsScreen() {
  const texts = useSettingsWords().fields;
  const { words, format } = useWords();
  const site = useSite();
  const fields = useFields();
  const found = useSectionSearch('fields');
  const quota = useQuery({
    queryKey: ['fields', site.name, 'quota'],
    queryFn: () => dataOf(api.GET('/v1/{idsite}/fields/quota', { params: { path: { idsite: site.name } } })),
  }).data;
  const [edited, setEdited] = useState<Field | 'new'>();
  const mayEdit = site.may('editor');
  const isFull = quota?.nbRemainingFields === 0;
  return (
    <SettingsPage
      section="fields"
      query={fields}
      add={mayEdit && !isFull ? { label: texts.add, run: () => setEdited('new') } : undefined}
    >
      {(all) => {
        const own = all.filter(({ isSystem }) => !isSystem);
        return (
          <>
            {quota && (
              <p className={isFull ? 'note amber' : 'small text-2'}>
                {texts.quota(
                  format.count(quota.nbSpecificFields),
                  format.count(quota.quota),
                  format.count(quota.nbRemainingFields),
                )}
              </p>
            )}
            <SearchedHere
              {...found}
              // The site's own come first.
              all={[...own, ...all.filter(({ isSystem }) => isSystem)]}
              textOf={(field) => `${fieldName(words, field)} ${field.id}`}
              searchLabel={texts.search}
              hasCards
              table={(shown) => (
                <FieldCards shown={shown} hasOwn={own.length > 0} edit={mayEdit ? setEdited : undefined} />
              )}
              empty={null}
            />
            {edited && (
              <FieldForm field={edited === 'new' ? undefined : edited} close={() => setEdited(undefined)} />
            )}
          </>
        );
      }}
    </SettingsPage>
  );
}

/** The fields of a page: those of the site above those of the system. */
function FieldCards({ shown, hasOwn, edit }: FieldCardsProps) {
  const texts = useSettingsWords().fields;
  const [own, system] = [shown.filter(({ isSystem }) => !isSystem), shown.filter(({ isSystem }) => isSystem)];
  return (
    <>
      {(own.length > 0 || !hasOwn) && (
        <section className="card flush" aria-labelledby="own-fields">
          <h2 className="card-head" id="own-fields">
            {texts.own}
          </h2>
          {hasOwn ? (
            <FieldTable fields={own} edit={edit} />
          ) : (
            <p className="card-body text-2">{texts.noOwn}</p>
          )}
        </section>
      )}
      {system.length > 0 && (
        <section className="card flush" aria-labelledby="system-fields">
          <h2 className="card-head" id="system-fields">
            {texts.system}
          </h2>
          <FieldTable fields={system} />
        </section>
      )}
    </>
  );
}
interface FieldCardsProps {
  readonly shown: readonly Field[];
  /** Whether the site has fields of its own, on any page. */
  readonly hasOwn: boolean;
  /** Undefined if they cannot be changed. */
  readonly edit: ((field: Field) => void) | undefined;
}

function FieldTable({ fields, edit }: FieldTableProps) {
  const { words, format } = useWords();
  const { columns, ...texts } = useSettingsWords().fields;
  const parts = usePartWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.name}</th>
          <th>{columns.tag}</th>
          <th>{columns.type}</th>
          {edit && (
            <th className="acts">
              <span className="hidden">{parts.edit}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => {
          const name = fieldName(words, field);
          return (
            <tr key={field.id}>
              <td className="title anywhere">
                <bdi className="strong">{name}</bdi>
                {field.description !== '' && !field.isSystem && (
                  <p className="small text-3">
                    <bdi>{field.description}</bdi>
                  </p>
                )}
              </td>
              <td>
                <code className="mono">{`[[FLD.${field.id}]]`}</code>
              </td>
              <td className="text-2">
                {words.fields.types[field.fieldType]}
                {field.fieldType === 'Text' && field.length !== null && (
                  <span className="text-3"> {texts.upTo(format.count(field.length))}</span>
                )}
                {field.list && !field.isSystem && (
                  <span className="text-3"> {texts.values(format.count(field.list.length))}</span>
                )}
              </td>
              {edit && (
                <td className="acts">
                  <EditButton name={name} edit={() => edit(field)} />
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
interface FieldTableProps {
  readonly fields: readonly Field[];
  /** Undefined if they cannot be changed. */
  readonly edit?: ((field: Field) => void) | undefined;
}
