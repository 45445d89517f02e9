import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Picture, shownAt } from '../library/pictures.ts';
import { DropZone, UploadButton } from '../library/take-pictures.tsx';
import { UploadReport } from '../library/upload-report.tsx';
import { useUploads } from '../library/use-uploads.ts';
import { useLibraryWords } from '../library/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Opened } from '../parts/opened.tsx';
import { Failed } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useBlocksWords } from './blocks-words.ts';

/** Pictures that are shown at most; a search finds the others. */
const mostPictures = 60;

/** Chooses a picture of the site's library, or uploads one. */
export function PictureChoice({ choose }: { readonly choose: (picture: Picture) => void }) {
  const texts = useBlocksWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.choosePicture}</Button>
      <Dialog isOpen={isOpen} close={() => setOpen(false)} size={720} title={texts.choosePicture}>
        <Opened>
          <Pictures
            choose={(picture) => {
              choose(picture);
              setOpen(false);
            }}
          />
        </Opened>
      </Dialog>
    </>
  );
}

function Pictures({ choose }: { readonly choose: (picture: Picture) => void }) {
  const texts = useBlocksWords();
  const site = useSite();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data, error, refetch } = useQuery({
    queryKey: ['pictures', site.name, 'choice', search],
    placeholderData: keepPreviousData,
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
  const isShown = useIsShown();
  const uploads = useUploads(0, ([picture], files) => {
    if (picture && files.length === 1 && isShown()) choose(picture);
  });
  return (
    <DropZone isOpen take={uploads.take}>
      <div className="row picture-acts">
        <TextInput
          className="grow"
          label={texts.searchPictures}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <UploadButton take={uploads.take} />
      </div>
      <UploadReport uploads={uploads} />
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <Nothing search={search} />}
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
    </DropZone>
  );
}

function Nothing({ search }: { readonly search: string }) {
  const texts = useLibraryWords().pictures;
  return <p className="note">{search === '' ? texts.empty : texts.nothing(search)}</p>;
}

/** Returns whether the component is still on the screen. */
function useIsShown(): () => boolean {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}
