import { Button, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Secret } from '../parts/dialogs.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { ContentData } from './content-data.tsx';
import { LibraryPage } from './library-page.tsx';
import { useLibraryWords } from './words.ts';

/** A block as it was found; its text is undefined if there is none of that key yet. */
interface FoundBlock {
  readonly key: string;
  readonly value: string | undefined;
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
        queryFn: () =>
          dataOf(
            api.GET('/v1/{idsite}/content-blocks', {
              params: { path: { idsite: site.name }, query: { contentKey } },
            }),
          ),
      });
      setError('');
      found({ key: block.contentKey, value: block.contentValue });
    } catch (failure) {
      if (!isNotFound(failure)) return setError(refusal(failure));
      setError('');
      found({ key: contentKey, value: undefined });
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
  const [value, setValue] = useState(block.value ?? '');
  const save = async () => {
    const stored = await dataOf(
      api.PUT('/v1/{idsite}/content-blocks', {
        params: { path: { idsite: site.name } },
        body: { contentKey: block.key, contentValue: value },
      }),
    );
    change({ key: stored.contentKey, value: stored.contentValue });
    toast({ text: texts.saved(stored.contentKey) });
    return undefined;
  };
  return (
    <FormDrawer title={texts.change(block.key)} close={close} save={save}>
      <p className="text-2">{texts.changeText}</p>
      <Textarea
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
