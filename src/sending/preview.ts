import PostalMime from 'postal-mime';
import type { Campaign } from '../campaigns/campaign.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import { htmlLinks } from '../contents/html-links.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { rowSlotsOf } from '../contents/tag-tree.ts';
import { compileMessage } from '../mail/compile-message.ts';
import { type CompiledMessage, type MessageSource, tagOptionsOf } from '../mail/message-source.ts';
import { type LinkMaker, readerValues } from '../mail/reader-values.ts';
import type { Recipient, RecipientNeeds } from '../mail/recipient.ts';
import { needsOf, renderFor } from '../mail/render-for.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { Bool, Closed, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';
import { freezeJudged, judgeMessages, reachOf } from './freeze.ts';
import { sourceOf } from './frozen-job.ts';
import { findRecipient, findRecipientByEmail, firstRecipient, readRecipients } from './recipient-store.ts';

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

/** Whose message is shown: a subscriber by id or address, else the first one who may receive mail. */
export interface PreviewReader {
  readonly idSubscriber: number | null;
  readonly email: string | null;
}

/**
 * Makes the message that a segment's reader would get now. Nothing is sent or counted. Links lead where clicks would
 * lead; those of the pages of the service lead to the beginning of the installation, so that nobody is unsubscribed.
 * @throws 404 for an unknown segment or reader, 422 when the message cannot be made
 */
export async function previewMessage(
  app: App,
  db: SiteDb,
  of: {
    readonly campaign: Campaign;
    readonly position: number;
    readonly reader: PreviewReader;
    readonly at: Date;
  },
): Promise<MessagePreview> {
  const { campaign, position, reader, at } = of;
  const judged = await readinessOf(db, campaign, []);
  const segment = judged.segments.find((one) => one.position === position);
  if (!segment) throw notFound('Segment', 'segmentPosition');
  if (segment.parameters.isExcluded) throw refused(`Segment ${position} is excluded: it has no message`);
  const reach = await reachOf(app, db, judged, [segment]);
  // No sending has the id 0.
  const parts = { job: { id: 0, isTest: false }, judged, ...reach, at };
  const frozen = freezeJudged(app, db, parts, { segments: [{ segment, idSent: 0 }] });
  const { problems } = judgeMessages(frozen);
  if (problems.length > 0) throw refused(`The message cannot be made: ${problems.join('; ')}`);
  const source: MessageSource = { ...sourceOf(frozen, 0), hasPixel: false };
  const compiled = compileMessage(source);
  const links = new Map(source.links.map(({ id, url }) => [id, url]));
  const addresses = [...links.values()].map((url) =>
    compileTags(url, { kind: 'url', ...tagOptionsOf(source) }),
  );
  const needs = needsOf([compiled]);
  const rows = [...needs.rows, ...addresses.flatMap(({ nodes }) => rowSlotsOf(nodes))];
  const recipient = await readerOf(db, reader, { fields: source.fields, rows });
  const shown = await shownTo(compiled, recipient, links, app.publicUrl);
  const mayGet = (await readRecipients(db, [recipient.id], { fields: [], rows: [] })).has(recipient.id);
  const warning =
    'This subscriber would not get it: they are unsubscribed, or their address bounced or complained';
  return { ...shown, problems: [...judged.problems], warnings: mayGet ? [] : [warning] };
}

async function readerOf(
  db: SiteDb,
  { idSubscriber, email }: PreviewReader,
  needs: RecipientNeeds,
): Promise<Recipient> {
  const isNamed = email !== null || idSubscriber !== null;
  const found = await (email !== null
    ? findRecipientByEmail(db, email, needs)
    : idSubscriber !== null
      ? findRecipient(db, idSubscriber, needs)
      : firstRecipient(db, needs));
  if (found) return found;
  if (isNamed) throw notFound('Subscriber', email === null ? 'idSubscriber' : 'email');
  throw refused('idSubscriber: the site has no subscriber who may receive mail; name one');
}

async function shownTo(
  compiled: CompiledMessage,
  recipient: Recipient,
  links: ReadonlyMap<number, string>,
  publicUrl: string,
): Promise<Omit<MessagePreview, 'problems' | 'warnings'>> {
  const { source } = compiled;
  const tracked = new Set<string>();
  const linkFor: LinkMaker = (kind, idLink) => {
    const url = idLink === undefined ? undefined : links.get(idLink);
    if (url === undefined) return `${publicUrl}/#${kind}`;
    const { nodes } = compileTags(url, { kind: 'url', ...tagOptionsOf(source) });
    const values = readerValues(source, { idSubscriber: recipient.id }, recipient, linkFor);
    const filled = fillTags(nodes, values);
    tracked.add(filled);
    return filled;
  };
  const made = renderWith(compiled, recipient, linkFor);
  const mail = await PostalMime.parse(made);
  const html = mail.html ?? null;
  const addresses = new Set(html === null ? [] : htmlLinks(html).map(({ url }) => url));
  return {
    idSubscriber: recipient.id,
    email: recipient.email,
    subject: mail.subject ?? '',
    html,
    text: mail.text ?? null,
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    links: [...addresses].map((url) => ({ url, isTracked: tracked.has(url) })),
  };
}

function renderWith(compiled: CompiledMessage, recipient: Recipient, linkFor: LinkMaker): Buffer {
  try {
    return renderFor(compiled, recipient, linkFor).message;
  } catch (error) {
    throw refused(
      `idSubscriber: the message cannot be made for subscriber ${recipient.id} (${(error as Error).message})`,
    );
  }
}
