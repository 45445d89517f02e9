import { Menu } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconKey, IconShieldLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { SearchedHere } from '../parts/searched-here.tsx';
import { useAct } from '../parts/use-act.ts';
import { useMe } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSectionSearch } from './use-section-search.ts';
import { UserForm } from './user-form.tsx';
import { useSettingsWords } from './words.ts';

export type User = components['schemas']['User'];

/** All users of the installation; only an administrator can see them. */
export function useUsers() {
  const { isAdministrator } = useMe();
  return useQuery({
    queryKey: ['users'],
    enabled: isAdministrator,
    queryFn: () => dataOf(api.GET('/admin/v1/users', {})),
  });
}

/** The people who can sign in, with their rights on each site. */
export function UsersScreen() {
  const texts = useSettingsWords().users;
  const users = useUsers();
  const found = useSectionSearch('users');
  const queries = useQueryClient();
  const [edited, setEdited] = useState<User | 'new'>();
  const [disabled, setDisabled] = useState<User>();
  return (
    <SettingsPage section="users" query={users} add={{ label: texts.add, run: () => setEdited('new') }}>
      {(all) => (
        <>
          <SearchedHere
            {...found}
            all={all}
            textOf={({ name, email, sites }) => [name, email, ...sites.map((site) => site.name)].join(' ')}
            searchLabel={texts.search}
            table={(users) => <UserTable users={users} edit={setEdited} disable={setDisabled} />}
            empty={null}
          />
          {edited && (
            <UserForm user={edited === 'new' ? undefined : edited} close={() => setEdited(undefined)} />
          )}
          {disabled && (
            <Confirm
              title={texts.disableTitle(disabled.name)}
              text={texts.disableText}
              action={texts.disable}
              close={() => setDisabled(undefined)}
              confirm={async () => {
                await setDisabledOf(disabled, true);
                await queries.invalidateQueries({ queryKey: ['users'] });
                toast({ text: texts.disabled(disabled.name) });
              }}
            />
          )}
        </>
      )}
    </SettingsPage>
  );
}

async function setDisabledOf({ id: idUser }: User, isDisabled: boolean): Promise<void> {
  await dataOf(api.PUT('/admin/v1/users/{idUser}', { params: { path: { idUser } }, body: { isDisabled } }));
}

function UserTable({ users, edit, disable }: UserTableProps) {
  const { columns, ...texts } = useSettingsWords().users;
  const parts = usePartWords();
  const me = useMe();
  const queries = useQueryClient();
  const act = useAct();
  const enable = async (user: User) => {
    await setDisabledOf(user, false);
    await queries.invalidateQueries({ queryKey: ['users'] });
    toast({ text: texts.enabled(user.name) });
  };
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.name}</th>
          <th>{columns.rights}</th>
          <th>{columns.state}</th>
          <th className="acts">
            <span className="hidden">{parts.edit}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td className="title anywhere">
              <bdi className="strong">{user.name}</bdi>
              {user.id === me.user.id && <span className="text-3"> {texts.you}</span>}
              <p className="small text-3">{user.email}</p>
            </td>
            <td className="anywhere">
              <Rights user={user} />
            </td>
            <td>
              <UserState user={user} />
            </td>
            <td className="acts">
              <RowMenu name={user.name}>
                <Menu.Item onClick={() => edit(user)}>{parts.edit}</Menu.Item>
                {user.isDisabled && (
                  <Menu.Item onClick={() => act(() => enable(user))}>{texts.enable}</Menu.Item>
                )}
                {!user.isDisabled && user.id !== me.user.id && (
                  <Menu.Item onClick={() => disable(user)}>{texts.disable}</Menu.Item>
                )}
              </RowMenu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
interface UserTableProps {
  readonly users: readonly User[];
  readonly edit: (user: User) => void;
  readonly disable: (user: User) => void;
}

/** Rights that are shown in a row; the form has all. */
const mostRights = 4;

function Rights({ user }: { readonly user: User }) {
  const { words } = useWords();
  const texts = useSettingsWords().users;
  if (user.isAdministrator) return texts.everywhere;
  if (user.sites.length === 0) return <span className="text-3">{texts.nowhere}</span>;
  return (
    <>
      {user.sites.slice(0, mostRights).map(({ name, role }) => (
        <p key={name}>
          {name} <span className="text-3 whole">{words.shell.right[role]}</span>
        </p>
      ))}
      {user.sites.length > mostRights && (
        <p className="text-3">{texts.moreSites(user.sites.length - mostRights)}</p>
      )}
    </>
  );
}

function UserState({ user }: { readonly user: User }) {
  const texts = useSettingsWords().users;
  if (user.isDisabled)
    return (
      <span className="state red">
        <IconCircleX size={16} stroke={1.75} aria-hidden />
        {texts.states.disabled}
      </span>
    );
  if (!user.hasPassword)
    return (
      <span className="state">
        <IconKey size={16} stroke={1.75} aria-hidden />
        {texts.states.tokensOnly}
      </span>
    );
  const Glyph = user.isAdministrator ? IconShieldLock : IconCircleCheck;
  return (
    <span className={user.isAdministrator ? 'state plum' : 'state green'}>
      <Glyph size={16} stroke={1.75} aria-hidden />
      {user.isAdministrator ? texts.states.administrator : texts.states.signsIn}
    </span>
  );
}
