import type { Campaign } from '../campaigns/campaign.ts';
import { messageContent, senderAliasOf, subjectOf } from '../campaigns/campaign-content.ts';
import type { SentLink } from '../campaigns/message-digest.ts';
import type { Placement } from '../campaigns/placement.ts';
import type { Segment } from '../campaigns/segment.ts';
import { type SegmentHtml, segmentMessages } from '../campaigns/segment-messages.ts';
import { type Content, isEmptySource } from '../contents/assemble-content.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import type { TagField } from '../contents/tag.ts';
import { textOfHtml } from '../contents/text-of-html.ts';
import { compileMessage } from '../mail/compile-message.ts';
import { domainOf } from '../platform/email-address.ts';
import { allSentsOf, type FrozenJob, type FrozenSent, sourceOf } from './frozen-job.ts';
import type { Job } from './job.ts';

/** All that a job's messages are made of, read in the transaction that freezes them. */
export interface MessageFacts {
  readonly site: string;
  readonly job: Pick<Job, 'id' | 'isTest'>;
  readonly campaign: Campaign;
  readonly configuration: SendingConfiguration;
  /** The segments that send, each with its sent. */
  readonly segments: readonly { readonly segment: Segment; readonly idSent: number }[];
  /** The sent of them that waits for the winner of an A/B test. */
  readonly idRemainder?: number | undefined;
  /** The advertisements of these segments. */
  readonly placings: readonly Placement[];
  /** Tracked ones. */
  readonly links: readonly SentLink[];
  readonly fields: readonly TagField[];
  /** Folded keys of the content data that there are. */
  readonly contentData?: ReadonlySet<string>;
  readonly publicUrl: string;
  readonly hasOneClick: boolean;
  /** Whether DATA.name is filled: in single sends. */
  readonly hasData?: boolean;
  /** Random part of the Message-IDs, of letters and digits. */
  readonly messageIdRandom: string;
  readonly at: Date;
}

/** Freezes the messages of a job. Pure; a test mailing carries the configuration's prefixes. */
export function freezeMessages(facts: MessageFacts): FrozenJob {
  const { campaign, configuration, job } = facts;
  const { parameters } = campaign;
  const senderDomain = domainOf(configuration.senderEMail);
  const { html, text } = withText(messageContent(campaign, configuration));
  const segments = facts.segments.map(({ segment }) => segment);
  const { htmls } = segmentMessages(campaign, configuration, segments, facts.placings);
  const bounceDomain = new URL(facts.publicUrl).hostname;
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
      links: facts.links.flatMap(({ url, id, placing }) => (placing === null ? [{ url, id }] : [])),
      hasPixel: true,
      hasListUnsubscribe: parameters.useListUnsubscribeHeader,
      hasOneClick: facts.hasOneClick,
      ...(facts.hasData && { hasData: true }),
      listId: `${facts.site}.${senderDomain}`,
      feedbackId: `${campaign.id}:${job.id}:${facts.site}:facteur`,
      messageIdDomain: bounceDomain,
      messageIdRandom: facts.messageIdRandom,
      ...expiryOf(configuration, facts.at),
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
    // Anyone who tests a slow campaign waits for the message.
    sendingSpeed: job.isTest ? 0 : parameters.sendingSpeed,
    bounceDomain,
    publicUrl: facts.publicUrl,
  };
}

/**
 * A message of HTML only gets a text part made from it: some people read no HTML, and filters for unwanted mail count
 * its absence. Made here, once for a job; the checklist warns where it cannot be made.
 */
function withText(content: Content): Content {
  if (!isEmptySource(content.text) || isEmptySource(content.html)) return content;
  const made = textOfHtml(content.html);
  return 'text' in made ? { ...content, text: made.text } : content;
}

function sentsOf(facts: MessageFacts, htmls: readonly SegmentHtml[]): Pick<FrozenJob, 'sents' | 'remainder'> {
  const all = facts.segments.map((one) => ({
    ...sentOf(facts, one),
    ...contentOf(facts, one.segment, htmls),
  }));
  const remainder = all.find(({ conf }) => conf.idSent === facts.idRemainder);
  return { sents: all.filter((one) => one !== remainder), ...(remainder && { remainder }) };
}

function expiryOf({ deleteEmailsAfter }: SendingConfiguration, at: Date): { expires?: string } {
  if (deleteEmailsAfter === null) return {};
  return { expires: new Date(at.getTime() + deleteEmailsAfter * 86_400_000).toISOString() };
}

function sentOf(
  { site, job, campaign, configuration, at }: MessageFacts,
  { segment, idSent }: MessageFacts['segments'][number],
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
  };
}

/** What a segment's messages have of their own; a tag that nothing stands for is left to judgeMessages. */
function contentOf(
  { links }: MessageFacts,
  { id: idSegment }: Segment,
  htmls: readonly SegmentHtml[],
): Pick<FrozenSent, 'content'> {
  const own = htmls.find(({ segment }) => segment?.id === idSegment);
  if (!own) return {};
  const { html, spans, placings } = own;
  const ofPlacings = links.flatMap(({ url, id, placing }) =>
    placing !== null && placings.includes(placing) ? [{ url, id, placing }] : [],
  );
  return { content: { html, spans, placings, links: ofPlacings } };
}

/** What the messages of a job turn out to be, all sendings together. */
export interface JudgedMessages {
  /** Tags that cannot be filled in any of the sendings, by their messages; empty when all can be sent. */
  readonly problems: string[];
  /** Tracked links that are in any of them, each once. */
  readonly nbLinks: number;
}

/** Compiles the messages of all sendings, to see what they are. */
export function judgeMessages(frozen: FrozenJob): JudgedMessages {
  // What the remainder takes from a variant is looked at there.
  const all = { ...frozen, sents: allSentsOf(frozen) };
  const compiled = all.sents.map((sent) => compileMessage(sourceOf(all, sent.conf.idSent)));
  const links = compiled.flatMap((one) => one.links.flatMap(({ idLink }) => idLink ?? []));
  const problems = compiled.flatMap((one) => one.errors.map((error) => error.message));
  return { problems: [...new Set(problems)], nbLinks: new Set(links).size };
}
