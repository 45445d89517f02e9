import { Button, Menu } from '@mantine/core';
import { IconFolder, IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Choice } from '../parts/choice.tsx';
import { Confirm } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { foundIn } from '../parts/searched-here.tsx';
import { SearchedList } from '../parts/searched-list.tsx';
import { Empty } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import {
  type Directory,
  type DirectoryType,
  type PlacedDirectory,
  placed,
  useDirectories,
} from './directories.ts';
import { DirectoryForm } from './directory-form.tsx';
import { LibraryPage } from './library-page.tsx';
import { directoryTypes } from './routes.ts';
import { useLibraryWords } from './words.ts';

const route = getRouteApi('/$site/library/directories');

/** What is open above the list. */
type Open =
  | { readonly form: 'edit'; readonly directory?: Directory }
  | { readonly form: 'delete'; readonly directory: Directory };

/** The directories of the site, by what they hold. */
export function DirectoriesScreen() {
  const texts = useLibraryWords().directories;
  const site = useSite();
  const queries = useQueryClient();
  const parts = usePartWords();
  const navigate = useNavigate();
  const search = route.useSearch();
  const dirType: DirectoryType = search.part ?? directoryTypes[0];
  const found = useDirectories(dirType);
  // A directory is found by its own name; its path says where it is.
  const data = found.data && foundIn(placed(found.data), search, ({ directory }) => directory.name);
  const go = (next: typeof search) =>
    void navigate({
      to: '/$site/library/directories',
      params: { site: site.name },
      search: next,
      replace: true,
    });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const mayEdit = site.may('editor');
  return (
    <LibraryPage
      part="directories"
      actions={
        mayEdit && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setOpen({ form: 'edit' })}
          >
            {texts.add}
          </Button>
        )
      }
    >
      <SearchedList
        query={{ data, error: found.error, isPending: found.isPending, refetch: found.refetch }}
        search={search}
        change={(change) => go({ ...search, ...change })}
        searchLabel={texts.search}
        label={parts.pages}
        filters={
          <Choice
            label={texts.which}
            options={directoryTypes.map((type) => [type, texts.types[type]] as const)}
            value={dirType}
            choose={(part) => go({ part })}
          />
        }
        table={(shown) => (
          <Tree tree={shown} isFound={search.search !== undefined} open={mayEdit ? setOpen : undefined} />
        )}
        empty={() =>
          search.search ? (
            <Empty title={parts.nothing(search.search)}>
              <Button onClick={() => go({ part: search.part })}>{parts.showAll}</Button>
            </Empty>
          ) : (
            <Empty title={texts.empty} text={texts.emptyText} />
          )
        }
      />
      {open?.form === 'edit' && <DirectoryForm dirType={dirType} directory={open.directory} close={close} />}
      {open?.form === 'delete' && (
        <Confirm
          title={texts.removeTitle(open.directory.name)}
          text={texts.removeText}
          action={texts.remove}
          close={close}
          confirm={async () => {
            const path = { idsite: site.name, idDirectory: open.directory.id };
            await dataOf(api.DELETE('/v1/{idsite}/directories/{idDirectory}', { params: { path } }));
            await queries.invalidateQueries({ queryKey: ['directories', site.name] });
            toast({ text: texts.removed(open.directory.name) });
          }}
        />
      )}
    </LibraryPage>
  );
}

function Tree({ tree, isFound, open }: TreeProps) {
  const texts = useLibraryWords().directories;
  const parts = usePartWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{texts.name}</th>
          {open && (
            <th className="acts">
              <span className="hidden">{parts.edit}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {tree.map(({ directory, depth, path }, at) => (
          <tr key={directory.id}>
            <td className="title tree-cell">
              <div className="tree-name" style={{ paddingInlineStart: isFound ? 0 : depth * 20 }}>
                <IconFolder size={18} stroke={1.75} className="text-3" aria-hidden />
                <div className="anywhere">
                  <bdi className="strong">{directory.name}</bdi>
                  {directory.isSystem && <span className="small text-3"> {texts.system}</span>}
                  {/* Its place in the tree is seen where no row above shows it. */}
                  {depth > 0 && (
                    <p className={isFound || at === 0 ? 'small text-3' : 'hidden'}>
                      <bdi>{path}</bdi>
                    </p>
                  )}
                </div>
              </div>
            </td>
            {open && (
              <td className="acts">
                {!directory.isSystem && (
                  <RowMenu name={path}>
                    <Menu.Item onClick={() => open({ form: 'edit', directory })}>{texts.rename}</Menu.Item>
                    <Menu.Item onClick={() => open({ form: 'delete', directory })}>{texts.remove}</Menu.Item>
                  </RowMenu>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
interface TreeProps {
  readonly tree: readonly PlacedDirectory[];
  /** Whether the rows are those that a search found. */
  readonly isFound: boolean;
  /** Undefined if they cannot be changed. */
  readonly open: ((open: Open) => void) | undefined;
}
