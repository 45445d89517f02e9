import { Button } from '@mantine/core';
import { useWords, type Words } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { type Content, changedParts, contentOf } from './content.ts';
import type { Draft } from './use-draft.ts';

/** Another person's version beside the user's, field by field, and a choice of one. */
export function Conflict({ draft, theirs }: { readonly draft: Draft; readonly theirs: Campaign }) {
  const { words } = useWords();
  const { composer } = words;
  const saved = contentOf(theirs);
  return (
    <div className="note red" role="alert">
      <div className="grow stack tight">
        <p>{composer.changedElsewhere(theirs.authorName)}</p>
        {changedParts(saved, draft.content).map((name) => (
          <div key={name} className="conflict-field">
            <p className="h3">{partNames(words)[name]}</p>
            <Version title={composer.theirs} text={shown(saved[name])} />
            <Version title={composer.yours} text={shown(draft.content[name])} />
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

/** What each part is called where it is edited. */
const partNames = ({
  composer,
  campaignParts: { options, audience },
}: Words): Record<keyof Content, string> => ({
  name: composer.name,
  subject: composer.subject,
  preheader: composer.preheader,
  html: composer.html,
  text: composer.text,
  hasText: composer.ownText,
  idConfiguration: options.configuration,
  senderAlias: options.senderAlias,
  responseAlias: options.responseAlias,
  idDirectory: options.directory,
  idTemplate: options.template,
  idThematic: options.thematic,
  type: options.type,
  sendingSpeed: options.speed,
  isOneshot: options.oneShot,
  useListUnsubscribeHeader: options.oneClick,
  notifyHighDelivrability: options.notify,
  idCommonAdvertiser: options.advertiser,
  idCommonAffiliatePlatform: options.affiliation,
  mode: audience.test,
  abTestType: audience.testOf,
  nbTests: audience.variants,
});

const shown = (value: Content[keyof Content]): string => {
  if (value === null) return '–';
  return typeof value === 'boolean' ? (value ? '✓' : '–') : String(value);
};

const Version = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure>
    <figcaption className="label">{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
    <pre className="mono" tabIndex={0}>
      {text}
    </pre>
  </figure>
);
