import { PasswordInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useWords } from '../words/words.tsx';

/** What is typed about any server that the service connects to. */
export interface TypedServer {
  readonly host: string;
  readonly port: string;
  readonly login: string;
  readonly password: string;
}

interface ServerFormProps<Typed extends TypedServer> {
  /** The title, the words of the button for a new server, and the names of the fields. */
  readonly texts: {
    readonly title: string;
    readonly create: string;
    readonly host: string;
    readonly noHost: string;
    readonly port: string;
    readonly login: string;
    readonly loginText?: string;
    readonly password: string;
    /** What an empty password means; undefined: nothing. */
    readonly passwordText?: string | undefined;
  };
  readonly isNew: boolean;
  readonly example: string;
  readonly initial: Typed;
  readonly close: () => void;
  /** As of `FormDrawer`; called once there is a host. */
  readonly save: (typed: Typed) => Promise<string | undefined>;
  /** What stands above the fields. */
  readonly intro?: ReactNode;
  /** The fields besides those of any server, where they belong. */
  readonly fields: (
    typed: Typed,
    set: (next: Partial<Typed>) => void,
  ) => {
    readonly afterHost?: ReactNode;
    readonly afterLogin?: ReactNode;
    /** In place of the password. */
    readonly secret?: ReactNode;
    readonly atEnd: ReactNode;
  };
}

/** The form of a server: where it is, how the service signs in there, and what its kind adds. */
export function ServerForm<Typed extends TypedServer>(props: ServerFormProps<Typed>) {
  const { texts, isNew, example, initial, close, save, intro, fields } = props;
  const { words } = useWords();
  const [typed, setTyped] = useState(initial);
  const set = (next: Partial<Typed>) => setTyped((now) => ({ ...now, ...next }));
  // A field of any server is one of this kind's, too.
  const setServer = (next: Partial<TypedServer>) => setTyped((now) => ({ ...now, ...next }));
  const { afterHost, afterLogin, secret, atEnd } = fields(typed, set);
  return (
    <FormDrawer
      title={texts.title}
      close={close}
      save={async () => (typed.host.trim() === '' ? texts.noHost : save(typed))}
      saveLabel={isNew ? texts.create : undefined}
    >
      {intro}
      <div className="pair narrow-last">
        <TextInput
          data-autofocus
          label={texts.host}
          placeholder={example}
          spellCheck={false}
          autoCapitalize="none"
          value={typed.host}
          onChange={(event) => setServer({ host: event.currentTarget.value })}
        />
        <TextInput
          label={texts.port}
          inputMode="numeric"
          value={typed.port}
          onChange={(event) => setServer({ port: event.currentTarget.value })}
        />
      </div>
      {afterHost}
      <TextInput
        label={texts.login}
        description={texts.loginText}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={255}
        value={typed.login}
        onChange={(event) => setServer({ login: event.currentTarget.value })}
      />
      {afterLogin}
      {secret ?? (
        <PasswordInput
          label={texts.password}
          description={texts.passwordText}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
          value={typed.password}
          onChange={(event) => setServer({ password: event.currentTarget.value })}
        />
      )}
      {atEnd}
    </FormDrawer>
  );
}
