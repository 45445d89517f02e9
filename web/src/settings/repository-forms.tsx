import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Remote } from './repositories-screen.tsx';
import { useSettingsWords } from './words.ts';

const mono = { input: { fontFamily: 'var(--f-mono)' } } as const;

/** What is typed about a repository. */
interface Typed {
  readonly host: string;
  readonly port: string;
  readonly subfolder: string;
  readonly login: string;
  readonly way: string;
  readonly password: string;
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
  const { words } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>({
    host: remote?.host ?? '',
    port: String(remote?.port ?? 22),
    subfolder: remote?.subfolder ?? '',
    login: remote?.login ?? '',
    way: remote?.hasPrivateKey ? 'key' : 'password',
    password: '',
    privateKey: '',
    hostKey: '',
  });
  const set = (next: Partial<typeof typed>) => setTyped((now) => ({ ...now, ...next }));
  const isByKey = typed.way === 'key';
  const isKept = remote !== undefined && (isByKey ? remote.hasPrivateKey : remote.hasPassword);
  const save = async () => {
    if (typed.host.trim() === '') return texts.noHost;
    if (typed.login.trim() === '') return texts.noLogin;
    if (secretOf(typed) === '' && !isKept) return isByKey ? texts.noPrivateKey : texts.noPassword;
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
  return (
    <FormDrawer
      title={remote ? texts.change(remote.host) : texts.add}
      close={close}
      save={save}
      saveLabel={remote ? undefined : texts.create}
    >
      <p className="text-2">{texts.formText}</p>
      <div className="pair narrow-last">
        <TextInput
          data-autofocus
          label={texts.host}
          placeholder="sftp.example.com"
          spellCheck={false}
          autoCapitalize="none"
          value={typed.host}
          onChange={(event) => set({ host: event.currentTarget.value })}
        />
        <TextInput
          label={texts.port}
          inputMode="numeric"
          value={typed.port}
          onChange={(event) => set({ port: event.currentTarget.value })}
        />
      </div>
      <TextInput
        label={texts.login}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={255}
        value={typed.login}
        onChange={(event) => set({ login: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.way}
        value={typed.way}
        onChange={(event) => set({ way: event.currentTarget.value })}
        data={[
          { value: 'password', label: texts.password },
          { value: 'key', label: texts.privateKey },
        ]}
      />
      {isByKey ? (
        <Textarea
          label={texts.privateKey}
          description={isKept ? texts.kept : texts.privateKeyText}
          placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
          rows={5}
          spellCheck={false}
          styles={mono}
          value={typed.privateKey}
          onChange={(event) => set({ privateKey: event.currentTarget.value })}
        />
      ) : (
        <PasswordInput
          label={texts.password}
          description={isKept ? texts.kept : undefined}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
          value={typed.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={texts.subfolder}
        spellCheck={false}
        maxLength={500}
        value={typed.subfolder}
        onChange={(event) => set({ subfolder: event.currentTarget.value })}
      />
      <MoreFields>
        <TextInput
          label={texts.hostKey}
          description={texts.hostKeyText}
          placeholder="SHA256:…"
          spellCheck={false}
          maxLength={2000}
          value={typed.hostKey}
          onChange={(event) => set({ hostKey: event.currentTarget.value })}
        />
      </MoreFields>
    </FormDrawer>
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
    if (hostKey.trim() === '') return texts.noHostKey;
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
      <TextInput
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
