import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { useLibraryWords } from './words.ts';

export type Uses = components['schemas']['ContentUses'];
type Use = Uses['uses'][number];

interface UsesDialogProps {
  readonly title: string;
  readonly uses: UseQueryResult<Uses>;
  readonly texts: DeletionTexts & { readonly unused: string };
  /** Above the list. */
  readonly children?: ReactNode;
  /** Deletes it, even where it is used if `force` is true. Without it, only the uses are shown. */
  readonly remove?: ((force: boolean) => Promise<void>) | undefined;
  readonly close: () => void;
}

/** Where something of the library is used, and the way to delete it. */
export function UsesDialog({ title, uses, texts, children, remove, close }: UsesDialogProps) {
  const { format } = useWords();
  const words = useLibraryWords().uses;
  useFocusReturn();
  const { data } = uses;
  const total = data?.nbUses ?? 0;
  return (
    <Dialog close={close} title={<bdi className="anywhere">{title}</bdi>}>
      <div className="stack tight">
        {uses.isPending && <Loading rows={3} />}
        {uses.error && <Failed error={uses.error} retry={() => void uses.refetch()} />}
        {data && total === 0 && <p className="text-2">{texts.unused}</p>}
        {data && total > 0 && (
          <>
            {children}
            <ul className="stack tight">
              {data.uses.map((use) => (
                <li key={`${use.kind} ${use.id ?? use.name}`} className="small anywhere">
                  <UseLine use={use} />
                </li>
              ))}
            </ul>
            {total > data.uses.length && (
              <p className="small text-3">{words.more(format.count(total - data.uses.length))}</p>
            )}
          </>
        )}
        {remove && data && <Deletion texts={texts} isUsed={total > 0} remove={remove} close={close} />}
      </div>
    </Dialog>
  );
}

function UseLine({ use: { kind, name, idCampaign } }: { readonly use: Use }) {
  const words = useLibraryWords().uses;
  const site = useSite();
  return (
    <>
      <span className="text-3">{words.kinds[kind]}</span>{' '}
      {idCampaign === null ? (
        <bdi>{name}</bdi>
      ) : (
        <Link
          className="link"
          to="/$site/campaigns/$idCampaign"
          params={{ site: site.name, idCampaign: String(idCampaign) }}
        >
          <bdi>{name}</bdi>
        </Link>
      )}
    </>
  );
}

interface DeletionTexts {
  /** What follows from it if nothing uses it, and if something does. */
  readonly deleteText: string;
  readonly deleteUsed: string;
}

/** Deletes it; even where it is used only after the user has read where. */
function Deletion({ texts, isUsed, remove, close }: DeletionProps) {
  const words = useLibraryWords().uses;
  const parts = usePartWords();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isForced, setForced] = useState(isUsed);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await remove(isForced);
      close();
    } catch (failure) {
      setBusy(false);
      setError(refusal(failure));
      // It is used elsewhere, or since the list was read: the reason names the places.
      if (failure instanceof ApiError && failure.status === 409) setForced(true);
    }
  };
  return (
    <>
      <p className="text-2">{isForced ? texts.deleteUsed : texts.deleteText}</p>
      {error !== '' && (
        <p className="note red anywhere" role="alert">
          {error}
        </p>
      )}
      <div className="row dialog-acts">
        <Button data-autofocus onClick={close}>
          {parts.cancel}
        </Button>
        <Button color="red" variant="filled" loading={isBusy} onClick={() => void run()}>
          {isForced ? words.deleteAnyway : words.remove}
        </Button>
      </div>
    </>
  );
}
interface DeletionProps {
  readonly texts: DeletionTexts;
  readonly isUsed: boolean;
  readonly remove: (force: boolean) => Promise<void>;
  readonly close: () => void;
}
