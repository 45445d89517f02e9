import { type BlocksByKey, placeBlocks } from '../contents/place-blocks.ts';
import type { Piece, Unreplaced } from '../contents/placer.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import type { Campaign } from './campaign.ts';
import type { Placement } from './placement.ts';
import type { Segment } from './segment.ts';

export interface MessageSources {
  /** The campaign, filled from its template. */
  readonly asSent: Campaign;
  readonly configuration: SendingConfiguration | undefined;
  readonly segments: readonly Segment[];
  readonly placements: readonly Placement[];
}

/** A source before its content blocks were placed, and the origin of its pieces. */
interface Origin {
  readonly source: string;
  /** The id is the key of the block, '' for the source itself. */
  readonly pieces: readonly Piece<string>[];
}

/** The content blocks of sources, and the problems of inserting them. */
export interface BlockPlaces {
  /** Blocks that cannot be placed. */
  readonly problems: readonly Unreplaced[];
  /** Sources without their blocks, keyed by the source with them. Sources without blocks are missing. */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly blocks: BlocksByKey;
}

/** All sources that may name content blocks. */
export const sourcesOf = ({ asSent, configuration, segments, placements }: MessageSources): string[] => [
  ...[asSent.htmlContent, asSent.textContent, asSent.preheader],
  ...[asSent.parameters.subject, asSent.parameters.senderAlias, asSent.parameters.responseAlias],
  ...(configuration ? [...frameMembers, ...lineMembers].map((name) => configuration[name]) : []),
  ...segments.flatMap(({ parameters }) => [parameters.mailObject ?? '', parameters.senderAlias ?? '']),
  ...placements.map(({ html }) => html),
];

const frameMembers = ['headerHtml', 'headerTxt', 'footerHtml', 'footerTxt', 'unsubHtml', 'unsubTxt'] as const;
const lineMembers = [
  ...(['senderAlias', 'responseAlias', 'recipientAlias', 'objectPrefixBAT', 'senderAliasPrefixBAT'] as const),
];

/** The sources with their content blocks, as everything that compiles, tracks, judges or freezes them sees them. */
export function withBlocks(
  { asSent, configuration, segments, placements }: MessageSources,
  blocks: BlocksByKey,
): { readonly sources: MessageSources; readonly places: BlockPlaces } {
  const problems = new Map<string, Unreplaced>();
  const origins = new Map<string, Origin>();
  const place = (source: string, isLine = false): string => {
    const placed = placeBlocks(source, blocks, isLine);
    for (const problem of placed.problems) problems.set(problem.text, problem);
    if (placed.placed.length > 0) origins.set(placed.text, { source, pieces: placed.pieces });
    return placed.text;
  };
  const line = (source: string) => place(source, true);
  const orNull = (source: string | null) => (source === null ? null : line(source));
  const { parameters } = asSent;
  const sources: MessageSources = {
    asSent: {
      ...asSent,
      htmlContent: place(asSent.htmlContent),
      textContent: place(asSent.textContent),
      preheader: line(asSent.preheader),
      parameters: {
        ...parameters,
        subject: line(parameters.subject),
        senderAlias: line(parameters.senderAlias),
        responseAlias: line(parameters.responseAlias),
      },
    },
    configuration: configuration && {
      ...configuration,
      ...Object.fromEntries(frameMembers.map((name) => [name, place(configuration[name])])),
      ...Object.fromEntries(lineMembers.map((name) => [name, line(configuration[name])])),
    },
    segments: segments.map((segment) => ({
      ...segment,
      parameters: {
        ...segment.parameters,
        mailObject: orNull(segment.parameters.mailObject),
        senderAlias: orNull(segment.parameters.senderAlias),
      },
    })),
    placements: placements.map((placement) => ({ ...placement, html: place(placement.html) })),
  };
  return { sources, places: { problems: [...problems.values()], origins, blocks } };
}

/** The user's own text at a position of a source: the key of its content block ('' for none), and where in it. */
export function writtenAt(
  { origins, blocks }: BlockPlaces,
  source: string,
  position: number,
): { readonly block: string; readonly text: string; readonly at: number } {
  const origin = origins.get(source);
  const piece = origin?.pieces.findLast(({ start }) => start <= position);
  if (!origin || !piece) return { block: '', text: source, at: position };
  const text = piece.id === '' ? origin.source : (blocks.get(piece.id.toLowerCase())?.value ?? '');
  return { block: piece.id, text, at: position - piece.start + piece.from };
}
