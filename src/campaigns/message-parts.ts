import { blocksIn } from '../contents/content-block-store.ts';
import { contentDataKeys } from '../contents/content-data-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Campaign } from './campaign.ts';
import { type BlockPlaces, type MessageSources, sourcesOf, withBlocks } from './campaign-blocks.ts';
import { filledFrom } from './campaign-rules.ts';
import { configurationOf, findCampaign } from './campaign-store.ts';
import { placementsOf } from './placement-store.ts';
import { listSegments } from './segment-store.ts';

/** All parts of the messages of a campaign's segments, except their links. Content blocks are in place. */
export interface MessageParts extends MessageSources {
  readonly places: BlockPlaces;
  /** Folded keys of the existing content data. */
  readonly contentData: ReadonlySet<string>;
}

/** The template of a campaign (`idCampDynamic`), if it names one. */
export async function templateOf(db: SiteDb, campaign: Campaign): Promise<Campaign | undefined> {
  return campaign.idCampDynamic === null ? undefined : findCampaign(db, campaign.idCampDynamic);
}

/** Returns the parts of the campaign's messages in its current state, with all segments in order of position. */
export async function messagePartsOf(db: SiteDb, campaign: Campaign): Promise<MessageParts> {
  return placedIn(db, await sourcesWith(db, campaign, await templateOf(db, campaign)));
}

/** Reads the sources as they were written, before content blocks are placed. */
export async function sourcesWith(
  db: SiteDb,
  campaign: Campaign,
  template: Campaign | undefined,
): Promise<MessageSources> {
  const segments = await listSegments(db, campaign.id);
  return {
    asSent: filledFrom(campaign, template),
    configuration: await configurationOf(db, campaign),
    segments,
    placements: await placementsOf(db, segments),
  };
}

/** Places the content blocks in sources as they were written. */
export async function placedIn(db: SiteDb, written: MessageSources): Promise<MessageParts> {
  const { sources, places } = withBlocks(written, await blocksIn(db, sourcesOf(written)));
  return { ...sources, places, contentData: await contentDataKeys(db) };
}
