import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { useAct } from '../parts/use-act.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useServiceText } from '../words/service-text.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { HostKeyForm, RepositoryForm } from './repository-forms.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useRepositories } from './use-repositories.ts';
import { type Found, Verdict } from './verdict.tsx';
import { useSettingsWords } from './words.ts';

export type Remote = components['schemas']['RegisteredRepository'];

/** What is open above the list, and for which repository. */
type Open =
  | { readonly form: 'repository'; readonly remote?: Remote }
  | { readonly form: 'host-key' | 'delete'; readonly remote: Remote };

/** What a test of a repository found; “running” while it runs. */
type Test = 'running' | Found;

/** The SFTP servers of others from which the site reads, and to which it writes; the site's own folder comes first. */
export function RepositoriesScreen() {
  const texts = useSettingsWords().repositories;
  const site = useSite();
  const { isAdministrator } = useMe();
  const queries = useQueryClient();
  const remotes = useQuery({
    queryKey: ['repositories', site.name, 'registered'],
    enabled: isAdministrator,
    queryFn: () =>
      dataOf(api.GET('/admin/v1/sites/{idsite}/repositories', { params: { path: { idsite: site.name } } })),
  });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <SettingsPage
      section="repositories"
      query={remotes}
      add={{ label: texts.add, run: () => setOpen({ form: 'repository' }) }}
    >
      {(all) => (
        <>
          <section className="card flush">
            <RepositoryTable remotes={all} open={setOpen} />
          </section>
          {open?.form === 'repository' && <RepositoryForm remote={open.remote} close={close} />}
          {open?.form === 'host-key' && <HostKeyForm remote={open.remote} close={close} />}
          {open?.form === 'delete' && (
            <Confirm
              title={texts.removeTitle(open.remote.host)}
              text={texts.removeText}
              action={texts.remove}
              close={close}
              confirm={async () => {
                const path = { idsite: site.name, idRepository: open.remote.id };
                await dataOf(
                  api.DELETE('/admin/v1/sites/{idsite}/repositories/{idRepository}', { params: { path } }),
                );
                await queries.invalidateQueries({ queryKey: ['repositories', site.name] });
                toast({ text: texts.removed(open.remote.host) });
              }}
            />
          )}
        </>
      )}
    </SettingsPage>
  );
}

/** Tests repositories, each on its own, and keeps what was found. */
function useTests() {
  const texts = useSettingsWords().repositories;
  const { format } = useWords();
  const site = useSite();
  const refusal = useRefusal();
  const say = useServiceText();
  const [tests, setTests] = useState<Readonly<Record<number, Test>>>({});
  const set = (id: number, test: Test) => setTests((now) => ({ ...now, [id]: test }));
  const test = async (id: number) => {
    set(id, 'running');
    try {
      const found = await dataOf(
        api.POST('/admin/v1/sites/{idsite}/repositories/{idRepository}/test', {
          params: { path: { idsite: site.name, idRepository: id } },
        }),
      );
      const entries = texts.entries(format.count(found.nbEntries));
      if (found.canWrite) set(id, { colour: 'green', text: `${texts.works} ${entries}` });
      else set(id, { colour: 'amber', text: texts.readOnly(say(found.writeError ?? '').text) });
    } catch (error) {
      const hint =
        error instanceof ApiError && error.code === 'host_key_changed' ? ` ${texts.keyChanged}` : '';
      set(id, { colour: 'red', text: `${refusal(error)}${hint}` });
    }
  };
  return { tests, test };
}

function RepositoryTable({ remotes, open }: RepositoryTableProps) {
  const { columns, ...texts } = useSettingsWords().repositories;
  const parts = usePartWords();
  const site = useSite();
  const queries = useQueryClient();
  const act = useAct();
  const { tests, test } = useTests();
  const own = useRepositories().data?.find(({ idRepository }) => idRepository === 0);
  const hasOtherDefault = remotes.some(({ isDefault }) => isDefault);
  const setDefault = async (idRepository: number) => {
    await dataOf(
      api.PUT('/admin/v1/sites/{idsite}/default-repository', {
        params: { path: { idsite: site.name } },
        body: { idRepository },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['repositories', site.name] });
    toast({ text: texts.defaultSet });
  };
  const rows = [
    { id: 0, name: texts.ownFolder, about: own?.host ?? '', isDefault: !hasOtherDefault, remote: undefined },
    ...remotes.map((remote) => ({
      id: remote.id,
      name: `${remote.host}:${remote.port}${remote.subfolder && ` /${remote.subfolder}`}`,
      about: `${remote.login}, ${remote.hasPrivateKey ? texts.byKey : texts.byPassword}`,
      isDefault: remote.isDefault,
      remote,
    })),
  ];
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.server}</th>
          <th>{columns.used}</th>
          <th className="acts">
            <span className="hidden">{parts.edit}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, about, isDefault, remote }) => (
          <tr key={id}>
            <td className="title anywhere">
              <bdi className="strong">{name}</bdi>
              <p className="small text-3">
                <bdi>{about}</bdi>
              </p>
              {remote && (
                <p className="small text-3">
                  {texts.serverKey} <code className="mono">{remote.hostKeyFingerprint}</code>
                </p>
              )}
              <div aria-live="polite">{tests[id] && <TestResult test={tests[id]} />}</div>
            </td>
            <td className="text-2">{isDefault ? texts.isDefault : texts.byName}</td>
            <td className="acts">
              <RowMenu name={name}>
                <Menu.Item onClick={() => void test(id)}>{texts.test}</Menu.Item>
                {!isDefault && (
                  <Menu.Item onClick={() => act(() => setDefault(id))}>{texts.makeDefault}</Menu.Item>
                )}
                {remote && (
                  <>
                    <Menu.Item onClick={() => open({ form: 'repository', remote })}>{parts.edit}</Menu.Item>
                    <Menu.Item onClick={() => open({ form: 'host-key', remote })}>
                      {texts.acceptKey}
                    </Menu.Item>
                    {!isDefault && (
                      <Menu.Item onClick={() => open({ form: 'delete', remote })}>{texts.remove}</Menu.Item>
                    )}
                  </>
                )}
              </RowMenu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
interface RepositoryTableProps {
  readonly remotes: readonly Remote[];
  readonly open: (open: Open) => void;
}

function TestResult({ test }: { readonly test: Test }) {
  const texts = useSettingsWords().repositories;
  if (test === 'running') return <p className="small text-3">{texts.testing}</p>;
  return (
    <div style={{ marginTop: 6 }}>
      <Verdict {...test} />
    </div>
  );
}
