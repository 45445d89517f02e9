import { listFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Campaign } from './campaign.ts';
import { unsafeTargetsOf } from './campaign-targets.ts';
import { type ConfigurationFacts, checklistOf, type Readiness } from './checklist.ts';
import { listSegments } from './segment-store.ts';

/** Is the campaign, as it stands now, ready to be sent? Asked by the checklist, by «send now» and by the generation. */
export async function readinessOf(db: SiteDb, campaign: Campaign): Promise<Readiness> {
  const { idConfiguration } = campaign.parameters;
  const unsafe = await unsafeTargetsOf(db, [campaign.id]);
  return checklistOf({
    campaign,
    configuration: idConfiguration === null ? undefined : await frameOf(db, idConfiguration),
    segments: await listSegments(db, campaign.id),
    notSafeTargetIds: unsafe.get(campaign.id) ?? [],
    fields: await listFields(db),
  });
}

async function frameOf(db: SiteDb, id: number): Promise<ConfigurationFacts | undefined> {
  return db.first<ConfigurationFacts & Record<string, string>>(sql`
    select header_html as "headerHtml", header_txt as "headerTxt", footer_html as "footerHtml",
      footer_txt as "footerTxt", unsub_html as "unsubHtml", unsub_txt as "unsubTxt", sender_alias as "senderAlias",
      recipient_alias as "recipientAlias", response_alias as "responseAlias"
    from ${db.t.sending_configuration}
    where id = ${id}`);
}
