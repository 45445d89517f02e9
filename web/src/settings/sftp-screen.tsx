import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm, Secret, SecretDialog } from '../parts/dialogs.tsx';
import { LongTextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { SettingsPage } from './settings-page.tsx';
import { useRepositories } from './use-repositories.ts';
import { useSettingsWords } from './words.ts';

type Key = components['schemas']['SftpPublicKey'];

/** The site's account on the SFTP server of the service: where programs bring files for imports, and fetch exports. */
export function SftpScreen() {
  const site = useSite();
  const { isAdministrator } = useMe();
  const params = { path: { idsite: site.name } };
  const account = useQuery({
    queryKey: ['sftp', site.name],
    enabled: isAdministrator,
    queryFn: async () => {
      const [{ login }, keys] = await Promise.all([
        dataOf(api.GET('/admin/v1/sites/{idsite}/sftp-account', { params })),
        dataOf(api.GET('/admin/v1/sites/{idsite}/sftp-account/public-keys', { params })),
      ]);
      return { login, keys };
    },
  });
  return (
    <SettingsPage section="sftp" query={account}>
      {({ login, keys }) => (
        <>
          <Account login={login} />
          <Keys keys={keys} />
        </>
      )}
    </SettingsPage>
  );
}

function Account({ login }: { readonly login: string }) {
  const texts = useSettingsWords().sftp;
  const site = useSite();
  const own = useRepositories().data?.find(({ idRepository }) => idRepository === 0);
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState<string>();
  return (
    <section className="card">
      <h2 className="card-head">{texts.access}</h2>
      <dl className="definition">
        {own && (
          <>
            <dt>{texts.host}</dt>
            <dd>
              <Secret secret={own.host} what={texts.host} />
            </dd>
            <dt>{texts.port}</dt>
            <dd>{own.port}</dd>
          </>
        )}
        <dt>{texts.login}</dt>
        <dd>
          <Secret secret={login} what={texts.login} />
        </dd>
        <dt>{texts.password}</dt>
        <dd>
          <Button size="xs" onClick={() => setAsking(true)}>
            {texts.renew}
          </Button>
        </dd>
      </dl>
      {isAsking && (
        <Confirm
          title={texts.renewTitle(site.name)}
          text={texts.renewText}
          action={texts.renew}
          close={() => setAsking(false)}
          confirm={async () => {
            const path = { idsite: site.name };
            const renewed = await dataOf(
              api.POST('/admin/v1/sites/{idsite}/sftp-account/password', { params: { path } }),
            );
            setPassword(renewed.password);
          }}
        />
      )}
      {password !== undefined && (
        <SecretDialog title={texts.newPassword} secret={password} close={() => setPassword(undefined)} />
      )}
    </section>
  );
}

function Keys({ keys }: { readonly keys: readonly Key[] }) {
  const texts = useSettingsWords().sftp;
  const parts = usePartWords();
  const site = useSite();
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Key>();
  return (
    <section className="card flush" aria-labelledby="sftp-keys">
      <div className="card-head">
        <h2 id="sftp-keys">{texts.keys}</h2>
        <span className="aside">
          <Button size="xs" onClick={() => setAdding(true)}>
            {texts.addKey}
          </Button>
        </span>
      </div>
      {keys.length === 0 ? (
        <p className="card-body text-2">{texts.noKeys}</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th>{texts.comment}</th>
              <th>{texts.fingerprint}</th>
              <th className="acts">
                <span className="hidden">{parts.remove}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.fingerprint}>
                <td className="title anywhere">
                  <bdi className="strong">{key.comment || key.type}</bdi>
                  <p className="small text-3">{key.type}</p>
                </td>
                <td className="anywhere">
                  <code className="mono">{key.fingerprint}</code>
                </td>
                <td className="acts">
                  <Button
                    size="xs"
                    aria-label={`${parts.remove}: ${key.comment || key.fingerprint}`}
                    onClick={() => setRemoved(key)}
                  >
                    {parts.remove}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isAdding && <KeyForm close={() => setAdding(false)} />}
      {removed && (
        <Confirm
          title={texts.removeTitle(removed.comment || removed.fingerprint)}
          text={texts.removeText}
          action={parts.remove}
          close={() => setRemoved(undefined)}
          confirm={async () => {
            await dataOf(
              api.DELETE('/admin/v1/sites/{idsite}/sftp-account/public-keys', {
                params: { path: { idsite: site.name }, query: { fingerprint: removed.fingerprint } },
              }),
            );
            await queries.invalidateQueries({ queryKey: ['sftp', site.name] });
          }}
        />
      )}
    </section>
  );
}

function KeyForm({ close }: { readonly close: () => void }) {
  const texts = useSettingsWords().sftp;
  const site = useSite();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const save = async () => {
    // Editors break long lines; a key is one.
    const publicKey = text.trim().replaceAll(/\s*\n\s*/g, '');
    if (publicKey === '') return { publicKey: texts.noKey };
    if (publicKey.includes('PRIVATE KEY')) return { publicKey: texts.privateKey };
    const added = await dataOf(
      api.POST('/admin/v1/sites/{idsite}/sftp-account/public-keys', {
        params: { path: { idsite: site.name } },
        body: { publicKey },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['sftp', site.name] });
    toast({ text: texts.added(added.comment || added.fingerprint) });
    return undefined;
  };
  return (
    <FormDrawer title={texts.addKey} close={close} save={save} saveLabel={texts.addKey}>
      <LongTextField
        property="publicKey"
        data-autofocus
        label={texts.publicKey}
        description={texts.publicKeyText}
        placeholder="ssh-ed25519 AAAA… ada@laptop"
        rows={5}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--f-mono)' } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
