import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Picture } from './pictures.ts';
import { UsesDialog } from './uses-dialog.tsx';
import { useLibraryWords } from './words.ts';

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
  const queries = useQueryClient();
  const path = { idsite: site.name, idPicture };
  const uses = useQuery({
    queryKey: ['pictures', site.name, idPicture, 'uses'],
    staleTime: 0,
    queryFn: async () => {
      const found = await dataOf(api.GET('/v1/{idsite}/pictures/{idPicture}/uses', { params: { path } }));
      const { nbCampaigns, nbAdvertisements, nbSegments, nbSendingConfigurations, nbContentBlocks } = found;
      const nbUses = nbCampaigns + nbAdvertisements + nbSegments + nbSendingConfigurations + nbContentBlocks;
      return { nbCampaigns, nbUses, uses: found.uses };
    },
  });
  const remove = async (force: boolean) => {
    await dataOf(api.DELETE('/v1/{idsite}/pictures/{idPicture}', { params: { path, query: { force } } }));
    await queries.invalidateQueries({ queryKey: ['pictures', site.name] });
    toast({ text: texts.deleted(name) });
  };
  const nbCampaigns = uses.data?.nbCampaigns ?? 0;
  return (
    <UsesDialog
      title={isDeleting ? texts.deleteTitle(name) : texts.usesOf(name)}
      uses={uses}
      texts={texts}
      remove={isDeleting ? remove : undefined}
      close={close}
    >
      {nbCampaigns > 0 && (
        <p className="strong">{texts.usedIn(format.count(nbCampaigns), format.isOne(nbCampaigns))}</p>
      )}
    </UsesDialog>
  );
}
