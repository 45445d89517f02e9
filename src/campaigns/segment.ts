import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Count,
  Id,
  Int32,
  inOrder,
  Line,
  Maybe,
  Nullable,
  type Static,
  Type,
} from '../platform/http/schema.ts';
import { visibleName } from '../platform/http/visible-name.ts';

/** Maximum number of advertisements of a segment. */
export const maxPlacements = 20;
/** Maximum number of segments of a campaign: each is a step of the query that freezes the audience. */
export const maxSegments = 50;

export const SegmentInput = Closed('SegmentInput', {
  name: Line(255, 'For its users; [[CONF.6]] in contents'),
  idTarget: Id('target', 'The target whose subscribers it takes'),
  isExcluded: Maybe(Bool('Its subscribers get nothing, whatever other segments hold them')),
  isRandom: Maybe(Bool('Whether percent selects at random; otherwise it selects the lowest subscriber ids')),
  percent: Type.Integer({
    minimum: 0,
    maximum: 100,
    examples: [100],
    description: 'Share of the target that is used; 100 for all',
  }),
  mailObject: Maybe(Line(500, "A subject of its own; without one the campaign's")),
  senderAlias: Maybe(
    Line(
      255,
      "A name of its own beside the sender's address; without one the campaign's or the configuration's",
    ),
  ),
  fixedValues: Type.Integer({
    minimum: 0,
    maximum: 2147483647,
    description: 'Maximum number of subscribers; 0 means no limit',
  }),
});
export type SegmentInput = Static<typeof SegmentInput>;

/** A segment that is created at its place, with what it is to show. */
export const NewSegment = Closed('NewSegment', {
  ...SegmentInput.properties,
  position: Maybe(
    Type.Integer({
      minimum: 1,
      maximum: maxSegments,
      description: 'Counted from 1; the segments from there on move back. Default: after all others',
    }),
  ),
  advertisements: Maybe(
    Type.Array(
      Closed('NewSegmentAdvertisement', {
        position: Type.Integer({
          minimum: 1,
          maximum: 999_999,
          description: 'The n of the tag [[ENCART.n]]',
        }),
        idAdvertisement: Id('advertisement'),
      }),
      { maxItems: maxPlacements, description: 'Its advertisements; each position at most once' },
    ),
  ),
});

export const SegmentParameters = Closed('SegmentParameters', {
  name: Type.String(),
  idTarget: Int32(),
  isExcluded: Bool(),
  isRandom: Bool(),
  percent: Int32(),
  mailObject: Nullable(Type.String()),
  senderAlias: Nullable(Type.String()),
  fixedValues: Int32(),
});
export type SegmentParameters = Static<typeof SegmentParameters>;

/** The row of a segment. Positions of a campaign run from 1 without gaps. */
export interface Segment {
  readonly id: number;
  readonly idCampaign: number;
  readonly position: number;
  readonly parameters: SegmentParameters;
  /** Subscribers at the last count or sending; null before. */
  readonly lastCount: number | null;
  /** The latest spam scores of its message; absent before the first, and in a frozen segment. */
  readonly scores?: SegmentScores;
}

export interface SegmentScores {
  /** SpamAssassin's score; null means none. */
  readonly spamScore: number | null;
  /** Rspamd's score, the second opinion; null means none. */
  readonly vrSpamScore: number | null;
  /** Digest of the message that was scored (`messageDigests`). */
  readonly message: string;
}

/** The advertisement at [[ENCART.<position>]] in the messages of a segment. */
export const SegmentAdvertisement = Closed('SegmentAdvertisement', {
  position: Int32(),
  idAdvertisement: Int32(),
  name: Type.String(),
  html: Type.String(),
});
export type SegmentAdvertisement = Static<typeof SegmentAdvertisement>;

export const SegmentReply = Closed('Segment', {
  id: Int32(),
  position: Int32(),
  parameters: SegmentParameters,
  advertisements: Type.Array(SegmentAdvertisement),
  lastCount: Nullable(Count()),
  lastSpamScore: Nullable(Type.Number({ description: 'Given by SpamAssassin. Null: none was computed' })),
  lastVRSpamScore: Nullable(Type.Number({ description: 'Given by Rspamd. Null: none was computed' })),
  isSpamScoreValid: Bool('Whether `lastSpamScore` is that of the message as it is now'),
  isSafe: Bool(),
});

/** The reason why an excluded segment has no message. */
export const excludedProblem = (position: number) => `Segment ${position} is excluded: it has no message`;

export const SegmentCount = Closed('SegmentCount', {
  idSegment: Int32(),
  position: Int32(),
  percent: Int32(),
  fixedValues: Int32(),
  targetCount: Count('Subscribers of its target'),
  deDuplicatedCount: Count(
    'Eligible subscribers of the target that no earlier segment takes and no excluded segment removes',
  ),
  segmentCount: Count('The recipients: what remains after percent and fixedValues'),
});
export type SegmentCount = Static<typeof SegmentCount>;

/**
 * Fills omitted parameters; subject and sender name are then the campaign's.
 * @param path what precedes the names of its properties in errors
 * @throws 400 for a blank name
 */
export function segmentParameters(input: SegmentInput, path = ''): SegmentParameters {
  const name = visibleName(input.name, `${path}name`);
  if (input.percent === 0)
    throw invalid(`${path}percent: must be from 1 to 100; 0 would select no subscriber`);
  return {
    name,
    idTarget: input.idTarget,
    isExcluded: input.isExcluded ?? false,
    isRandom: input.isRandom ?? false,
    percent: input.percent,
    mailObject: input.mailObject?.trim() || null,
    senderAlias: input.senderAlias?.trim() || null,
    fixedValues: input.fixedValues,
  };
}

/** The segment as the API shows it. @param facts those that are not in its row */
export function showSegment(
  segment: Segment,
  facts: Pick<Static<typeof SegmentReply>, 'isSafe' | 'isSpamScoreValid'> & {
    readonly advertisements: readonly SegmentAdvertisement[];
  },
): Static<typeof SegmentReply> {
  return inOrder(SegmentReply, {
    ...segment,
    ...facts,
    advertisements: [...facts.advertisements],
    lastSpamScore: segment.scores?.spamScore ?? null,
    lastVRSpamScore: segment.scores?.vrSpamScore ?? null,
  });
}
