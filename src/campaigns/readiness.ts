import type { Field } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type TargetFault, targetFaults } from '../targets/target-faults.ts';
import type { Campaign } from './campaign.ts';
import type { MessageSources } from './campaign-blocks.ts';
import { unsafeTargetsOf } from './campaign-targets.ts';
import { templateOf } from './campaign-template.ts';
import { type ChecklistFacts, checklistOf, type Readiness } from './checklist.ts';
import { type MessageParts, partsWith, placedIn, sourcesWith } from './message-parts.ts';
import type { Segment } from './segment.ts';
import { listSegments } from './segment-store.ts';
import { unsubscriptionUrls } from './tracked-link-store.ts';

/**
 * The judged state of a campaign, so that the caller sends exactly that: the campaign with the values of its
 * template, and all parts of its messages.
 */
export interface Judged extends Readiness, MessageParts {
  readonly fields: readonly Field[];
}

/**
 * Returns the faults that a sending would find in the targets of a campaign's segments, excluded ones too. It may
 * take seconds, because files may be looked up on other hosts; do not call it in a transaction that locks a campaign.
 */
export async function segmentTargetFaults(
  app: App,
  db: SiteDb,
  idCampaign: number,
  at: Date,
): Promise<TargetFault[]> {
  const segments = await listSegments(db, idCampaign);
  return targetFaults(
    app,
    db,
    segments.map(({ parameters }) => parameters.idTarget),
    at,
  );
}

/**
 * Is the campaign, as it stands now, ready to be sent? Asked by the checklist, by “send now” and by the generation.
 * @param faults as `segmentTargetFaults` tells them; none where the targets are used next, or not at all.
 */
export async function readinessOf(
  db: SiteDb,
  campaign: Campaign,
  faults: readonly TargetFault[],
): Promise<Judged> {
  const unsafe = await unsafeTargetsOf(db, [campaign.id]);
  const template = await templateOf(db, campaign);
  const parts = await partsWith(db, campaign, template);
  const fields = await listFields(db);
  const readiness = checklistOf({
    ...parts,
    fields,
    campaign: parts.asSent,
    template,
    notSafeTargetIds: unsafe.get(campaign.id) ?? [],
    targetFaults: faults,
    unsubscriptionUrls: await unsubscriptionUrls(db, campaign.id),
    hasData: campaign.parameters.mode === 'Dynamic',
  });
  return { ...readiness, ...parts, fields };
}

/** The segment that stands for single messages: `sending.id_segment` 0, which no segment of a campaign has. */
export const singleSegment = (idCampaign: number): Segment => ({
  id: 0,
  idCampaign,
  position: 0,
  parameters: {
    name: 'Single messages',
    idTarget: 0,
    isExcluded: false,
    isRandom: false,
    percent: 100,
    mailObject: null,
    senderAlias: null,
    fixedValues: 0,
  },
  lastCount: null,
});

/**
 * Reads what the single messages of a campaign are made of. Its segments do not count, except for the advertisements:
 * those of the first segment that sends are placed.
 */
export async function singleFactsOf(db: SiteDb, campaign: Campaign): Promise<SingleFacts> {
  const template = await templateOf(db, campaign);
  const { segments, placements, ...given } = await sourcesWith(db, campaign, template);
  const first = segments.find(({ parameters }) => !parameters.isExcluded);
  const own = placements.filter(({ idSegment }) => idSegment === first?.id);
  const written = {
    ...given,
    segments: [singleSegment(campaign.id)],
    placements: own.map((placement) => ({ ...placement, idSegment: 0 })),
  };
  const parts = await placedIn(db, written);
  return {
    ...parts,
    written,
    campaign: parts.asSent,
    template,
    fields: await listFields(db),
    unsubscriptionUrls: await unsubscriptionUrls(db, campaign.id),
    notSafeTargetIds: [],
    targetFaults: [],
    hasData: true,
  };
}

/** The same, made of other sources. */
export async function singleFactsWith(
  db: SiteDb,
  facts: SingleFacts,
  written: MessageSources,
): Promise<SingleFacts> {
  const parts = await placedIn(db, written);
  return { ...facts, ...parts, written, campaign: parts.asSent };
}

/** The facts from which single messages of a campaign are built and judged (`checklistOf`). */
export interface SingleFacts extends ChecklistFacts, MessageParts {
  /** Before content blocks were placed. */
  readonly written: MessageSources;
  readonly configuration: MessageParts['configuration'];
  readonly segments: MessageParts['segments'];
  readonly placements: MessageParts['placements'];
  readonly fields: readonly Field[];
}
