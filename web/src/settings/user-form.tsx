import { ActionIcon, NativeSelect, Switch } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { PasswordField, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { type Right, rights, useMe } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import type { User } from './users-screen.tsx';
import { useSettingsWords } from './words.ts';

/** The fewest characters of a password. */
const fewest = 12;

/** The names of all sites of the installation. */
export const useSiteNames = (): readonly string[] =>
  useQuery({
    queryKey: ['sites'],
    queryFn: async () => (await dataOf(api.GET('/admin/v1/sites', {}))).map(({ name }) => name),
  }).data ?? [];

/** Adds a user, or changes one: name, address, password, rights. */
export function UserForm({ user, close }: UserFormProps) {
  const texts = useSettingsWords().users;
  const { words } = useWords();
  const me = useMe();
  const queries = useQueryClient();
  const draft = useFormDraft('user', user?.id);
  const [name, setName] = draft.field('name', user?.name ?? '');
  const [email, setEmail] = draft.field('email', user?.email ?? '');
  const [password, setPassword] = useState('');
  const [isAdministrator, setAdministrator] = draft.field('isAdministrator', user?.isAdministrator ?? false);
  const [sites, setSites] = draft.field<User['sites']>('sites', user?.sites ?? []);
  const isMe = user?.id === me.user.id;
  const save = async () => {
    if (name.trim() === '') return { name: texts.noName };
    if (!email.includes('@')) return { email: texts.noAddress };
    if (password !== '' && password.length < fewest) return { password: texts.shortPassword(fewest) };
    const body = {
      name: name.trim(),
      email: email.trim(),
      isAdministrator,
      sites,
      ...(password !== '' && { password }),
    };
    if (user)
      await dataOf(api.PUT('/admin/v1/users/{idUser}', { params: { path: { idUser: user.id } }, body }));
    else await dataOf(api.POST('/admin/v1/users', { body }));
    await queries.invalidateQueries({ queryKey: ['users'] });
    if (isMe) await queries.invalidateQueries({ queryKey: ['me'] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="email"
      title={user ? texts.change(user.name) : texts.add}
      close={close}
      save={save}
      saveLabel={user ? undefined : texts.create}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        autoComplete="off"
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        property="email"
        type="email"
        label={texts.email}
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        property="password"
        label={texts.password}
        description={user?.hasPassword ? texts.passwordKept : texts.passwordText(fewest)}
        autoComplete="new-password"
        maxLength={200}
        visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Switch
        label={texts.administrator}
        description={isMe ? texts.notYourself : texts.administratorText}
        disabled={isMe}
        checked={isAdministrator}
        onChange={(event) => setAdministrator(event.currentTarget.checked)}
      />
      {!isAdministrator && <SiteRights sites={sites} change={setSites} />}
    </FormDrawer>
  );
}
interface UserFormProps {
  /** Undefined for a new one. */
  readonly user: User | undefined;
  readonly close: () => void;
}

/** The right of a user on each site. */
function SiteRights({ sites, change }: SiteRightsProps) {
  const { words } = useWords();
  const texts = useSettingsWords().users;
  const parts = usePartWords();
  const others = useSiteNames().filter((name) => !sites.some((site) => site.name === name));
  return (
    <fieldset className="form">
      <legend className="small strong" style={{ marginBottom: 5 }}>
        {texts.rights}
      </legend>
      {sites.length === 0 && <p className="small text-3">{texts.nowhere}</p>}
      {sites.map(({ name, role }) => (
        <div key={name} className="rights-row">
          <span className="cut">{name}</span>
          <NativeSelect
            aria-label={texts.rightOn(name)}
            value={role}
            onChange={(event) => {
              const next = event.currentTarget.value as Right;
              change(sites.map((site) => (site.name === name ? { name, role: next } : site)));
            }}
            data={rights.map((value) => ({ value, label: words.shell.right[value] }))}
          />
          <ActionIcon
            aria-label={texts.removeSite(name)}
            title={parts.remove}
            onClick={() => change(sites.filter((site) => site.name !== name))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {others.length > 0 && (
        <NativeSelect
          aria-label={texts.addSite}
          value=""
          onChange={(event) => {
            const { value: name } = event.currentTarget;
            if (name !== '') change([...sites, { name, role: 'editor' }]);
          }}
          data={[
            { value: '', label: texts.addSite },
            ...others.map((name) => ({ value: name, label: name })),
          ]}
        />
      )}
    </fieldset>
  );
}
interface SiteRightsProps {
  readonly sites: User['sites'];
  readonly change: (sites: User['sites']) => void;
}
