import { Button, Menu } from '@mantine/core';
import { IconFolder, IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import {
  type Directory,
  type DirectoryType,
  type PlacedDirectory,
  placed,
  useDirectories,
} from './directories.ts';
import { DirectoryForm } from './directory-form.tsx';
import { LibraryPage } from './library-page.tsx';
import { useLibraryWords } from './words.ts';

/** The types of directories that people sort into, the one of every type last. */
const types = [
  'Image',
  'Campaign',
  'Filter',
  'Pub',
  'Config',
  'Link',
] as const satisfies readonly DirectoryType[];

/** Rows that are shown at first; a site may have 10,000 directories. */
const shownAtFirst = 200;

/** What is open above the list. */
type Open =
  | { readonly form: 'edit'; readonly directory?: Directory }
  | { readonly form: 'delete'; readonly directory: Directory };

/** The directories of the site, by what they hold. */
export function DirectoriesScreen() {
  const texts = useLibraryWords().directories;
  const site = useSite();
  const queries = useQueryClient();
  const [dirType, setType] = useState<DirectoryType>('Image');
  const directories = useDirectories(dirType);
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
      <div className="stack tight">
        <div className="row">
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
          <div className="segments" role="group" aria-label={texts.which}>
            {types.map((type) => (
              <button key={type} type="button" aria-pressed={type === dirType} onClick={() => setType(type)}>
                {texts.types[type]}
              </button>
            ))}
          </div>
        </div>
        <section className="card flush">
          {directories.error && !directories.data && (
            <Failed error={directories.error} retry={() => void directories.refetch()} />
          )}
          {directories.isPending && <Loading />}
          {directories.data?.length === 0 && <Empty title={texts.empty} text={texts.emptyText} />}
          {directories.data && directories.data.length > 0 && (
            <Tree key={dirType} tree={placed(directories.data)} open={mayEdit ? setOpen : undefined} />
          )}
        </section>
      </div>
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

function Tree({ tree, open }: TreeProps) {
  const texts = useLibraryWords().directories;
  const parts = usePartWords();
  const { format } = useWords();
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <>
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
          {tree.slice(0, shown).map(({ directory, depth, path }) => (
            <tr key={directory.id}>
              <td className="title beside">
                <span className="tree-name" style={{ paddingInlineStart: depth * 20 }}>
                  <IconFolder size={18} stroke={1.75} className="text-3" aria-hidden />
                  <span className="anywhere">
                    <bdi className="strong">{directory.name}</bdi>
                    {depth > 0 && <span className="hidden">{path}</span>}
                    {directory.isSystem && <span className="small text-3"> {texts.system}</span>}
                  </span>
                </span>
              </td>
              {open && (
                <td className="acts">
                  {!directory.isSystem && (
                    <RowMenu name={path}>
                      <Menu.Item onClick={() => open({ form: 'edit', directory })}>{texts.rename}</Menu.Item>
                      <Menu.Item onClick={() => open({ form: 'delete', directory })}>
                        {texts.remove}
                      </Menu.Item>
                    </RowMenu>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {tree.length > shown && (
        <Button m={12} size="xs" onClick={() => setShown(shown + shownAtFirst * 5)}>
          {texts.more(format.count(tree.length - shown))}
        </Button>
      )}
    </>
  );
}
interface TreeProps {
  readonly tree: readonly PlacedDirectory[];
  /** Undefined if they cannot be changed. */
  readonly open: ((open: Open) => void) | undefined;
}
