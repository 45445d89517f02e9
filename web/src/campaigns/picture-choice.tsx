import { Button, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Picture, shownAt } from '../library/pictures.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { useBlocksWords } from './blocks-words.ts';

/** Pictures that are shown at most; a search finds the others. */
const mostPictures = 60;

/** Chooses a picture of the site's library. */
export function PictureChoice({ choose }: { readonly choose: (picture: Picture) => void }) {
  const texts = useBlocksWords();
  const { words } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.choosePicture}</Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size={720}
        title={texts.choosePicture}
        closeButtonProps={{ 'aria-label': words.shell.close }}
      >
        <Pictures
          choose={(picture) => {
            choose(picture);
            setOpen(false);
          }}
        />
      </Modal>
    </>
  );
}

function Pictures({ choose }: { readonly choose: (picture: Picture) => void }) {
  const texts = useBlocksWords();
  const site = useSite();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data } = useQuery({
    queryKey: ['pictures', site.name, 'choice', search],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/pictures', {
          params: {
            path: { idsite: site.name },
            query: {
              'filter.sortBy': 'Id',
              'filter.order': 'DESC',
              'filter.limit': mostPictures,
              ...(search && { 'filter.name': search }),
            },
          },
        }),
      ),
  });
  return (
    <div className="stack tight">
      <TextInput
        label={texts.searchPictures}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {data?.items.length === 0 && <p className="note">{texts.noPictures}</p>}
      <ul className="picture-choice">
        {data?.items.map((picture) => (
          <li key={picture.idPicture}>
            <button type="button" onClick={() => choose(picture)}>
              <img src={shownAt(picture)} alt="" loading="lazy" decoding="async" />
              <span className="small cut">{picture.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
