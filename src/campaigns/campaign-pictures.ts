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
import { type CampaignInput, type CampaignValues, maxContent } from './campaign.ts';
import { checkReferences } from './campaign-references.ts';

/** The pictures of a campaign's HTML as they were fetched; undefined when they are not to be hosted. */
export type CampaignPictures = FetchedPictures | undefined;

/**
 * Fetches the pictures of a campaign's HTML where the call requests it: it says autoHostPictures, or brings HTML to a
 * campaign that has it. Everything else about the call is checked before, and no connection to the database is held
 * while others' servers answer.
 * @param values the campaign as it is to be
 * @param before as it is now
 * @throws 404 and 422 for what it names, 503
 */
export async function fetchCampaignPictures(
  { app, db, signal }: { readonly app: App; readonly db: SiteDb; readonly signal: AbortSignal },
  input: CampaignInput,
  values: CampaignValues,
  before: CampaignValues,
): Promise<CampaignPictures> {
  const isAsked = typeof input.htmlContent === 'string' || input.autoHostPictures === true;
  if (!values.autoHostPictures || !isAsked) return undefined;
  await checkReferences(db, values, before);
  return fetchPictures(app, values.htmlContent, { signal });
}

/**
 * Stores fetched pictures and gives the campaign with their addresses, and what became of each.
 * @param values the campaign as it is to be; its HTML is that whose pictures were fetched
 * @throws 422
 */
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

/** 409: another caller changed the HTML meanwhile, and what they wrote is not to be lost. */
export const htmlChanged = () =>
  conflict('htmlContent was changed while the pictures were fetched; read the campaign and try again');
