import { setDirectory } from '../contents/object-directory-store.ts';
import {
  type FetchedPictures,
  fetchPictures,
  type HostedPicture,
  storePictures,
} from '../pictures/host-pictures.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Caller } from '../platform/http/operation.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import {
  type Campaign,
  type CampaignInput,
  type CampaignValues,
  emptyCampaign,
  maxContent,
  mergeCampaign,
} from './campaign.ts';
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
 * Changes a campaign completely or not at all.
 * @param input computes the change from the current campaign; called again if the campaign changed in the meantime
 * @param isWhole whether omitted properties fall back to their defaults
 * @param also more work in the same transaction
 * @throws 404, 409 while its messages leave, 422 and 503 for its pictures and the records that it names, 400 for its
 *   rules
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
    // The result for an earlier HTML does not apply to this one.
    const isSame = values.autoHostPictures && values.htmlContent === before.htmlContent;
    if (hosted || !isSame) await setHostingResult(tx, id, hosted?.result ?? null);
    await setDirectory(tx, 'campaign', id, values.idDirectory);
    return also(tx);
  });
}

/**
 * Fetches the pictures of a campaign's HTML where the call requests it: it says autoHostPictures, or brings HTML to a
 * campaign that has it. Everything else about the call is checked before, and no connection to the database is held
 * while others' servers answer.
 * @returns undefined when the pictures are not to be hosted
 * @param values the campaign as it is to be
 * @param before as it is now
 * @throws 404 and 422 for what it names, 503
 */
export async function fetchCampaignPictures(
  { app, db, signal }: { readonly app: App; readonly db: SiteDb; readonly signal: AbortSignal },
  input: CampaignInput,
  values: CampaignValues,
  before: CampaignValues,
): Promise<FetchedPictures | undefined> {
  const isAsked = typeof input.htmlContent === 'string' || input.autoHostPictures === true;
  if (!values.autoHostPictures || !isAsked) return undefined;
  await checkReferences(db, values, before);
  return fetchPictures(app, values.htmlContent, { signal });
}

/** Stores fetched pictures; returns `values` with their addresses, and the result for each picture. @throws 422 */
export async function hostCampaignPictures(
  tx: SiteDb,
  fetched: FetchedPictures,
  values: CampaignValues,
  { app, caller, now }: { readonly app: App; readonly caller: Caller; readonly now: Date },
): Promise<{ values: CampaignValues; result: HostedPicture[] }> {
  const author = { id: caller.idUser, name: caller.userName };
  const hosting = { app, idDirectory: values.autoHostPicturesIdDirectory, author, at: now };
  const { html, result } = await storePictures(tx, fetched, hosting);
  if (html.length > maxContent)
    throw refused(
      `htmlContent: with the addresses of hosted pictures it has more than ${maxContent} characters`,
    );
  return { values: { ...values, htmlContent: html }, result };
}

/** 409: another caller changed the HTML in the meantime, and their change must not be lost. */
const htmlChanged = () =>
  conflict('htmlContent was changed while the pictures were fetched; read the campaign and try again');
