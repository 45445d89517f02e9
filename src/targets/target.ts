import { copyName } from '../contents/copy-name.ts';
import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Count,
  Id,
  Instant,
  Line,
  Maybe,
  Nullable,
  type Static,
  Type,
} from '../platform/http/schema.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import { isWellFormed } from '../platform/well-formed.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';

const maxExcluded = 50;

export const TargetParameters = Closed('TargetParameters', {
  name: Type.String({ ...Line(255), minLength: 1 }),
  isTestTarget: Bool('Whether test mailings may go to it; a campaign names it as idTestTarget'),
  pctSelect: Type.Integer({
    title: 'Int32',
    minimum: 0,
    maximum: 100,
    examples: [100],
    description:
      'Percentage of the selected subscribers to keep, rounded up. Default: 100. 0 is allowed only with ' +
      'maxSelect, which then replaces it',
  }),
  maxSelect: Nullable(Count('Maximum number of subscribers, instead of pctSelect; null or 0 means none')),
  isRandomMode: Bool('Whether the limit selects at random; otherwise it selects the lowest subscriber ids'),
  excludedTargets: Type.Array(Id('target'), {
    maxItems: maxExcluded,
    description: 'Targets whose subscribers are removed before the limit applies',
  }),
});
export type TargetParameters = Static<typeof TargetParameters>;
const { name, isTestTarget, pctSelect, maxSelect, isRandomMode, excludedTargets } =
  TargetParameters.properties;

/** The body of createTarget and updateTarget; absent and null properties take their defaults. */
export const GivenTarget = Closed('TargetParametersInput', {
  name,
  isTestTarget: Maybe(isTestTarget),
  pctSelect: Maybe(pctSelect),
  maxSelect: Type.Optional(maxSelect),
  isRandomMode: Maybe(isRandomMode),
  excludedTargets: Maybe(excludedTargets),
});

/** The parameters with their defaults. @throws 400 for an invisible name, and for a share of 0. */
export function parametersOf(given: Static<typeof GivenTarget>): TargetParameters {
  const name = visibleName(given.name);
  if (!isWellFormed(name)) throw invalid('name: must be well-formed Unicode');
  // 0 means none, for callers whose integers cannot be null.
  const maxSelect = given.maxSelect || null;
  // Ignoring it would select everyone for a caller that requests no one.
  if (given.pctSelect === 0 && maxSelect === null)
    throw invalid('pctSelect: must be from 1 to 100; omit it to select all');
  return {
    name,
    isTestTarget: given.isTestTarget ?? false,
    pctSelect: given.pctSelect ?? 100,
    maxSelect,
    isRandomMode: given.isRandomMode ?? false,
    excludedTargets: [...new Set(given.excludedTargets)],
  };
}

/** A target with everything that it selects by. */
export interface TargetDefinition {
  readonly id: number;
  readonly parameters: TargetParameters;
  readonly filters: readonly TargetFilter[];
}

/** The flags of the document, in its order; `hasReactivityFilter` has no kind of filter. */
const documentedFlags = [
  'hasFieldFilter',
  'hasGeolocFilter',
  'hasSqlFilter',
  'hasEmailPressureFilter',
  'hasBehaviourFilter',
  'hasReactivityFilter',
  'hasSendingFilter',
  'hasFileFilter',
  'hasThematicFilter',
] as const;
type Flag = (typeof documentedFlags)[number];
/** The flags of kinds that the document does not have follow by themselves. */
const flags = [...new Set<string>([...documentedFlags, ...filterKinds.map(({ flag }) => flag)])];

// `fromEntries` forgets the names; those of the document are among `flags`.
const flagMembers = Object.fromEntries(flags.map((flag) => [flag, Bool()])) as Record<
  Flag,
  ReturnType<typeof Bool>
>;

/** A target as the API shows it. */
export const Target = Closed('Target', {
  id: Id('target'),
  parameters: TargetParameters,
  creationDate: Instant(),
  lastUpdateDate: Instant(),
  targetType: Type.String({ title: 'String' }),
  ...flagMembers,
  isSafe: Bool(
    'Whether an enabled field filter contains field 7 Equal 0, so that only subscribed people are selected',
  ),
  isArchived: Bool('Whether lists omit it; calls with its id still work'),
});
export type Target = Static<typeof Target>;

/** The API document shows one type of target; there are no others. */
export const targetType = 'Unknown';

/** A stored target without the definitions of its filters, which can be many megabytes. */
export interface StoredTarget extends Omit<Target, Flag | 'targetType'> {
  /** The kinds of its filters, enabled or not. */
  readonly kinds: readonly string[];
}

export function showTarget({ kinds, ...target }: StoredTarget): Target {
  const held = new Set(kinds);
  const has = (flag: string) => filterKinds.some((kind) => kind.flag === flag && held.has(kind.kind));
  // As above.
  const shown = Object.fromEntries(flags.map((flag) => [flag, has(flag)])) as Record<Flag, boolean>;
  return { ...target, targetType, ...shown };
}

/** The parameters of a target's copy: the same, with a name for a copy that fits the limit. */
export function copyOf(parameters: TargetParameters): TargetParameters {
  return { ...parameters, name: copyName(parameters.name) };
}
