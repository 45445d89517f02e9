import { MultiSelect, NativeSelect, Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useSearchable } from '../parts/searchable.ts';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { type Right, rights, useMe, useSite } from '../session/session.tsx';
import type { Format } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { useSiteNames } from './user-form.tsx';
import { useUsers } from './users-screen.tsx';
import { useSettingsWords } from './words.ts';

/** The last second of a day of the site's time zone, whose offset is one of two. */
const endOf = (day: string, format: Format): Date =>
  ['+01:00', '+02:00']
    .map((offset) => new Date(`${day}T23:59:59${offset}`))
    .find((at) => format.time(at) === '23:59')!;

/** Creates a token for a user, with a right on some sites or on all. */
export function TokenForm({ close, created }: TokenFormProps) {
  const texts = useSettingsWords().tokens;
  const { words, format } = useWords();
  const me = useMe();
  const site = useSite();
  const queries = useQueryClient();
  const users = useUsers().data?.filter(({ isDisabled }) => !isDisabled) ?? [];
  const siteNames = useSiteNames();
  const draft = useFormDraft('token');
  const searchable = useSearchable();
  const [label, setLabel] = draft.field('label', '');
  const [idUser, setUser] = draft.field('idUser', me.user.id);
  const [role, setRole] = draft.field<Right>('role', 'editor');
  const [isForAll, setForAll] = draft.field('isForAll', false);
  const [sites, setSites] = draft.field('sites', [site.name]);
  const [lastDay, setLastDay] = draft.field('lastDay', '');
  const save = async () => {
    if (!isForAll && sites.length === 0) return texts.noSite;
    const { token } = await dataOf(
      api.POST('/admin/v1/tokens', {
        body: {
          idUser,
          label: label.trim(),
          role,
          sites: isForAll ? null : sites,
          ...(lastDay !== '' && { expirationDate: endOf(lastDay, format).toISOString() }),
        },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['tokens'] });
    created(token);
    return undefined;
  };
  return (
    <FormDrawer draft={draft} title={texts.add} close={close} save={save} saveLabel={texts.create}>
      <TextField
        property="label"
        data-autofocus
        label={texts.label}
        placeholder={texts.labelHint}
        maxLength={255}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <NativeSelect
        label={texts.user}
        description={texts.userText}
        value={String(idUser)}
        onChange={(event) => setUser(Number(event.currentTarget.value))}
        data={users.map(({ id, name, email }) => ({ value: String(id), label: `${name} (${email})` }))}
      />
      <NativeSelect
        label={texts.right}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Right)}
        data={rights.map((value) => ({ value, label: words.shell.right[value] }))}
      />
      <Switch
        label={texts.allSites}
        description={role === 'admin' && isForAll ? texts.administers : undefined}
        checked={isForAll}
        onChange={(event) => setForAll(event.currentTarget.checked)}
      />
      {!isForAll && (
        <MultiSelect
          label={texts.sites}
          {...searchable}
          data={[...siteNames]}
          value={sites}
          onChange={setSites}
        />
      )}
      <TextField
        property="expirationDate"
        type="date"
        label={texts.lastDay}
        description={texts.lastDayText}
        value={lastDay}
        onChange={(event) => setLastDay(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
interface TokenFormProps {
  readonly close: () => void;
  /** Called with the token, which the service does not show again. */
  readonly created: (token: string) => void;
}
