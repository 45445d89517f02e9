import { randomBytes } from 'node:crypto';
import type { MessageSources } from '../campaigns/campaign-blocks.ts';
import type { SentLink } from '../campaigns/message-digest.ts';
import type { Judged } from '../campaigns/readiness.ts';
import type { Segment } from '../campaigns/segment.ts';
import { linksInContent } from '../campaigns/tracked-link.ts';
import { linksForMessages } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { freezeMessages, type MessageFacts } from './freeze-messages.ts';
import type { FrozenJob } from './frozen-job.ts';
import { readerAddressOf } from './reader-address.ts';

/** Links and buttons of messages that lead back to the installation. */
export interface MessageReach {
  /** Tracked links. */
  readonly links: readonly SentLink[];
  readonly hasOneClick: boolean;
}

/** Reads what leads back from the messages of these segments, with what was judged. */
export async function reachOf(
  app: App,
  tx: SiteDb,
  { asSent, configuration, placings }: MessageSources,
  sending: readonly Segment[],
): Promise<MessageReach> {
  const standing = linksInContent(asSent, configuration, sending, placings);
  const links = await linksForMessages(tx, asSent.id, standing);
  const { hasOneClick } = await readerAddressOf(app, tx.site.id);
  return { links, hasOneClick };
}

/** The messages of what was judged; none of it is read again: it may have been changed since. */
export function freezeJudged(
  app: App,
  { site }: SiteDb,
  {
    job,
    judged,
    links,
    hasOneClick,
    at,
  }: MessageReach & Pick<MessageFacts, 'job' | 'at'> & { readonly judged: Judged },
  of: Pick<MessageFacts, 'segments' | 'idRemainder'>,
): FrozenJob {
  const { asSent, configuration, placings, fields, contentData } = judged;
  if (!configuration) throw new Refusal(422, 'refused', 'no sending configuration');
  const ids = new Set(of.segments.map(({ segment }) => segment.id));
  return freezeMessages({
    ...of,
    job,
    at,
    site: site.name,
    campaign: asSent,
    configuration,
    placings: placings.filter(({ idSegment }) => ids.has(idSegment)),
    links,
    fields,
    contentData,
    hasData: asSent.parameters.mode === 'Dynamic',
    publicUrl: app.publicUrl,
    hasOneClick,
    messageIdRandom: randomBytes(8).toString('hex'),
  });
}
