import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { SideSheet } from '../parts/dialog.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { TextField } from '../parts/fields.tsx';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useSite } from '../session/session.tsx';
import { useChanged } from './record-list.tsx';
import { UsesDialog } from './uses-dialog.tsx';
import { useLibraryWords } from './words.ts';

interface KeySheetProps {
  readonly part: KeyPart;
  /** The key of the block or of the data. */
  readonly of: string;
  readonly title: string;
  /** The tag that shows it, to copy. */
  readonly tag: string;
  /** Before the tag. */
  readonly before?: ReactNode;
  /** After the tag. */
  readonly children?: ReactNode;
  readonly close: () => void;
}

/** A drawer about what a tag names, and the way to delete it. */
export function KeySheet({ part, of, title, tag, before, children, close }: KeySheetProps) {
  const words = useLibraryWords();
  const site = useSite();
  const [isDeleting, setDeleting] = useState(false);
  useFocusReturn();
  if (isDeleting) return <KeyDeletion part={part} of={of} close={close} />;
  return (
    <SideSheet close={close} title={<bdi>{title}</bdi>}>
      <div className="form">
        {before}
        <Secret secret={tag} what={words[part].tag} />
        {children}
        {site.may('editor') && (
          <div className="sheet-acts">
            <Button color="red" onClick={() => setDeleting(true)}>
              {words.uses.remove}
            </Button>
          </div>
        )}
      </div>
    </SideSheet>
  );
}

/** The parts of the library whose records tags name by a key. */
type KeyPart = 'blocks' | 'data';

const calls = {
  blocks: {
    uses: (idsite: string, contentKey: string) =>
      api.GET('/v1/{idsite}/content-blocks/uses', { params: { path: { idsite }, query: { contentKey } } }),
    remove: (idsite: string, contentKey: string, force: boolean) =>
      api.DELETE('/v1/{idsite}/content-blocks', {
        params: { path: { idsite }, query: { contentKey, force } },
      }),
  },
  data: {
    uses: (idsite: string, key: string) =>
      api.GET('/v1/{idsite}/content-data/uses', { params: { path: { idsite }, query: { key } } }),
    remove: (idsite: string, key: string, force: boolean) =>
      api.DELETE('/v1/{idsite}/content-data', { params: { path: { idsite }, query: { key, force } } }),
  },
};

function KeyDeletion({ part, of, close }: Pick<KeySheetProps, 'part' | 'of' | 'close'>) {
  const texts = useLibraryWords()[part];
  const site = useSite();
  const changed = useChanged(part);
  const uses = useQuery({
    queryKey: [part, site.name, of, 'uses'],
    staleTime: 0,
    queryFn: () => dataOf(calls[part].uses(site.name, of)),
  });
  const remove = async (force: boolean) => {
    await dataOf(calls[part].remove(site.name, of, force));
    await changed(texts.deleted(of));
  };
  return <UsesDialog title={texts.deleteTitle(of)} uses={uses} texts={texts} remove={remove} close={close} />;
}

interface KeyFieldProps {
  /** Its name in the body of the call. */
  readonly property: string;
  readonly texts: { readonly key: string; readonly keyText: string };
  readonly maxLength: number;
  readonly value: string;
  readonly change: (key: string) => void;
}

/** The key of a new block, or of new data. */
export function KeyField({ property, texts, maxLength, value, change }: KeyFieldProps) {
  return (
    <TextField
      property={property}
      data-autofocus
      label={texts.key}
      description={texts.keyText}
      spellCheck={false}
      maxLength={maxLength}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
