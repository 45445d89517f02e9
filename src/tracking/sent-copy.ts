import { LRUCache } from 'lru-cache';
import type { SignedIds } from '../activity/signed-ids.ts';
import { languageOf, type PageLanguage, type PageLooks, plainLooks } from '../contents/page-language.ts';
import { escapeHtml } from '../contents/tag-escape.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { rowSlotsOf, type TagNode } from '../contents/tag-tree.ts';
import { linkIdsOf } from '../mail/link-ids.ts';
import { isExpired, type MessageSource, tagOptionsOf } from '../mail/message-source.ts';
import { type LinkMaker, readerValues } from '../mail/reader-values.ts';
import type { Recipient } from '../mail/recipient.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { remembered } from '../platform/remembered.ts';
import { within } from '../platform/within.ts';
import { sourceOf } from '../sending/frozen-job.ts';
import { findRecipient } from '../sending/recipient-store.ts';
import { frozenJobOf } from '../sending/sent-store.ts';
import { shownParts } from '../sending/single-message-store.ts';
import { maskedEmail, type PageFrame } from './pages.ts';
import type { TrackedRequest } from './tracked-request.ts';

/** Maximum size of the contents in memory, in characters of their HTML and text. */
const maxCharacters = 20_000_000;
/** Time limit of the database, after which the reader is asked to try again. */
const timeoutMs = 10_000;

/** Time limit for the frame of a page, which is then shown plain. */
const frameTimeoutMs = 1_000;

/** The message exists, but has expired. */
export const expired = Symbol('expired');

/** The frozen messages of sendings, to be shown or to fill a link's tags, for one reader at a time. */
export class SentCopies {
  readonly #app: App;
  readonly #sents = new LRUCache<string, FrozenCopy>({
    maxSize: maxCharacters,
    sizeCalculation: ({ source: { html, text } }) => html.length + text.length + 1_000,
  });

  constructor(app: App) {
    this.#app = app;
  }

  /** The frozen message of a sending; undefined if it is no longer stored. */
  async find(db: SiteDb, idSent: number): Promise<FrozenCopy | undefined> {
    const key = `${db.site.id} ${idSent}`;
    const known = this.#sents.get(key);
    if (known) return known;
    const frozen = await frozenJobOf(db, idSent);
    // A frozen job contains all its sendings; a sending without one does not come from a generation.
    if (!frozen?.sents.some((sent) => sent.conf.idSent === idSent)) return undefined;
    const sent = { source: sourceOf(frozen, idSent), looks: frozen.looks ?? plainLooks };
    this.#sents.set(key, sent);
    return sent;
  }

  /** The source of the message with these ids; for a single send, with its own data and contents. */
  async #copyFor(db: SiteDb, { idSent, idSingle }: SignedIds): Promise<Copy | undefined> {
    const sent = await this.find(db, idSent);
    const source = sent?.source;
    if (!source || idSingle === undefined) return source && { source };
    const [own] = await shownParts(db, [idSingle]);
    if (!own) return { source, isForgotten: true };
    return { source: own.frozen ? sourceOf(own.frozen, idSent) : source, data: own.data };
  }

  /**
   * The message as its reader got it, as an HTML page without the pixel; undefined if it or the reader no longer
   * exists. Fields are filled with their current values: earlier values are not stored. For a forwarded message it is
   * filled without a reader, as that message was.
   * @throws FilledTooLarge when they make it larger than any message.
   */
  page(of: SignedIds, at: Date, linkFor: LinkMaker): Promise<string | typeof expired | undefined> {
    return this.#withCopy(of, async (db, copy) => {
      const { source, isForgotten } = copy;
      // The data and contents of a single send are stored for a limited time.
      if (isForgotten) return undefined;
      if (isExpired(source, at)) return expired;
      const nodes = pageNodesOf(source);
      const reader = await readerOf(db, of, copy, nodes);
      if (!reader && of.idForward === undefined) return undefined;
      return fillTags(nodes, readerValues(source, of, reader, linkFor));
    });
  }
  async #withCopy<T>(of: SignedIds, work: (db: SiteDb, copy: Copy) => Promise<T>): Promise<T | undefined> {
    const read = async () => {
      const db = await this.#app.siteById(of.idSite);
      const copy = db && (await this.#copyFor(db, of));
      return copy && work(db, copy);
    };
    return within('The database', timeoutMs, read());
  }

  /**
   * The frame of a message's pages: its sender, the masked address, its looks and its language. Without the database it
   * is plain, in the reader's language.
   */
  async frame({ token, request }: Pick<TrackedRequest, 'token' | 'request'>): Promise<PageFrame> {
    const language = languageOf(request.headers['accept-language']);
    try {
      return await within('The database', frameTimeoutMs, this.#frame(token, language));
    } catch (error) {
      this.#app.log.warn({ err: error, idSite: token.idSite }, 'page shown without its sender');
      return { language };
    }
  }

  async #frame(of: SignedIds, language: PageLanguage): Promise<PageFrame> {
    const db = await this.#app.siteById(of.idSite);
    const sent = db && (await this.find(db, of.idSent));
    if (!sent) return { language };
    const { source, looks } = sent;
    const { nodes } = compileTags(source.from.alias, { kind: 'header', ...tagOptionsOf(source) });
    const reader = await readerOf(db, of, { source }, nodes);
    const alias = fillTags(
      nodes,
      readerValues(source, of, reader, () => ''),
    );
    return {
      language: looks.pageLanguage || language,
      sender: alias.trim() || source.from.email,
      ...(reader && { email: maskedEmail(reader.email) }),
      color: looks.pageColor,
      logo: looks.pageLogo,
    };
  }

  /**
   * A stored address with its tags filled for a reader, and the pages of the service by `linkFor`; undefined if the
   * sending is no longer stored.
   * @throws FilledTooLarge
   */
  address(of: SignedIds, url: string, linkFor: LinkMaker): Promise<string | undefined> {
    return this.#withCopy(of, async (db, copy) => {
      const { source } = copy;
      const { nodes } = compileTags(url, { kind: 'url', ...tagOptionsOf(source) });
      const reader = await readerOf(db, of, copy, nodes);
      // A reader who was deleted still gets the address of the link, with tags filled as for empty fields.
      return fillTags(nodes, readerValues(source, of, reader, linkFor));
    });
  }
}

interface FrozenCopy {
  readonly source: MessageSource;
  readonly looks: PageLooks;
}

interface Copy {
  readonly source: MessageSource;
  /** The data of a single send, by name in lower case. */
  readonly data?: ReadonlyMap<string, string>;
  /** Whether the data and contents of a single send are no longer kept. */
  readonly isForgotten?: boolean;
}

/** The reader of a message; undefined for a forwarded message, because a friend must not see the forwarder's data. */
async function readerOf(
  db: SiteDb,
  { idSubscriber, idForward }: SignedIds,
  { source, data }: Copy,
  nodes: readonly TagNode[],
): Promise<Recipient | undefined> {
  if (idForward !== undefined) return undefined;
  const found = await findRecipient(db, idSubscriber, { fields: source.fields, rows: rowSlotsOf(nodes) });
  return found && { ...found, ...(data && { data }) };
}

/**
 * The nodes of a page, compiled once for each copy in memory: a megabyte of tags takes most of a second, and anyone
 * with a link may request its page repeatedly.
 */
const pageNodesOf = remembered((source: MessageSource): readonly TagNode[] => {
  const linkIds = linkIdsOf(source);
  const options = tagOptionsOf(source);
  return source.html.trim() === ''
    ? textPage(compileTags(source.text, { kind: 'text', ...options, linkOf: linkIds.inText() }).nodes)
    : compileTags(source.html, { kind: 'html', ...options, linkOf: linkIds.inHtml(), hasPixel: false }).nodes;
});

/** A text message as an HTML page. It is wrapped before it is filled, because escaping a filled text has no bound. */
function textPage(nodes: readonly TagNode[]): TagNode[] {
  return [
    { kind: 'literal', text: '<!doctype html><meta charset="utf-8"><pre style="white-space:pre-wrap">' },
    ...nodes.map(asHtml),
    { kind: 'literal', text: '</pre>' },
  ];
}

function asHtml(node: TagNode): TagNode {
  if (node.kind === 'literal') return { kind: 'literal', text: escapeHtml(node.text) };
  // The other escape of a text is that of addresses, which leaves nothing with a meaning in HTML.
  if (node.kind === 'slot') return node.escape === 'plain' ? { ...node, escape: 'html' } : node;
  return { ...node, whenTrue: node.whenTrue.map(asHtml), whenFalse: node.whenFalse.map(asHtml) };
}
