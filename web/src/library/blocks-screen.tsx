import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { ifMatch, storeOver, versionedOf } from '../api/versions.ts';
import { shownValue } from '../parts/conflict.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { LongTextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useConflict } from '../parts/use-conflict.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { ContentData } from './content-data.tsx';
import { LibraryPage } from './library-page.tsx';
import { useLibraryWords } from './words.ts';

/** A block as it was found; its text is undefined if there is none of that key yet. */
interface FoundBlock {
  readonly key: string;
  readonly value: string | undefined;
  /** The version of the block; empty if there is none. */
  readonly etag: string;
}

/** Reads a block; one without a text if there is none of that key. */
async function readBlock(idsite: string, contentKey: string): Promise<FoundBlock> {
  try {
    const { value, etag } = await versionedOf(
      api.GET('/v1/{idsite}/content-blocks', { params: { path: { idsite }, query: { contentKey } } }),
    );
    return { key: value.contentKey, value: value.contentValue, etag };
  } catch (failure) {
    if (isNotFound(failure)) return { key: contentKey, value: undefined, etag: '' };
    throw failure;
  }
}

/** Texts that messages share: blocks by key, and data by key and the value of a field. */
export function BlocksScreen() {
  const texts = useLibraryWords().blocks;
  const site = useSite();
  const [found, setFound] = useState<FoundBlock>();
  const mayEdit = site.may('editor');
  return (
    <LibraryPage part="blocks">
      <div className="halves">
        <section className="card" aria-labelledby="blocks">
          <h2 className="card-head" id="blocks">
            {texts.title}
          </h2>
          <div className="card-body form">
            <p className="small text-2">{texts.about}</p>
            <FindBlock found={setFound} />
            {found && <Found block={found} mayEdit={mayEdit} change={setFound} />}
          </div>
        </section>
        {mayEdit && <ContentData />}
      </div>
    </LibraryPage>
  );
}

/** Opens a block by its key: the service does not list them. */
function FindBlock({ found }: { readonly found: (block: FoundBlock) => void }) {
  const texts = useLibraryWords().blocks;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [key, setKey] = useState('');
  const [error, setError] = useState('');
  const find = async (event: FormEvent) => {
    event.preventDefault();
    // A whole tag is as good as its key.
    const contentKey = key.trim().replace(/^\[\[BLOC\.(.*)\]\]$/i, '$1');
    if (contentKey === '') return setError(texts.noKey);
    try {
      const block = await queries.fetchQuery({
        queryKey: ['content-block', site.name, contentKey],
        staleTime: 0,
        queryFn: () => readBlock(site.name, contentKey),
      });
      setError('');
      found(block);
    } catch (failure) {
      setError(refusal(failure));
    }
  };
  return (
    <form className="row" style={{ alignItems: 'end' }} onSubmit={(event) => void find(event)} noValidate>
      <TextInput
        style={{ flex: 1, minWidth: 160 }}
        label={texts.key}
        placeholder="footer"
        spellCheck={false}
        maxLength={110}
        value={key}
        error={error || undefined}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <Button type="submit">{texts.open}</Button>
    </form>
  );
}

function Found({ block, mayEdit, change }: FoundProps) {
  const texts = useLibraryWords().blocks;
  const [isEditing, setEditing] = useState(false);
  const tag = `[[BLOC.${block.key}]]`;
  return (
    <div className="stack tight" role="status">
      {block.value === undefined ? (
        <p className="anywhere">{texts.unknown(block.key)}</p>
      ) : (
        <>
          <Secret secret={tag} what={texts.tag} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre className="block-value shown-value" tabIndex={0}>
            {block.value}
          </pre>
        </>
      )}
      {mayEdit && (
        <div>
          <Button onClick={() => setEditing(true)}>
            {block.value === undefined ? texts.create : texts.edit}
          </Button>
        </div>
      )}
      {isEditing && <BlockForm block={block} change={change} close={() => setEditing(false)} />}
    </div>
  );
}
interface FoundProps {
  readonly block: FoundBlock;
  readonly mayEdit: boolean;
  readonly change: (block: FoundBlock) => void;
}

function BlockForm({ block, change, close }: Omit<FoundProps, 'mayEdit'> & { readonly close: () => void }) {
  const texts = useLibraryWords().blocks;
  const site = useSite();
  const draft = useFormDraft('block', block.key);
  const [value, setValue] = draft.field('value', block.value ?? '');
  const began = draft.began('value');
  const { base, meet, show } = useConflict(
    // What was restored began from the block of then.
    began === undefined || block.value === undefined ? block : { ...block, value: String(began), etag: '' },
    (theirs) => setValue(theirs.value ?? ''),
  );
  const save = async () => {
    const outcome = await storeOver<FoundBlock, FoundBlock>({
      // What does not exist yet has no version: it is looked for first.
      known: base.current.etag === '' ? undefined : { value: base.current, etag: base.current.etag },
      read: async () => {
        const now = await readBlock(site.name, block.key);
        return { value: now, etag: now.etag };
      },
      isSame: (stored) => stored.value === base.current.value || stored.value === value,
      write: async ({ etag }) => {
        const stored = await versionedOf(
          api.PUT('/v1/{idsite}/content-blocks', {
            params: { path: { idsite: site.name }, ...(etag !== '' && { header: ifMatch(etag) }) },
            body: { contentKey: block.key, contentValue: value },
          }),
        );
        return { key: stored.value.contentKey, value: stored.value.contentValue, etag: stored.etag };
      },
    });
    if (outcome && 'theirs' in outcome) {
      meet(outcome.theirs.value);
      // Both versions are shown above.
      return '';
    }
    if (outcome) change(outcome.stored);
    toast({ text: texts.saved(block.key) });
    return undefined;
  };
  return (
    <FormDrawer draft={draft} title={texts.change(block.key)} close={close} save={save}>
      {show((theirs) => [
        { key: 'value', name: texts.value, theirs: shownValue(theirs.value), yours: shownValue(value) },
      ])}
      <p className="text-2">{texts.changeText}</p>
      <LongTextField
        property="contentValue"
        data-autofocus
        label={texts.value}
        rows={16}
        spellCheck={false}
        classNames={{ input: 'block-value' }}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
