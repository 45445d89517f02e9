import { Button, NativeSelect } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SearchField } from '../parts/list.tsx';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { placed, useDirectories } from './directories.ts';
import { DirectoryForm } from './directory-form.tsx';
import { LibraryPage } from './library-page.tsx';
import { PictureGrid } from './picture-grid.tsx';
import { type PictureSearch, pictureLocations, pictureOrders } from './routes.ts';
import { DropZone, UploadButton } from './take-pictures.tsx';
import { UploadReport } from './upload-report.tsx';
import { useUploads } from './use-uploads.ts';
import { useLibraryWords } from './words.ts';

const route = getRouteApi('/$site/library');

/** The pictures of the site: dropped to upload, found by name and folder. */
export function PicturesScreen() {
  const texts = useLibraryWords().pictures;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  const [isNaming, setNaming] = useState(false);
  const uploads = useUploads(search.folder ?? 0);
  const mayEdit = site.may('editor');
  const go = (next: PictureSearch) =>
    void navigate({ to: '/$site/library', params: { site: site.name }, search: next, replace: true });
  return (
    <LibraryPage
      part="pictures"
      actions={
        mayEdit && (
          <>
            <Button
              leftSection={<IconFolderPlus size={16} aria-hidden />}
              className="wide-only"
              onClick={() => setNaming(true)}
            >
              {texts.newFolder}
            </Button>
            <UploadButton take={uploads.take} />
          </>
        )
      }
    >
      <DropZone isOpen={mayEdit} take={uploads.take}>
        <div>
          <Filters search={search} go={go} />
          <UploadReport uploads={uploads} />
        </div>
        <PictureGrid search={search} clear={() => go({})} />
      </DropZone>
      {isNaming && <DirectoryForm dirType="Image" idParent={search.folder} close={() => setNaming(false)} />}
    </LibraryPage>
  );
}

function Filters({ search, go }: FiltersProps) {
  const texts = useLibraryWords().pictures;
  const parts = usePartWords();
  const folders = placed(useDirectories('Image').data ?? []);
  return (
    <div className="row filters">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
      <div className="segments" role="group" aria-label={texts.which}>
        {[undefined, ...pictureLocations].map((location) => (
          <button
            key={location ?? ''}
            type="button"
            aria-pressed={location === search.location && search.folder === undefined}
            onClick={() => go({ ...search, location, folder: undefined })}
          >
            {location ? texts.locations[location] : parts.all}
          </button>
        ))}
      </div>
      <SearchField
        label={texts.search}
        text={search.search ?? ''}
        find={(text) => go({ ...search, search: text })}
      />
      <NativeSelect
        aria-label={texts.folder}
        value={String(search.folder ?? '')}
        onChange={(event) => {
          const folder = Number(event.currentTarget.value) || undefined;
          go({ ...search, folder, location: undefined });
        }}
        style={{ maxWidth: 240 }}
      >
        <option value="">{texts.anyFolder}</option>
        {folders.map(({ directory, path }) => (
          <option key={directory.id} value={directory.id}>
            {path}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label={texts.order}
        value={search.order ?? 'newest'}
        onChange={(event) => go({ ...search, order: event.currentTarget.value as PictureSearch['order'] })}
        data={pictureOrders.map((value) => ({ value, label: texts.orders[value] }))}
      />
    </div>
  );
}
interface FiltersProps {
  readonly search: PictureSearch;
  readonly go: (search: PictureSearch) => void;
}
