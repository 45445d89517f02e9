import { Button, MultiSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { LongTextField, SelectField, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { MessageFrame } from '../parts/message-frame.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import type { Advertisement } from './advertisements-screen.tsx';
import { placed, useDirectories } from './directories.ts';
import { useAdvertiserChoices, useThematics } from './thematics.ts';
import { useLibraryWords } from './words.ts';

/** The ids of the directories of an advertisement. */
function useIdsOfDirectories(id: number | undefined) {
  const site = useSite();
  return useQuery({
    queryKey: ['directories', site.name, 'of-advertisement', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = { idsite: site.name, idAdvertisement: id! };
      const found = await dataOf(
        api.GET('/v1/{idsite}/advertisements/{idAdvertisement}/directories', { params: { path } }),
      );
      return found.map((directory) => String(directory.id));
    },
  }).data;
}

/** Adds an advertisement, or changes one: its HTML, whose it is, what it is about. */
export function AdvertisementForm({ advertisement, close }: AdvertisementFormProps) {
  const texts = useLibraryWords().advertisements;
  const parts = usePartWords();
  const searchable = useSearchable();
  const site = useSite();
  const queries = useQueryClient();
  const { advertisers, affiliations } = useAdvertiserChoices();
  const thematics = useThematics().data ?? [];
  const directories = placed(useDirectories('Pub').data ?? []);
  const current = useIdsOfDirectories(advertisement?.id);
  const stored = useRef(advertisement?.id);
  const draft = useFormDraft('advertisement', advertisement?.id);
  const [name, setName] = draft.field('name', advertisement?.name ?? '');
  const [html, setHtml] = draft.field('html', advertisement?.html ?? '');
  const [idAdvertiser, setAdvertiser] = draft.field(
    'idAdvertiser',
    String(advertisement?.idAdvertiser ?? ''),
  );
  const [idAffiliation, setAffiliation] = draft.field(
    'idAffiliation',
    String(advertisement?.idAffiliation ?? ''),
  );
  const [about, setAbout] = draft.field('about', advertisement?.idsThematic.map(String) ?? []);
  /** Undefined until other directories are chosen. */
  const [chosen, setChosen] = draft.field<string[] | undefined>('directories', undefined);
  const [isShown, setShown] = useState(false);
  const save = async () => {
    if (name.trim() === '') return { name: texts.noName };
    const params = { path: { idsite: site.name } };
    const body = {
      name: name.trim(),
      html,
      // 0 means none.
      idAdvertiser: Number(idAdvertiser),
      idAffiliation: Number(idAffiliation),
      idsThematic: about.map(Number),
    };
    let id = stored.current;
    if (id === undefined) id = (await dataOf(api.POST('/v1/{idsite}/advertisements', { params, body }))).id;
    else await dataOf(api.PUT('/v1/{idsite}/advertisements', { params, body: { ...body, id } }));
    // If what follows is refused, the next attempt changes this one instead of adding a second.
    stored.current = id;
    if (chosen)
      await dataOf(
        api.PUT('/v1/{idsite}/advertisements/{idAdvertisement}/directories', {
          params: { path: { idsite: site.name, idAdvertisement: id } },
          body: chosen.map(Number),
        }),
      );
    await queries.invalidateQueries({ queryKey: ['advertisements', site.name] });
    await queries.invalidateQueries({ queryKey: ['directories', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={advertisement ? texts.change(advertisement.name) : texts.add}
      close={close}
      save={save}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <LongTextField
        property="html"
        label={texts.html}
        description={texts.htmlText}
        rows={8}
        spellCheck={false}
        classNames={{ input: 'block-value' }}
        value={html}
        onChange={(event) => setHtml(event.currentTarget.value)}
      />
      <div>
        <Button size="xs" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? texts.hidePreview : texts.preview}
        </Button>
        {isShown && <MessageFrame title={texts.preview} html={html} showsPictures />}
      </div>
      <SelectField
        property="idAdvertiser"
        label={texts.advertiser}
        value={idAdvertiser}
        onChange={(event) => setAdvertiser(event.currentTarget.value)}
      >
        <option value="">{parts.none}</option>
        {advertisers.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        property="idAffiliation"
        label={texts.affiliation}
        value={idAffiliation}
        onChange={(event) => setAffiliation(event.currentTarget.value)}
      >
        <option value="">{parts.none}</option>
        {affiliations.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <MultiSelect
        label={texts.thematics}
        {...searchable}
        data={thematics.map((one) => ({ value: String(one.idThematic), label: one.name }))}
        value={about}
        onChange={setAbout}
      />
      <MultiSelect
        label={texts.directories}
        {...searchable}
        data={directories.map(({ directory, path }) => ({ value: String(directory.id), label: path }))}
        value={chosen ?? current ?? []}
        onChange={setChosen}
      />
    </FormDrawer>
  );
}
interface AdvertisementFormProps {
  /** Undefined for a new one. */
  readonly advertisement: Advertisement | undefined;
  readonly close: () => void;
}
