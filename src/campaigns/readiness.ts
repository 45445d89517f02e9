import type { Field } from '../fields/field.ts';
import { listFields } from '../fields/field-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type TargetFault, targetFaults } from '../targets/target-faults.ts';
import type { Campaign } from './campaign.ts';
import { unsafeTargetsOf } from './campaign-targets.ts';
import { templateOf } from './campaign-template.ts';
import { checklistOf, type Readiness } from './checklist.ts';
import { type MessageParts, partsWith } from './message-parts.ts';
import { listSegments } from './segment-store.ts';
import { unsubscriptionUrls } from './tracked-link-store.ts';

/**
 * What was judged, so that whoever sends it sends that and nothing that was changed a moment later: the campaign as it
 * is sent, with what it takes from its template, and all that its messages are made of besides.
 */
export interface Judged extends Readiness, MessageParts {
  readonly fields: readonly Field[];
}

/**
 * What a sending would find wrong with the targets of a campaign's segments, excluded ones too. It may take seconds,
 * where files are looked for elsewhere: not for transactions that hold a campaign.
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
 * Is the campaign, as it stands now, ready to be sent? Asked by the checklist, by «send now» and by the generation.
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
  });
  return { ...readiness, ...parts, fields };
}
