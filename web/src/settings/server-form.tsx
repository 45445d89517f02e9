import { type ReactNode, useState } from 'react';
import { type FieldErrors, PasswordField, TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
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
  /** The name of the form's draft, and the server that it changes. */
  readonly form: string;
  readonly id: number | undefined;
  /** What is never kept besides the password. */
  readonly secrets?: readonly (keyof Typed & string)[];
  /** What the service calls the login. Default: `login`. */
  readonly loginProperty?: string;
  readonly isNew: boolean;
  readonly example: string;
  readonly initial: Typed;
  readonly close: () => void;
  /** As of `FormDrawer`; called once there is a host. */
  readonly save: (typed: Typed) => Promise<string | FieldErrors | undefined>;
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
  const { texts, form, id, secrets = [], loginProperty = 'login', isNew, example, initial } = props;
  const { close, save, intro, fields } = props;
  const { words } = useWords();
  const draft = useFormDraft(form, id);
  const [kept, setKept] = draft.field<Typed>('server', initial);
  const [unkept, setUnkept] = useState<Partial<Typed>>({});
  const typed = { ...kept, ...unkept };
  const isSecret = (name: string) => name === 'password' || secrets.some((secret) => secret === name);
  // A field of any server is one of this kind's, too.
  const set = (next: Partial<Typed> | Partial<TypedServer>) => {
    const entries = Object.entries(next);
    const [secret, plain] = [true, false].map((is) =>
      Object.fromEntries(entries.filter(([name]) => isSecret(name) === is)),
    );
    setUnkept((now) => ({ ...now, ...secret }));
    setKept((now) => ({ ...now, ...plain }));
  };
  const { afterHost, afterLogin, secret, atEnd } = fields(typed, set);
  return (
    <FormDrawer
      draft={draft}
      title={texts.title}
      close={close}
      save={async () => (typed.host.trim() === '' ? { host: texts.noHost } : save(typed))}
      saveLabel={isNew ? texts.create : undefined}
    >
      {intro}
      <div className="pair narrow-last">
        <TextField
          property="host"
          data-autofocus
          label={texts.host}
          placeholder={example}
          spellCheck={false}
          autoCapitalize="none"
          value={typed.host}
          onChange={(event) => set({ host: event.currentTarget.value })}
        />
        <TextField
          property="port"
          label={texts.port}
          inputMode="numeric"
          value={typed.port}
          onChange={(event) => set({ port: event.currentTarget.value })}
        />
      </div>
      {afterHost}
      <TextField
        property={loginProperty}
        label={texts.login}
        description={texts.loginText}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={255}
        value={typed.login}
        onChange={(event) => set({ login: event.currentTarget.value })}
      />
      {afterLogin}
      {secret ?? (
        <PasswordField
          property="password"
          label={texts.password}
          description={texts.passwordText}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
          value={typed.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
      )}
      {atEnd}
    </FormDrawer>
  );
}
