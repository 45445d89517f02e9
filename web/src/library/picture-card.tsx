import { ActionIcon, Menu } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { copyText } from '../parts/copy-button.tsx';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { useAct } from '../parts/use-act.ts';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { PictureUses } from './picture-uses.tsx';
import { type Picture, shownAt } from './pictures.ts';
import { useLibraryWords } from './words.ts';

interface PictureCardProps {
  readonly picture: Picture;
  /** Campaigns that show it; undefined while they are counted. */
  readonly nbCampaigns: number | undefined;
  readonly isFavourite: boolean;
  readonly isArchived: boolean;
}

/** One picture with its name and actions. */
export function PictureCard({ picture, nbCampaigns = 0, isFavourite, isArchived }: PictureCardProps) {
  const texts = useLibraryWords().pictures;
  const parts = usePartWords();
  const { format } = useWords();
  const site = useSite();
  const act = useAct();
  const [isRenaming, setRenaming] = useState(false);
  const [opened, setOpened] = useState<'uses' | 'deletion'>();
  const { setArchived, setFavourite } = usePictureActions(picture);
  const archive = async () => {
    await setArchived(!isArchived);
    toast({
      text: isArchived ? texts.restored(picture.name) : texts.archived(picture.name),
      seconds: 10,
      undo: () => act(() => setArchived(isArchived)),
    });
  };
  const copy = async () => {
    toast({ text: (await copyText(picture.url)) ? texts.copied : parts.notCopied });
  };
  const star = isFavourite ? texts.noFavourite(picture.name) : texts.favourite(picture.name);
  return (
    <article className="picture" aria-label={picture.name}>
      <a
        className="picture-box"
        href={shownAt(picture)}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={texts.open(picture.name)}
      >
        <img src={shownAt(picture)} alt="" loading="lazy" decoding="async" />
      </a>
      <ActionIcon
        className="picture-star"
        variant="default"
        size="sm"
        aria-label={star}
        title={star}
        aria-pressed={isFavourite}
        onClick={() => act(() => setFavourite(!isFavourite))}
      >
        {isFavourite ? (
          <IconStarFilled size={16} className="amber" aria-hidden />
        ) : (
          <IconStar size={16} aria-hidden />
        )}
      </ActionIcon>
      <div className="picture-text">
        <div style={{ minWidth: 0, flex: 1 }}>
          <p className="cut strong" title={picture.name}>
            <bdi>{picture.name}</bdi>
          </p>
          <p className="cut label text-3">
            {picture.pictureDim.replace('x', ' × ')},{' '}
            {texts.kilobytes(format.count(picture.fileSize / 1000 || 1))}
          </p>
          {nbCampaigns > 0 && (
            <p className="label">
              <button type="button" className="fig text-2" onClick={() => setOpened('uses')}>
                {texts.usedIn(format.count(nbCampaigns), format.isOne(nbCampaigns))}
              </button>
            </p>
          )}
        </div>
        <RowMenu name={picture.name}>
          <Menu.Item onClick={() => void copy()}>{texts.copyAddress}</Menu.Item>
          <Menu.Item onClick={() => setOpened('uses')}>{texts.whereUsed}</Menu.Item>
          {site.may('editor') && (
            <>
              <Menu.Item onClick={() => setRenaming(true)}>{texts.rename}</Menu.Item>
              <Menu.Item onClick={() => act(archive)}>{isArchived ? texts.restore : texts.archive}</Menu.Item>
              <Menu.Item onClick={() => setOpened('deletion')}>{texts.remove}</Menu.Item>
            </>
          )}
        </RowMenu>
      </div>
      {opened && (
        <PictureUses
          picture={picture}
          isDeleting={opened === 'deletion'}
          close={() => setOpened(undefined)}
        />
      )}
      {isRenaming && <RenameForm picture={picture} close={() => setRenaming(false)} />}
    </article>
  );
}

/** What can be done with a picture; the lists are read again after it. */
function usePictureActions({ idPicture }: Picture) {
  const site = useSite();
  const queries = useQueryClient();
  const params = { path: { idsite: site.name, idPicture } };
  const renew = () => queries.invalidateQueries({ queryKey: ['pictures', site.name] });
  return {
    setArchived: async (isArchived: boolean) => {
      await dataOf(
        isArchived
          ? api.POST('/v1/{idsite}/pictures/{idPicture}/archive', { params })
          : api.POST('/v1/{idsite}/pictures/{idPicture}/unarchive', { params }),
      );
      await renew();
    },
    setFavourite: async (isFavourite: boolean) => {
      await dataOf(api.PUT('/v1/{idsite}/pictures/{idPicture}/favourite', { params, body: isFavourite }));
      await renew();
    },
    rename: async (name: string) => {
      await dataOf(api.PUT('/v1/{idsite}/pictures/{idPicture}/name', { params, body: name }));
      await renew();
    },
  };
}

function RenameForm({ picture, close }: { readonly picture: Picture; readonly close: () => void }) {
  const texts = useLibraryWords().pictures;
  const draft = useFormDraft('picture', picture.idPicture);
  const [name, setName] = draft.field('name', picture.name);
  const { rename } = usePictureActions(picture);
  const save = async () => {
    if (name.trim() === '') return { name: texts.noName };
    await rename(name.trim());
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={texts.renameTitle(picture.name)}
      close={close}
      save={save}
      saveLabel={texts.rename}
    >
      <TextField
        property="name"
        data-autofocus
        label={texts.name}
        description={texts.nameText}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
