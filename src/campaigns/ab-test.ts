import type { Campaign, CampaignParameters } from './campaign.ts';
import { type Found, finding } from './finding.ts';
import type { Placement } from './placement.ts';
import type { Segment } from './segment.ts';
import { senderAliasOf, subjectOf } from './segment-messages.ts';

/** The properties in which the variants of an A/B test may differ; the remainder takes them from the winner. */
export type AbTestType = Exclude<CampaignParameters['abTestType'], ''>;

/** The tested property in words. */
export const testedWords: Readonly<Record<AbTestType, string>> = {
  Subject: 'subject',
  Sender: 'sender',
  Content: 'advertisements',
};

/** The campaign's A/B test; undefined if it is not a test. */
export function abTestOf(
  { parameters: { mode, abTestType, nbTests } }: Campaign,
  segments: readonly Segment[],
) {
  if (mode !== 'TestAb' || abTestType === '') return undefined;
  const sending = segments.filter(({ parameters }) => !parameters.isExcluded);
  return {
    type: abTestType,
    variants: sending.slice(0, nbTests),
    // Gets the winner's message; undefined while there are too few segments.
    remainder: sending[nbTests],
    // There must be none.
    beyond: sending.slice(nbTests + 1),
  };
}

/** The problems of a campaign's A/B test; empty if it can be sent or is not a test. */
export function abTestProblems(
  campaign: Campaign,
  segments: readonly Segment[],
  configuration: { readonly senderAlias: string } | undefined,
  placements: readonly Pick<Placement, 'idSegment' | 'position' | 'html'>[],
): Found[] {
  const test = abTestOf(campaign, segments);
  if (!test) return [];
  const { nbTests } = campaign.parameters;
  const needed = `${nbTests + 1} segments that are not excluded (${nbTests} variants and the remainder)`;
  if (!test.remainder) {
    const text = `the A/B test needs ${needed}, and has ${test.variants.length}`;
    return [finding('ab_test_segments', text, String(nbTests + 1))];
  }
  const last = test.remainder.position;
  const beyond = test.beyond.map(({ position }) => {
    const text = `segment ${position} stands behind the remainder of the A/B test (segment ${last})`;
    return finding('ab_test_beyond', text, String(position));
  });
  const textOf: Record<AbTestType, (one: Segment) => string> = {
    Subject: ({ parameters }) => subjectOf(campaign, parameters),
    Sender: ({ parameters }) => senderAliasOf(campaign, parameters, configuration),
    Content: ({ id }) => {
      const own = placements.filter(({ idSegment }) => idSegment === id);
      const inOrder = own.sort((a, b) => a.position - b.position);
      return JSON.stringify(inOrder.map(({ position, html }) => [position, html]));
    },
  };
  const parts = [...test.variants, test.remainder];
  return [...beyond, ...greedy(parts), ...alike(test.variants, testedWords[test.type], textOf[test.type])];
}

/** Variants that take all of a target, although a later part needs the target too. */
function greedy(parts: readonly Segment[]): Found[] {
  return parts.flatMap(({ position, parameters: { idTarget, percent, fixedValues } }, index) => {
    if (percent < 100 || fixedValues > 0) return [];
    const behind = parts.slice(index + 1).filter(({ parameters }) => parameters.idTarget === idTarget);
    if (behind.length === 0) return [];
    const needed = `a target that is needed behind it (segments ${behind.map((part) => part.position).join(', ')})`;
    const text = `segment ${position} takes 100 percent of ${needed}: give it a smaller percent, or fixedValues`;
    return finding('ab_test_share', text, String(position));
  });
}

function alike(variants: readonly Segment[], what: string, textOf: (variant: Segment) => string): Found[] {
  const values = variants.map((variant) => textOf(variant).trim());
  return [...new Set(values)].flatMap((value) => {
    const same = variants.filter((_, index) => values[index] === value).map(({ position }) => position);
    if (same.length < 2) return [];
    const which = same.join(', ');
    const text = `segments ${which} have the same ${what}: their A/B test could not tell anything`;
    return finding('ab_test_alike', text, which);
  });
}
