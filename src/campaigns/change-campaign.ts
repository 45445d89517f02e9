import { setDirectory } from '../contents/object-directory-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Caller } from '../platform/http/operation.ts';
import { type Campaign, type CampaignInput, emptyCampaign, mergeCampaign } from './campaign.ts';
import { fetchCampaignPictures, hostCampaignPictures, htmlChanged } from './campaign-pictures.ts';
import { checkReferences } from './campaign-references.ts';
import { checkCampaign } from './campaign-rules.ts';
import { getCampaign, lockCampaign, setHostingResult, updateCampaign } from './campaign-store.ts';
import { checkEditable } from './schedule-state.ts';

interface Changing {
  readonly app: App;
  readonly db: SiteDb;
  readonly caller: Caller;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/**
 * Changes a campaign, all of it or nothing.
 * @param input from the campaign as it is; read again when the campaign was changed in the meantime
 * @param isWhole what `input` omits falls back to its default
 * @param also more work in the same transaction
 * @throws 404, 409 while its messages leave, 422 and 503 for its pictures and what it names, 400 for its rules
 */
export async function changeCampaign<T>(
  of: Changing,
  id: number,
  { input, isWhole }: { readonly input: (before: Campaign) => CampaignInput; readonly isWhole: boolean },
  also: (tx: SiteDb) => Promise<T>,
): Promise<T> {
  const { db, now } = of;
  const changed = (before: Campaign) => {
    checkEditable(before.scheduleState);
    return checkCampaign(mergeCampaign(isWhole ? emptyCampaign : before, input(before)));
  };
  const seen = await getCampaign(db, id);
  const pictures = await fetchCampaignPictures(of, input(seen), changed(seen), seen);
  return db.transaction(async (tx) => {
    const before = await lockCampaign(tx, id);
    if (pictures && before.htmlContent !== seen.htmlContent) throw htmlChanged();
    const asked = changed(before);
    await checkReferences(tx, asked, before);
    const hosted = pictures && (await hostCampaignPictures(tx, pictures, asked, of));
    const values = hosted?.values ?? asked;
    await updateCampaign(tx, id, values, now);
    // What was said of other HTML says nothing of this.
    const isSame = values.autoHostPictures && values.htmlContent === before.htmlContent;
    if (hosted || !isSame) await setHostingResult(tx, id, hosted?.result ?? null);
    await setDirectory(tx, 'campaign', id, values.idDirectory);
    return also(tx);
  });
}
