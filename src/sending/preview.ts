import PostalMime from 'postal-mime';
import type { Campaign } from '../campaigns/campaign.ts';
import { getCampaign } from '../campaigns/campaign-store.ts';
import { checkSendable, readinessOf } from '../campaigns/readiness.ts';
import { excludedProblem } from '../campaigns/segment.ts';
import { isEmptySource } from '../contents/assemble-content.ts';
import { htmlLinks } from '../contents/html-links.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { rowSlotsOf } from '../contents/tag-tree.ts';
import { compileMessage } from '../mail/compile-message.ts';
import { type CompiledMessage, type MessageSource, tagOptionsOf } from '../mail/message-source.ts';
import { type LinkMaker, needsOf, readerValues, renderFor } from '../mail/reader-values.ts';
import type { Recipient } from '../mail/recipient.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, found, invalid, notFound, refused } from '../platform/http/refusal.ts';
import { Bool, Closed, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';
import { freezeSegment, judgeMessages, reachOf } from './freeze.ts';
import { type FrozenContent, type FrozenJob, sourceOf } from './frozen-job.ts';
import { findJob, replaceFrozen } from './job-store.ts';
import { getReader, type Reader, readRecipients } from './recipient-store.ts';
import { frozenJobOf, hasBegun, jobOfSent } from './sent-store.ts';

const PreviewHeader = Closed('PreviewHeader', {
  name: Type.String({ description: 'As it is written in the message' }),
  value: Type.String({ description: 'Decoded, on one line' }),
});

const PreviewLink = Closed('PreviewLink', {
  url: Type.String({ description: 'Where a click leads the reader' }),
  isTracked: Bool('Whether clicks on it are counted'),
});

/** A message as one reader would get it. */
export const MessagePreview = Closed('MessagePreview', {
  idSubscriber: Int32('The reader'),
  email: Type.String({ description: 'The address of the reader' }),
  subject: Type.String(),
  preheader: Type.String({ description: 'With its tags filled; empty without an HTML part' }),
  html: Nullable(Type.String({ description: 'The HTML part; null without one' })),
  text: Nullable(Type.String({ description: 'The text part; null without one' })),
  headers: Type.Array(PreviewHeader, { description: 'All header lines, in order' }),
  links: Type.Array(PreviewLink, { description: 'The links of the HTML part, each address once' }),
  problems: Type.Array(Type.String(), {
    description: 'What keeps the campaign from being sent, as in the checklist',
  }),
  warnings: Type.Array(Type.String(), { description: 'Why this reader would not get the message' }),
});
export type MessagePreview = Static<typeof MessagePreview>;

/**
 * Builds the message that a segment's reader would get now. Nothing is sent or counted. Links lead to their real
 * addresses; links to pages of the service lead to the home page, so that a click unsubscribes no one.
 * @throws 404 for an unknown segment or reader, 422 when the message cannot be built
 */
export async function previewMessage(
  app: App,
  db: SiteDb,
  of: {
    readonly campaign: Campaign;
    readonly position: number;
    readonly reader: Reader;
    readonly at: Date;
  },
): Promise<MessagePreview> {
  const { campaign, position, reader, at } = of;
  checkSendable(campaign);
  const judged = await readinessOf(db, campaign, []);
  const segment = judged.segments.find((one) => one.position === position);
  if (!segment) throw notFound('Segment', 'segmentPosition');
  if (segment.parameters.isExcluded) throw refused(excludedProblem(position));
  const reach = await reachOf(app, db, judged, [segment]);
  // No sending has the id 0.
  const parts = { job: { id: 0, isTest: false }, judged, ...reach, at };
  const frozen = freezeSegment(app, db, parts, segment, 0);
  const source: MessageSource = { ...sourceOf(frozen, 0), hasPixel: false };
  const compiled = compileMessage(source);
  const links = new Map(source.links.map(({ id, url }) => [id, url]));
  const addresses = [...links.values()].map((url) =>
    compileTags(url, { kind: 'url', ...tagOptionsOf(source) }),
  );
  const needs = needsOf([compiled]);
  const rows = [...needs.rows, ...addresses.flatMap(({ nodes }) => rowSlotsOf(nodes))];
  const recipient = await getReader(db, reader, { fields: source.fields, rows });
  const { preheader } = judged.asSent;
  const shown = await shownTo({ compiled, preheader, recipient, links, publicUrl: app.publicUrl });
  const mayGet = (await readRecipients(db, [recipient.id], { fields: [], rows: [] })).has(recipient.id);
  const warning =
    'This subscriber would not get it: they are unsubscribed, or their address bounced or complained';
  return { ...shown, problems: [...judged.problems], warnings: mayGet ? [] : [warning] };
}

interface Shown {
  readonly compiled: CompiledMessage;
  /** Not yet filled; the HTML of the message has it too. */
  readonly preheader: string;
  readonly recipient: Recipient;
  readonly links: ReadonlyMap<number, string>;
  readonly publicUrl: string;
}

async function shownTo({
  compiled,
  preheader,
  recipient,
  links,
  publicUrl,
}: Shown): Promise<Omit<MessagePreview, 'problems' | 'warnings'>> {
  const { source } = compiled;
  const filledAs = (kind: 'url' | 'header', text: string): string => {
    const { nodes } = compileTags(text, { kind, ...tagOptionsOf(source) });
    return fillTags(nodes, readerValues(source, { idSubscriber: recipient.id }, recipient, linkFor));
  };
  const tracked = new Set<string>();
  const linkFor: LinkMaker = (kind, idLink) => {
    const url = idLink === undefined ? undefined : links.get(idLink);
    if (url === undefined) return `${publicUrl}/#${kind}`;
    const filled = filledAs('url', url);
    tracked.add(filled);
    return filled;
  };
  let made: Buffer;
  try {
    made = renderFor(compiled, recipient, linkFor).message;
  } catch (error) {
    throw refused(
      `idSubscriber: the message cannot be made for subscriber ${recipient.id} (${(error as Error).message})`,
    );
  }
  const mail = await PostalMime.parse(made);
  const html = mail.html ?? null;
  const addresses = new Set(html === null ? [] : htmlLinks(html).map(({ url }) => url));
  return {
    idSubscriber: recipient.id,
    email: recipient.email,
    subject: mail.subject ?? '',
    // Only then its fields are read.
    preheader: html === null ? '' : filledAs('header', preheader),
    html,
    text: mail.text ?? null,
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    links: [...addresses].map((url) => ({ url, isTracked: tracked.has(url) })),
  };
}

/** The message of a sending in a job. If both ids are 0, the campaign's current message. */
interface PregenerationRequest {
  readonly idCampaign: number;
  readonly idSent: number;
  readonly idJob: number;
}

/**
 * Returns the HTML of a sending with unfilled tags: header, footer, content blocks and advertisements in place, tracked
 * links with their own address.
 * @throws 404 for a campaign, job or sending that is unknown or belongs to another one; 409 for a job without messages;
 *   422 if no message can be built
 */
export async function pregeneratedHtml(
  app: App,
  db: SiteDb,
  { idCampaign, idSent, idJob }: PregenerationRequest,
  at: Date,
): Promise<string> {
  const campaign = await getCampaign(db, idCampaign);
  if (idSent === 0 && idJob === 0) {
    checkSendable(campaign);
    const now = await frozenNow(app, db, campaign, { idJob: 0, idSent: 0, at });
    return sourceOf(now.frozen, 0).html;
  }
  const sent = await jobOfSent(db, idSent);
  if (sent?.idCampaign !== idCampaign) throw notFound('Sent', 'idSent');
  if (idJob !== 0 && sent.idJob !== idJob) throw notFound('Job', 'idJob');
  const frozen = await frozenJobOf(db, idSent);
  if (!frozen?.sents.some(({ conf }) => conf.idSent === idSent))
    throw conflict(
      'The sending has no messages yet: they are made when its job is generated or its test is decided',
    );
  return sourceOf(frozen, idSent).html;
}

/** The current messages of one segment of a campaign. Default: the first segment that sends. */
async function frozenNow(
  app: App,
  db: SiteDb,
  campaign: Campaign,
  of: Omit<PregenerationRequest, 'idCampaign'> & { readonly idSegment?: number; readonly at: Date },
): Promise<{ frozen: FrozenJob; hasNoUnsub: boolean }> {
  const judged = await readinessOf(db, campaign, []);
  const segment = judged.segments.find(({ id, parameters }) =>
    of.idSegment === undefined ? !parameters.isExcluded : id === of.idSegment,
  );
  if (!segment)
    throw refused('The segment of this sending no longer exists; set the HTML of the campaign instead');
  const reach = await reachOf(app, db, judged, [segment]);
  const parts = { job: { id: of.idJob, isTest: false }, judged, ...reach, at: of.at };
  const frozen = freezeSegment(app, db, parts, segment, of.idSent);
  return { frozen, hasNoUnsub: !judged.checklist.hasUnsub };
}

/**
 * Replaces the HTML of a sending. The job must be paused before the first message of the sending, so that all its
 * readers get the same.
 * @returns the stored HTML, with header, footer, content blocks and advertisements
 * @throws 400 for an empty HTML; 404; 409 unless the job is paused before the first message of the sending; 422 if the
 *   message cannot be built or has no unsubscribe link
 */
export async function pregenerateForSending(
  app: App,
  db: SiteDb,
  idSent: number,
  html: string,
  at: Date,
): Promise<string> {
  if (isEmptySource(html)) throw invalid('body: give the HTML of the message');
  return db.transaction(async (tx) => {
    const sent = found(await jobOfSent(tx, idSent), 'Sent');
    const frozen = await checkPaused(tx, sent.idJob, idSent);
    const campaign = await getCampaign(tx, sent.idCampaign);
    const own = { idJob: sent.idJob, idSegment: sent.idSegment, idSent, at };
    const made = await frozenNow(app, tx, { ...campaign, htmlContent: html }, own);
    if (made.hasNoUnsub) throw refused('body: the message has no [[LINK.UNSUB]] that a reader can click');
    const content = contentOf(made.frozen, idSent, campaign);
    const after = {
      ...frozen,
      sents: frozen.sents.map((one) => (one.conf.idSent === idSent ? { ...one, content } : one)),
    };
    await replaceFrozen(tx, sent.idJob, after, judgeMessages(after).nbLinks);
    return content.html;
  });
}

/** The sending's own content from now on. A text that was made from the HTML is rebuilt. */
function contentOf(frozen: FrozenJob, idSent: number, campaign: Campaign): FrozenContent {
  const { html, text, spans = [], links } = sourceOf(frozen, idSent);
  const placements = frozen.sents[0]?.content?.placements ?? [];
  const hasOwnText = campaign.parameters.hasTextMessage && !isEmptySource(campaign.textContent);
  return { html, spans, placements, links, ...(!hasOwnText && { text }) };
}

async function checkPaused(tx: SiteDb, idJob: number, idSent: number): Promise<FrozenJob> {
  // Workers lock these rows to commit, and see there that the job is paused.
  const begun = await hasBegun(tx, idJob, idSent);
  const job = await findJob(tx, idJob);
  if (job?.state !== 'Paused')
    throw conflict(
      `The job is ${job?.state}; pause the campaign before the sending begins to replace its HTML`,
    );
  if (begun)
    throw conflict('Messages of the sending have already left, so its HTML can no longer be replaced');
  const frozen = await frozenJobOf(tx, idSent);
  if (!frozen?.sents.some(({ conf }) => conf.idSent === idSent))
    throw conflict('The sending has no messages yet: its A/B test is not decided');
  return frozen;
}
