import { Button } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { type Content, contentOf } from './content.ts';
import type { Draft } from './use-draft.ts';

const compared = ['name', 'subject', 'preheader', 'html'] as const satisfies readonly (keyof Content)[];

/** Another person's version beside the user's, field by field, and a choice of one. */
export function Conflict({ draft, theirs }: { readonly draft: Draft; readonly theirs: Campaign }) {
  const { words } = useWords();
  const { composer } = words;
  const saved = contentOf(theirs);
  return (
    <div className="note red" role="alert">
      <div className="grow stack tight">
        <p>{composer.changedElsewhere(theirs.authorName)}</p>
        {compared
          .filter((name) => saved[name] !== draft.content[name])
          .map((name) => (
            <div key={name} className="conflict-field">
              <p className="h3">{composer[name]}</p>
              <Version title={composer.theirs} text={saved[name]} />
              <Version title={composer.yours} text={draft.content[name]} />
            </div>
          ))}
        <div className="row">
          <Button onClick={() => void draft.overwrite()}>{composer.keepYours}</Button>
          <Button onClick={draft.discard}>{composer.takeTheirs}</Button>
        </div>
      </div>
    </div>
  );
}

const Version = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure>
    <figcaption className="label">{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
    <pre className="mono" tabIndex={0}>
      {text}
    </pre>
  </figure>
);
