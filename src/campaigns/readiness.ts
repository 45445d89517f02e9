import type { Field } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { refused } from '../platform/http/refusal.ts';
import { type TargetFault, targetFaults } from '../targets/target-faults.ts';
import type { Campaign } from './campaign.ts';
import type { MessageSources } from './campaign-blocks.ts';
import { faultOfMode } from './campaign-rules.ts';
import { unsafeTargetsOf } from './campaign-store.ts';
import { type ChecklistFacts, checklistOf, type Readiness } from './checklist.ts';
import { type MessageParts, placedIn, sourcesWith, templateOf } from './message-parts.ts';
import type { Segment } from './segment.ts';
import { listSegments } from './segment-store.ts';
import { unsubscriptionUrls } from './tracked-link-store.ts';

/** A judged campaign with the values of its template and all parts of its messages: the caller sends exactly these. */
export interface Judged extends Readiness, MessageParts {
  readonly fields: readonly Field[];
}

/** The faults of all segments' targets. It may take seconds, as hosts are asked: call it outside of locks. */
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

/** Judges whether the campaign can be sent. @param faults from `segmentTargetFaults`; empty if evaluated next */
export async function readinessOf(
  db: SiteDb,
  campaign: Campaign,
  faults: readonly TargetFault[],
): Promise<Judged> {
  const unsafe = await unsafeTargetsOf(db, [campaign.id]);
  const template = await templateOf(db, campaign);
  const parts = await placedIn(db, await sourcesWith(db, campaign, template));
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

/** The segment of single messages: `sending.id_segment` 0, which no segment of a campaign has. */
const singleSegment = (idCampaign: number): Segment => ({
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

/** Sources of a campaign's single messages; of its segments only the first one's advertisements count. */
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

/** The facts of single messages with other sources. */
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
  /** The sources before content blocks were placed. */
  readonly written: MessageSources;
  readonly configuration: MessageParts['configuration'];
  readonly segments: MessageParts['segments'];
  readonly placements: MessageParts['placements'];
  readonly fields: readonly Field[];
}

/** @throws 422 for a campaign of a mode that is not sent to segments */
export function checkSendable(campaign: Campaign): void {
  const fault = faultOfMode(campaign);
  if (fault !== undefined) throw refused(fault);
}

/** @throws 422 with all that prevents sending; 503 if it cannot be checked now: a repository is unavailable */
export function checkReady({ problems, away }: Readiness): void {
  if (problems.length > 0 && problems.length === away.length) throw away[0]!.refusal;
  if (problems.length > 0) throw refused(`The campaign is not ready: ${problems.join('; ')}`);
}

/** @throws 422 that names everything that keeps even a test mailing from being sent */
export function checkTestable({ testProblems }: Pick<Readiness, 'testProblems'>): void {
  if (testProblems.length > 0) throw refused(`The test mailing is not ready: ${testProblems.join('; ')}`);
}
