import { randomBytes } from 'node:crypto';
import { relaysOf } from '../accounts/route-store.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { MessageSources } from '../campaigns/campaign-blocks.ts';
import type { MessageParts } from '../campaigns/message-parts.ts';
import type { Placement } from '../campaigns/placement.ts';
import type { Segment } from '../campaigns/segment.ts';
import {
  messageContent,
  type SegmentHtml,
  type SentLink,
  segmentMessages,
  senderAliasOf,
  subjectOf,
} from '../campaigns/segment-messages.ts';
import { linksInContent } from '../campaigns/tracked-link.ts';
import { linksForMessages } from '../campaigns/tracked-link-store.ts';
import { type Content, isEmptySource } from '../contents/assemble-content.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import type { TagField } from '../contents/tag.ts';
import { textOfHtml } from '../contents/text-of-html.ts';
import { compileMessage } from '../mail/compile-message.ts';
import type { App } from '../platform/app.ts';
import { counted } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { domainOf } from '../platform/email-address.ts';
import { Refusal, refused } from '../platform/http/refusal.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { allSentsOf, type FrozenJob, type FrozenSent, sourceOf } from './frozen-job.ts';
import type { Job } from './job.ts';

/** Recipients in one range. 1,000 ids take 4 kB. */
const rangeSize = 1_000;

/** A sending of a job that is being generated. */
interface NewSent {
  readonly segment: Segment;
  readonly filterName: string;
  /** Null for the remainder of an A/B test: it starts when the winner is chosen. */
  readonly startedAt: Date | null;
}

/** Adds or renames the campaign's rows of `sending`, one for each segment. The campaign is locked. */
export async function keepSendings(
  tx: SiteDb,
  idCampaign: number,
  segments: readonly Segment[],
): Promise<void> {
  for (const { id, position, parameters } of segments) {
    await tx.run(sql`
      insert into ${tx.t.sending} (id_campaign, id_segment, position, name)
      values (${idCampaign}, ${id}, ${position}, ${parameters.name})
      on conflict (id_campaign, id_segment)
      do update set position = excluded.position, name = excluded.name`);
  }
}

/**
 * Adds the job's rows of `sent`, each to its row of `sending` (`keepSendings`).
 * @returns their ids in the given order
 */
export async function addSents(
  tx: SiteDb,
  job: { readonly id: number; readonly idCampaign: number },
  sents: readonly NewSent[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { segment, filterName, startedAt } of sents) {
    const { position, parameters } = segment;
    const id = await tx.value<number>(sql`
      insert into ${tx.t.sent}
        (id_job, id_sending, position, segment_name, id_target, filter_name, parameters, started_at)
      select ${job.id}::int, id, ${position}::int, ${parameters.name}, ${parameters.idTarget}::int, ${filterName},
        ${JSON.stringify(parameters)}::jsonb, ${startedAt}::timestamptz
      from ${tx.t.sending} where id_campaign = ${job.idCampaign} and id_segment = ${segment.id}
      returning id`);
    ids.push(id);
  }
  return ids;
}

/**
 * Freezes the audience in one statement: a query of (fld0, position) becomes ranges of one sending each, in order of
 * position and subscriber. Later changes of targets and subscribers do not change it.
 * @param idHeld a sending whose ranges are held back until they are released
 * @returns the number of messages of the job
 */
export async function freezeAudience(
  tx: SiteDb,
  idJob: number,
  audience: Sql,
  idHeld?: number,
): Promise<number> {
  await tx.run(sql`
    with audience as materialized (${counted(audience)}),
    ranked as (
      select fld0, position, (row_number() over (partition by position order by fld0) - 1) / ${rangeSize}::int as chunk
      from audience),
    chunks as (
      select position, chunk, array_agg(fld0 order by fld0) as subscribers
      from ranked
      group by position, chunk)
    insert into ${tx.t.recipient_range} (id_job, number, id_sent, subscribers, not_before)
    select ${idJob}, row_number() over (order by c.position, c.chunk), s.id, c.subscribers,
      case when s.id = ${idHeld ?? null}::int then 'infinity'::timestamptz end
    from chunks c join ${tx.t.sent} s on s.id_job = ${idJob} and s.position = c.position`);
  return tx.value<number>(sql`
    with counts as (
      select id_sent, sum(cardinality(subscribers))::int as n
      from ${tx.t.recipient_range} where id_job = ${idJob} group by id_sent),
    counted as (
      update ${tx.t.sent} s set nb_address_to_send = counts.n from counts where s.id = counts.id_sent)
    select coalesce(sum(n), 0)::int as total from counts`);
}

/** Everything that a job's messages are made of, read in the transaction that freezes them. */
interface MessageFacts {
  readonly site: string;
  readonly job: Pick<Job, 'id' | 'isTest'>;
  readonly campaign: Campaign;
  readonly configuration: SendingConfiguration;
  /** The segments that send, each with its `idSent`. */
  readonly segments: readonly { readonly segment: Segment; readonly idSent: number }[];
  /** The sending that waits for the winner of an A/B test. */
  readonly idRemainder?: number | undefined;
  readonly placements: readonly Placement[];
  readonly links: readonly SentLink[];
  readonly fields: readonly TagField[];
  /** Folded keys of the existing content data. */
  readonly contentData?: ReadonlySet<string>;
  readonly publicUrl: string;
  readonly hasOneClick: boolean;
  /** Whether the tags DATA.name are filled, as in single sends. */
  readonly hasData?: boolean;
  readonly messageIdRandom: string;
  readonly at: Date;
}

/** Freezes the messages of a job. Pure. A test mailing gets the configuration's prefixes. */
function freezeMessages(facts: MessageFacts): FrozenJob {
  const { campaign, configuration, job } = facts;
  const { parameters } = campaign;
  const senderDomain = domainOf(configuration.senderEMail);
  const { html, text } = withText(messageContent(campaign, configuration));
  const segments = facts.segments.map(({ segment }) => segment);
  const { htmls } = segmentMessages(campaign, configuration, segments, facts.placements);
  const bounceDomain = new URL(facts.publicUrl).hostname;
  const { deleteEmailsAfter: expiresAfter } = configuration;
  return {
    source: {
      from: {
        email: configuration.senderEMail,
        alias: parameters.senderAlias || configuration.senderAlias,
      },
      replyTo: configuration.responseEMail
        ? {
            email: configuration.responseEMail,
            alias: parameters.responseAlias || configuration.responseAlias,
          }
        : null,
      recipientAlias: configuration.recipientAlias,
      html,
      text,
      links: facts.links.flatMap(({ url, id, placement }) => (placement === null ? [{ url, id }] : [])),
      hasPixel: true,
      hasListUnsubscribe: parameters.useListUnsubscribeHeader,
      hasOneClick: facts.hasOneClick,
      ...(facts.hasData && { hasData: true }),
      listId: `${facts.site}.${senderDomain}`,
      feedbackId: `${campaign.id}:${job.id}:${facts.site}:facteur`,
      messageIdDomain: bounceDomain,
      messageIdRandom: facts.messageIdRandom,
      ...(expiresAfter !== null && {
        expires: new Date(facts.at.getTime() + expiresAfter * 86_400_000).toISOString(),
      }),
      ...(facts.contentData?.size && { contentData: [...facts.contentData] }),
      fields: facts.fields.map(({ id, fieldType, list }) => ({ id, fieldType, list: list ?? null })),
    },
    ...sentsOf(facts, htmls),
    configuration: { id: configuration.id, name: configuration.name },
    looks: {
      pageLanguage: configuration.pageLanguage,
      pageColor: configuration.pageColor,
      pageLogo: configuration.pageLogo,
    },
    // The tester of a slow campaign waits for the message.
    sendingSpeed: job.isTest ? 0 : parameters.sendingSpeed,
    bounceDomain,
    publicUrl: facts.publicUrl,
  };
}

/**
 * Adds a text part made from the HTML to a message of HTML only: some readers need it, and spam filters count its
 * absence. The checklist warns when it cannot be made.
 */
function withText(content: Content): Content {
  if (!isEmptySource(content.text) || isEmptySource(content.html)) return content;
  const made = textOfHtml(content.html);
  return 'text' in made ? { ...content, text: made.text } : content;
}

function sentsOf(facts: MessageFacts, htmls: readonly SegmentHtml[]): Pick<FrozenJob, 'sents' | 'remainder'> {
  const ownOf = ({ id }: Segment) => htmls.find(({ segment }) => segment?.id === id);
  const all = facts.segments.map((one) => sentOf(facts, one, ownOf(one.segment)));
  const remainder = all.find(({ conf }) => conf.idSent === facts.idRemainder);
  return { sents: all.filter((one) => one !== remainder), ...(remainder && { remainder }) };
}

/** @param own the segment's HTML, if it is not the shared one; tags without a value are left to `judgeMessages` */
function sentOf(
  { site, job, campaign, configuration, at, links }: MessageFacts,
  { segment, idSent }: MessageFacts['segments'][number],
  own: SegmentHtml | undefined,
): FrozenSent {
  const subject = subjectOf(campaign, segment.parameters);
  const alias = senderAliasOf(campaign, segment.parameters, configuration);
  return {
    subject: job.isTest ? configuration.objectPrefixBAT + subject : subject,
    senderAlias: job.isTest ? configuration.senderAliasPrefixBAT + alias : alias,
    conf: {
      idSite: site,
      idCampaign: campaign.id,
      campaignName: campaign.parameters.name,
      idJob: job.id,
      idSegment: segment.id,
      segmentName: segment.parameters.name,
      idSent,
      date: at.toISOString(),
    },
    ...(own && {
      content: {
        html: own.html,
        spans: own.spans,
        placements: own.placements,
        links: links.flatMap(({ url, id, placement }) =>
          placement !== null && own.placements.includes(placement) ? [{ url, id, placement }] : [],
        ),
      },
    }),
  };
}

/**
 * Compiles the messages of all sendings of a job. `problems` are about the tags that cannot be filled; `nbLinks` is the
 * number of different tracked links.
 */
export function judgeMessages(frozen: FrozenJob) {
  // The part that the remainder takes from a variant is judged there.
  const all = { ...frozen, sents: allSentsOf(frozen) };
  const compiled = all.sents.map((sent) => compileMessage(sourceOf(all, sent.conf.idSent)));
  const links = compiled.flatMap((one) => one.links.flatMap(({ idLink }) => idLink ?? []));
  const problems = compiled.flatMap((one) => one.errors.map((error) => error.message));
  return { problems: [...new Set(problems)], nbLinks: new Set(links).size };
}

/** The links of messages back to the installation. */
export interface MessageReach {
  readonly links: readonly SentLink[];
  readonly hasOneClick: boolean;
}

/** Reads the links that the messages of these segments need. */
export async function reachOf(
  app: App,
  tx: SiteDb,
  { asSent, configuration, placements }: MessageSources,
  sending: readonly Segment[],
): Promise<MessageReach> {
  const found = linksInContent(asSent, configuration, sending, placements);
  const links = await linksForMessages(tx, asSent.id, found);
  const { hasOneClick } = await readerAddressOf(app, tx.site.id);
  return { links, hasOneClick };
}

/** A judged campaign, and what the messages of one job add to it. */
interface JudgedJob extends MessageReach, Pick<MessageFacts, 'job' | 'at'> {
  readonly judged: MessageParts & Pick<MessageFacts, 'fields'>;
}

/** Freezes the messages of a judged campaign. Nothing is re-read: it may have changed since. */
export function freezeJudged(
  app: App,
  { site }: SiteDb,
  { judged, ...parts }: JudgedJob,
  of: Pick<MessageFacts, 'segments' | 'idRemainder'> & Partial<MessageFacts>,
): FrozenJob {
  const { asSent, configuration, placements, fields, contentData } = judged;
  if (!configuration) throw new Refusal(422, 'refused', 'no sending configuration');
  const ids = new Set(of.segments.map(({ segment }) => segment.id));
  return freezeMessages({
    ...parts,
    site: site.name,
    campaign: asSent,
    configuration,
    placements: placements.filter(({ idSegment }) => ids.has(idSegment)),
    fields,
    contentData,
    hasData: asSent.parameters.mode === 'Dynamic',
    publicUrl: app.publicUrl,
    messageIdRandom: randomBytes(8).toString('hex'),
    ...of,
  });
}

/** The frozen messages of one segment in its current state. @throws 422 if they cannot be built */
export function freezeSegment(
  app: App,
  db: SiteDb,
  judged: JudgedJob,
  segment: Segment,
  idSent: number,
): FrozenJob {
  const frozen = freezeJudged(app, db, judged, { segments: [{ segment, idSent }] });
  checkBuildable(judgeMessages(frozen).problems);
  return frozen;
}

/** @throws 422 that lists the problems, if any */
export function checkBuildable(problems: readonly string[]): void {
  if (problems.length > 0) throw refused(`The message cannot be made: ${problems.join('; ')}`);
}

/** The capabilities of the public address for a site's current relays. */
async function readerAddressOf(app: App, idSite: number) {
  const relays = await relaysOf(app, idSite);
  return readerAddress(
    app.publicUrl,
    relays.map(({ host }) => host),
  );
}

/**
 * Capabilities of the installation's public address.
 * @param relays hosts of the site's relays; empty if mail stays in the built-in mailbox
 */
export function readerAddress(publicUrl: string, relays: readonly string[]) {
  const { protocol, hostname } = new URL(publicUrl);
  const isHere = isLoopbackHost(hostname);
  return {
    /** Whether mail programs may unsubscribe by one click: RFC 8058 requires HTTPS, except in a local trial. */
    hasOneClick: protocol === 'https:' || isHere || relays.length === 0,
    /** Whether real readers get messages whose links they cannot reach. */
    isDead: isHere && relays.some((host) => !isLoopbackHost(host)),
  };
}

/** @throws 422 if readers could not reach the links of the messages */
export async function checkReachable(app: App, idSite: number): Promise<void> {
  if (!(await readerAddressOf(app, idSite)).isDead) return;
  throw refused(
    `Readers could not reach the links and the unsubscribe page at ${app.publicUrl}: set FACTEUR_PUBLIC_URL to ` +
      'the public address of this installation',
  );
}
