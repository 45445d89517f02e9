import { storeOver } from '../api/versions.ts';
import { shownValue } from '../parts/conflict.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { LongTextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useConflict } from '../parts/use-conflict.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { createBlock, type FoundBlock, keyOfBlock, readBlock, storeBlock, tagOfBlock } from './block.ts';
import { KeyField, KeySheet } from './key-parts.tsx';
import { useChanged } from './record-list.tsx';
import { useLibraryWords } from './words.ts';

interface OfBlock {
  readonly block: FoundBlock;
  readonly close: () => void;
}

/** A block with its tag, to read and to copy. */
export function BlockSheet({ block: { key, value }, close }: OfBlock) {
  const texts = useLibraryWords().blocks;
  return (
    <KeySheet part="blocks" of={key} title={texts.change(key)} tag={tagOfBlock(key)} close={close}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className="block-value shown-value" tabIndex={0}>
        {value}
      </pre>
    </KeySheet>
  );
}

/** Changes the text of a block. */
export function BlockForm({ block, close }: OfBlock) {
  const texts = useLibraryWords().blocks;
  const site = useSite();
  const changed = useChanged('blocks');
  const kept = useFormDraft('block', block.key);
  const [value, setValue] = kept.field('value', block.value ?? '');
  const began = kept.began('value');
  const { base, meet, show, draft } = useConflict(
    kept,
    // What was restored began from the block of then.
    began === undefined || began === block.value ? block : { ...block, value: String(began), etag: '' },
    (theirs) => setValue(theirs.value ?? ''),
    { contentKey: block.key },
  );
  const save = async () => {
    const { current } = base;
    const outcome = await storeOver<FoundBlock, unknown>({
      known: current.etag === '' ? undefined : { value: current, etag: current.etag },
      read: async () => {
        const now = await readBlock(site.name, block.key);
        return { value: now, etag: now.etag };
      },
      isSame: (now) => now.value === current.value || now.value === value,
      write: ({ etag }) => storeBlock(site.name, block.key, value, etag),
    });
    if (outcome && 'theirs' in outcome) {
      meet(outcome.theirs.value);
      // Both versions are shown above.
      return '';
    }
    await changed(texts.saved(block.key));
    return undefined;
  };
  return (
    <FormDrawer draft={draft} title={texts.change(block.key)} close={close} save={save}>
      {show((theirs) => [
        { key: 'value', name: texts.value, theirs: shownValue(theirs.value), yours: shownValue(value) },
      ])}
      <Secret secret={tagOfBlock(block.key)} what={texts.tag} />
      <p className="text-2">{texts.changeText}</p>
      <ValueField value={value} change={setValue} hasFocus />
    </FormDrawer>
  );
}

/** Creates a block, but never over one that exists. */
export function NewBlock({ close }: Pick<OfBlock, 'close'>) {
  const texts = useLibraryWords().blocks;
  const site = useSite();
  const changed = useChanged('blocks');
  const draft = useFormDraft('new-block');
  const [typed, setTyped] = draft.field('contentKey', '');
  const [value, setValue] = draft.field('value', '');
  const key = keyOfBlock(typed);
  const save = async () => {
    if (key === '') return { contentKey: texts.noKey };
    if (!(await createBlock(site.name, key, value))) {
      const found = await readBlock(site.name, key);
      // The same text was stored by an attempt whose reply was lost.
      if (found.value !== value) return { contentKey: texts.taken(found.key) };
    }
    await changed(texts.saved(key));
    return undefined;
  };
  return (
    <FormDrawer draft={draft} title={texts.add} close={close} save={save}>
      <KeyField property="contentKey" texts={texts} maxLength={110} value={typed} change={setTyped} />
      <p className="text-2">{texts.changeText}</p>
      <ValueField value={value} change={setValue} />
    </FormDrawer>
  );
}

interface ValueFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
  /** Whether the form begins there. */
  readonly hasFocus?: boolean;
}

function ValueField({ value, change, hasFocus }: ValueFieldProps) {
  const texts = useLibraryWords().blocks;
  return (
    <LongTextField
      property="contentValue"
      data-autofocus={hasFocus || undefined}
      label={texts.value}
      rows={16}
      spellCheck={false}
      classNames={{ input: 'block-value' }}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
