import { Checkbox } from '@mantine/core';
import { Fragment } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { useActiveShortcuts, useSingleKeys } from './keys.ts';
import { useOpened } from './use-opened.ts';

/** All keys that work on the screen, and a switch for single letters. */
export function KeysHelp({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const { words } = useWords();
  const shortcuts = useActiveShortcuts();
  const [isOn, setOn] = useSingleKeys();
  const isOpened = useOpened(isOpen);
  return (
    <Dialog isOpen={isOpened} close={close} title={words.shell.keys.title}>
      <dl className="stack" style={{ gap: 8, gridTemplateColumns: 'minmax(0, 1fr) auto' }}>
        {shortcuts.map(({ keys, label }) => (
          <Fragment key={keys}>
            <dt className="small">{label}</dt>
            <dd className="row">
              {keys.split(' ').map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && <span className="label text-3">{words.shell.keys.followedBy}</span>}
                  <kbd>{readable(key)}</kbd>
                </Fragment>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
      <Checkbox
        mt={20}
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
        label={words.shell.keys.single}
      />
    </Dialog>
  );
}

const readable = (key: string): string =>
  key
    .split('+')
    .map((part) => ({ mod: 'Ctrl', alt: 'Alt' })[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
