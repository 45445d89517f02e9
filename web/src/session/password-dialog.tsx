import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';

/** Changes the user's own password. */
export function PasswordDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  return (
    <Dialog close={close} title={words.session.changePassword}>
      <PasswordForm close={close} />
    </Dialog>
  );
}

function PasswordForm({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const refusal = useRefusal();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const [failure, setFailure] = useState<{ isOfCurrent: boolean; text: string }>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await dataOf(api.PUT('/v1/me/password', { body: { currentPassword, newPassword } }));
      close();
      toast({ text: words.session.changed });
    } catch (error) {
      const isOfCurrent = error instanceof ApiError && error.code === 'refused';
      setFailure({ isOfCurrent, text: isOfCurrent ? words.session.wrongCurrent : refusal(error) });
    }
  };
  const shared = {
    required: true,
    withAsterisk: false,
    visibilityToggleButtonProps: { 'aria-label': words.session.showPassword, tabIndex: 0 },
  } as const;
  return (
    <form className="stack tight" onSubmit={(event) => void submit(event)}>
      <PasswordInput
        {...shared}
        data-autofocus
        label={words.session.currentPassword}
        autoComplete="current-password"
        value={currentPassword}
        error={failure?.isOfCurrent === true && failure.text}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        {...shared}
        label={words.session.newPassword}
        autoComplete="new-password"
        value={newPassword}
        error={failure?.isOfCurrent === false && failure.text}
        onChange={(event) => setNew(event.currentTarget.value)}
      />
      <Button type="submit" variant="filled">
        {words.session.changePassword}
      </Button>
    </form>
  );
}
