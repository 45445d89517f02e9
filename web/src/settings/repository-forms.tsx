import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { LongTextField, TextField } from '../parts/fields.tsx';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import type { Remote } from './repositories-screen.tsx';
import { ServerForm, type TypedServer } from './server-form.tsx';
import { useSettingsWords } from './words.ts';

const mono = { input: { fontFamily: 'var(--f-mono)' } } as const;

/** What is typed about a repository. */
interface Typed extends TypedServer {
  readonly subfolder: string;
  readonly way: string;
  readonly privateKey: string;
  readonly hostKey: string;
}

const secretOf = ({ way, password, privateKey }: Typed) => (way === 'key' ? privateKey : password);

/** The properties to store. The way of signing in that is not chosen is removed; an empty secret stays as it is. */
function bodyOf(typed: Typed) {
  const secret = secretOf(typed) || undefined;
  return {
    host: typed.host.trim(),
    port: Number(typed.port),
    subfolder: typed.subfolder.trim(),
    login: typed.login.trim(),
    ...(typed.way === 'key'
      ? { password: null, privateKey: secret }
      : { privateKey: null, password: secret }),
    ...(typed.hostKey.trim() !== '' && { hostKey: typed.hostKey.trim() }),
  };
}

/** Registers an SFTP server, or changes it. The service connects and signs in before it stores anything. */
export function RepositoryForm({ remote, close }: RepositoryFormProps) {
  const texts = useSettingsWords().repositories;
  const site = useSite();
  const queries = useQueryClient();
  const isKept = ({ way }: Pick<Typed, 'way'>) =>
    remote !== undefined && (way === 'key' ? remote.hasPrivateKey : remote.hasPassword);
  const save = async (typed: Typed) => {
    if (typed.login.trim() === '') return { login: texts.noLogin };
    if (secretOf(typed) === '' && !isKept(typed))
      return typed.way === 'key' ? { privateKey: texts.noPrivateKey } : { password: texts.noPassword };
    const body = bodyOf(typed);
    const path = { idsite: site.name };
    const stored = remote
      ? await dataOf(
          api.PUT('/admin/v1/sites/{idsite}/repositories/{idRepository}', {
            params: { path: { ...path, idRepository: remote.id } },
            body,
          }),
        )
      : await dataOf(api.POST('/admin/v1/sites/{idsite}/repositories', { params: { path }, body }));
    await queries.invalidateQueries({ queryKey: ['repositories', site.name] });
    toast({ text: texts.saved(stored.host, stored.hostKeyFingerprint), seconds: 10 });
    return undefined;
  };
  const initial: Typed = {
    host: remote?.host ?? '',
    port: String(remote?.port ?? 22),
    subfolder: remote?.subfolder ?? '',
    login: remote?.login ?? '',
    way: remote?.hasPrivateKey ? 'key' : 'password',
    password: '',
    privateKey: '',
    hostKey: '',
  };
  return (
    <ServerForm
      texts={{
        ...texts,
        title: remote ? texts.change(remote.host) : texts.add,
        passwordText: isKept({ way: 'password' }) ? texts.kept : undefined,
      }}
      form="repository"
      id={remote?.id}
      secrets={['privateKey']}
      isNew={remote === undefined}
      example="sftp.example.com"
      initial={initial}
      close={close}
      save={save}
      intro={<p className="text-2">{texts.formText}</p>}
      fields={(typed, set) => ({
        afterLogin: (
          <NativeSelect
            label={texts.way}
            value={typed.way}
            onChange={(event) => set({ way: event.currentTarget.value })}
            data={[
              { value: 'password', label: texts.password },
              { value: 'key', label: texts.privateKey },
            ]}
          />
        ),
        ...(typed.way === 'key' && {
          secret: (
            <LongTextField
              property="privateKey"
              label={texts.privateKey}
              description={isKept(typed) ? texts.kept : texts.privateKeyText}
              placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
              rows={5}
              spellCheck={false}
              styles={mono}
              value={typed.privateKey}
              onChange={(event) => set({ privateKey: event.currentTarget.value })}
            />
          ),
        }),
        atEnd: <PlaceFields typed={typed} set={set} />,
      })}
    />
  );
}

/** The folder on the server, and how the server proves itself. */
function PlaceFields({
  typed,
  set,
}: {
  readonly typed: Typed;
  readonly set: (next: Partial<Typed>) => void;
}) {
  const texts = useSettingsWords().repositories;
  return (
    <>
      <TextField
        property="subfolder"
        label={texts.subfolder}
        spellCheck={false}
        maxLength={500}
        value={typed.subfolder}
        onChange={(event) => set({ subfolder: event.currentTarget.value })}
      />
      <MoreFields>
        <TextField
          property="hostKey"
          label={texts.hostKey}
          description={texts.hostKeyText}
          placeholder="SHA256:…"
          spellCheck={false}
          maxLength={2000}
          value={typed.hostKey}
          onChange={(event) => set({ hostKey: event.currentTarget.value })}
        />
      </MoreFields>
    </>
  );
}
interface RepositoryFormProps {
  /** Undefined for a new one. */
  readonly remote: Remote | undefined;
  readonly close: () => void;
}

/** Accepts the new key of a server. The user types it, as its operator says it: the server itself is no witness. */
export function HostKeyForm({ remote, close }: { readonly remote: Remote; readonly close: () => void }) {
  const texts = useSettingsWords().repositories;
  const site = useSite();
  const queries = useQueryClient();
  const [hostKey, setHostKey] = useState('');
  const save = async () => {
    if (hostKey.trim() === '') return { hostKey: texts.noHostKey };
    await dataOf(
      api.PUT('/admin/v1/sites/{idsite}/repositories/{idRepository}/host-key', {
        params: { path: { idsite: site.name, idRepository: remote.id } },
        body: { hostKey: hostKey.trim() },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['repositories', site.name] });
    toast({ text: texts.keyAccepted(remote.host) });
    return undefined;
  };
  return (
    <FormDrawer title={texts.acceptTitle(remote.host)} close={close} save={save} saveLabel={texts.acceptKey}>
      <p className="note amber">{texts.acceptText}</p>
      <p className="small text-2 anywhere">
        {texts.knownKey} <code className="mono">{remote.hostKeyFingerprint}</code>
      </p>
      <TextField
        property="hostKey"
        data-autofocus
        label={texts.newKey}
        placeholder="SHA256:…"
        spellCheck={false}
        maxLength={2000}
        styles={mono}
        value={hostKey}
        onChange={(event) => setHostKey(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
