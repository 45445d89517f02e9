import { Conflict, shownValue } from '../parts/conflict.tsx';
import { useWords, type Words } from '../words/words.tsx';
import type { ReadCampaign } from './campaign-query.ts';
import { type ContentPart, changedParts, contentOf } from './content.ts';
import type { Draft } from './use-draft.ts';

/** The stored version of a campaign beside the user's. */
export function CampaignConflict({
  draft,
  theirs,
}: {
  readonly draft: Draft;
  readonly theirs: ReadCampaign;
}) {
  const names = partNames(useWords().words);
  const saved = contentOf(theirs);
  return (
    <Conflict
      fields={changedParts(saved, draft.content).map((key) => ({
        key,
        name: names[key],
        theirs: shownValue(saved[key]),
        yours: shownValue(draft.content[key]),
      }))}
      keepYours={() => void draft.overwrite()}
      takeTheirs={draft.discard}
      of={{ idCampaign: theirs.id }}
    />
  );
}

/** What each part is called where it is edited. */
export const partNames = ({
  composer,
  campaignParts: { options, audience },
}: Words): Record<ContentPart, string> => ({
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
