import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import type { Picture } from './pictures.ts';
import { useLibraryWords } from './words.ts';

type Uses = components['schemas']['PictureUses'];
type Use = Uses['uses'][number];

const totalOf = (uses: Uses) =>
  uses.nbCampaigns +
  uses.nbAdvertisements +
  uses.nbSegments +
  uses.nbSendingConfigurations +
  uses.nbContentBlocks;

interface PictureUsesProps {
  readonly picture: Picture;
  /** Whether the user wants to delete the picture; otherwise only its uses are shown. */
  readonly isDeleting: boolean;
  readonly close: () => void;
}

/** Where a picture is used, and the way to delete it. */
export function PictureUses({ picture: { idPicture, name }, isDeleting, close }: PictureUsesProps) {
  const { format } = useWords();
  const texts = useLibraryWords().pictures;
  const site = useSite();
  const uses = useQuery({
    queryKey: ['pictures', site.name, idPicture, 'uses'],
    staleTime: 0,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/pictures/{idPicture}/uses', {
          params: { path: { idsite: site.name, idPicture } },
        }),
      ),
  });
  useFocusReturn();
  const { data } = uses;
  const total = data ? totalOf(data) : 0;
  return (
    <Dialog
      close={close}
      title={<bdi className="anywhere">{isDeleting ? texts.deleteTitle(name) : texts.usesOf(name)}</bdi>}
    >
      <div className="stack tight">
        {uses.isPending && <Loading rows={3} />}
        {uses.error && <Failed error={uses.error} retry={() => void uses.refetch()} />}
        {data && total === 0 && <p className="text-2">{texts.unused}</p>}
        {data && total > 0 && (
          <>
            {data.nbCampaigns > 0 && (
              <p className="strong">{texts.usedIn(format.count(data.nbCampaigns), data.nbCampaigns === 1)}</p>
            )}
            <ul className="stack tight">
              {data.uses.map((use) => (
                <li key={`${use.kind} ${use.id ?? use.name}`} className="small">
                  <UseLine use={use} />
                </li>
              ))}
            </ul>
            {total > data.uses.length && (
              <p className="small text-3">{texts.moreUses(format.count(total - data.uses.length))}</p>
            )}
          </>
        )}
        {isDeleting && data && <Deletion {...{ idPicture, name, close }} isUsed={total > 0} />}
      </div>
    </Dialog>
  );
}

function UseLine({ use: { kind, name, idCampaign } }: { readonly use: Use }) {
  const texts = useLibraryWords().pictures;
  const site = useSite();
  return (
    <>
      <span className="text-3">{texts.kinds[kind]}</span>{' '}
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

/** Deletes the picture; even where it is shown only after the user has read where. */
function Deletion({ idPicture, name, isUsed, close }: DeletionProps) {
  const texts = useLibraryWords().pictures;
  const parts = usePartWords();
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isForced, setForced] = useState(isUsed);
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await dataOf(
        api.DELETE('/v1/{idsite}/pictures/{idPicture}', {
          params: { path: { idsite: site.name, idPicture }, query: { force: isForced } },
        }),
      );
      await queries.invalidateQueries({ queryKey: ['pictures', site.name] });
      toast({ text: texts.deleted(name) });
      close();
    } catch (failure) {
      setBusy(false);
      setError(refusal(failure));
      // Messages that were sent show it: the reason names them.
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
        <Button color="red" variant="filled" loading={isBusy} onClick={() => void remove()}>
          {isForced ? texts.deleteAnyway : texts.remove}
        </Button>
      </div>
    </>
  );
}
interface DeletionProps {
  readonly idPicture: number;
  readonly name: string;
  readonly isUsed: boolean;
  readonly close: () => void;
}
