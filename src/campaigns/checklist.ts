import { type ContentFrame, isEmptySource } from '../contents/assemble-content.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import type { TagError } from '../contents/tag.ts';
import { compileTags } from '../contents/tag-language.ts';
import { hasUnsubscriptionLink } from '../contents/unsubscription-link.ts';
import { Bool, Closed, Int32, type Static, Type } from '../platform/http/schema.ts';
import type { TargetFault } from '../targets/target-faults.ts';
import { abTestProblems } from './ab-test.ts';
import type { Campaign } from './campaign.ts';
import { faultOfMode, isTemplate, isTransactional, notDynamic } from './campaign-rules.ts';
import { type ContentSources, contentFaults, tagOptionsOf, withoutBlocks } from './content-faults.ts';
import { Finding, findingOf } from './finding.ts';
import type { Segment } from './segment.ts';
import { type SegmentHtml, segmentMessages, senderAliasOf, subjectOf } from './segment-messages.ts';

/** The conditions that a campaign must meet before it can be sent. */
export const Checklist = Closed('Checklist', {
  idCampaign: Int32(),
  isCampaignReady: Bool(),
  hasConfig: Bool(),
  hasSubject: Bool(),
  isTracked: Bool(),
  hasHtml: Bool(),
  hasUnsub: Bool(),
  hasSpamscore: Bool(),
  hasSendingFilter: Bool(),
  hasSegmentNotExcluded: Bool(),
  hasSendingsPubs: Bool(),
  isTargetSafe: Bool(),
  notSafeTargetIds: Type.String({ description: 'Ids joined by ,' }),
  problems: Type.Array(Type.String(), {
    description:
      'What keeps the campaign from being sent, in words. Tags that cannot be filled, or that readers would see, are ' +
      'named with their line and column',
  }),
  warnings: Type.Array(Type.String(), {
    description:
      'Problems that harm delivery without preventing it: a sender domain without a DKIM key, a return path that ' +
      'does not align, HTML from which no text part can be made. Untracked links that look like web addresses are ' +
      'named with their line and column',
  }),
  findings: Type.Array(Finding, {
    description: 'The problems and then the warnings, each with a code and its place, for programs',
  }),
});
export type Checklist = Static<typeof Checklist>;

/** The properties of a sending configuration that the checklist reads. */
export type ConfigurationFacts = ContentFrame &
  Pick<
    SendingConfiguration,
    'objectPrefixBAT' | 'senderAliasPrefixBAT' | 'senderAlias' | 'recipientAlias' | 'responseAlias'
  >;

export interface ChecklistFacts extends ContentSources {
  readonly template: Campaign | undefined;
  readonly configuration: ConfigurationFacts | undefined;
  readonly segments: readonly Segment[];
  /** Targets of its segments that may select unsubscribed subscribers. */
  readonly notSafeTargetIds: readonly number[];
  /** Targets of its segments that a sending would refuse. */
  readonly targetFaults: readonly TargetFault[];
  /** Tracked addresses that lead to an unsubscribe page. */
  readonly unsubscriptionUrls: ReadonlySet<string>;
  /** Whether the tags DATA.name are filled, as in single sends, for which Dynamic campaigns are made. */
  readonly hasData: boolean;
}

/** The checklist, and the problems of a sending in words. */
export interface Readiness {
  /** The checklist. Its warnings are about the contents; getCampaignChecklist adds the others (warnings.ts). */
  readonly checklist: Checklist;
  /** Problems that prevent sending; empty if the campaign is ready. Names every tag that cannot be filled. */
  readonly problems: readonly string[];
  /** Targets that could not be checked now: some or all of the problems. */
  readonly away: readonly TargetFault[];
  /** Problems that prevent a test mailing. It requires less, but its prefixes must be valid as well. */
  readonly testProblems: readonly string[];
  /** Problems that prevent a message to one subscriber, for which segments and targets do not count. */
  readonly singleProblems: readonly string[];
}

/** Checks a campaign. A part with a tag that cannot be filled counts as missing; tracking and scores only inform. */
export function checklistOf(facts: ChecklistFacts): Readiness {
  const { campaign, template, configuration, segments, notSafeTargetIds, targetFaults } = facts;
  const lines = checkLines(facts);
  const sending = segments.filter((segment) => !segment.parameters.isExcluded);
  const contents = checkContents(facts, sending);
  const checklist: Checklist = {
    idCampaign: campaign.id,
    isCampaignReady: false,
    hasConfig: configuration !== undefined,
    hasSubject: lines.problems.length === 0,
    isTracked: campaign.isTracked,
    hasHtml: contents.problems.length === 0,
    hasUnsub: contents.hasUnsub,
    // Set by getCampaignChecklist alone, the only reader.
    hasSpamscore: false,
    hasSendingFilter: segments.length > 0 && targetFaults.length === 0,
    hasSegmentNotExcluded: sending.length > 0,
    hasSendingsPubs: contents.unplaced.length === 0,
    isTargetSafe: notSafeTargetIds.length === 0,
    notSafeTargetIds: notSafeTargetIds.join(','),
    problems: [],
    warnings: [...contents.warnings],
    findings: [],
  };
  const messages = [
    ...(template && !isTemplate(template) ? [notDynamic(template)] : []),
    ...unless(checklist.hasConfig, 'no sending configuration'),
    ...lines.problems,
    ...contents.problems,
    ...contents.unplaced,
  ];
  const shared = [
    ...messages,
    ...unless(segments.length > 0, 'no segment'),
    ...unless(segments.length === 0 || checklist.hasSegmentNotExcluded, 'every segment is excluded'),
  ];
  const withoutUnsub = checklist.hasHtml
    ? contents.withoutUnsub.map((part) => `${part} without [[LINK.UNSUB]] that a reader can click`)
    : [];
  const fault = faultOfMode(campaign);
  const problems = [
    ...(fault === undefined ? [] : [fault]),
    ...shared,
    ...withoutUnsub,
    ...unless(checklist.isTargetSafe, unsafeTargetsProblem(notSafeTargetIds)),
    ...targetFaults.map(({ problem }) => problem),
    ...abTestProblems(campaign, segments, configuration, facts.placements),
  ];
  const testProblems = [...shared, ...lines.testProblems];
  const isCampaignReady = problems.length === 0;
  const away = targetFaults.filter(({ refusal }) => refusal.status === 503);
  return {
    checklist: { ...checklist, isCampaignReady, problems: [...problems] },
    problems,
    away,
    testProblems,
    singleProblems: [...messages, ...(isTransactional(campaign) ? [] : withoutUnsub)],
  };
}

/** The checklist with its spam scores, its last warnings, and the findings. */
export const completeChecklist = (
  checklist: Checklist,
  { hasSpamscore, warnings }: Pick<Checklist, 'hasSpamscore' | 'warnings'>,
): Checklist => ({
  ...checklist,
  hasSpamscore,
  warnings,
  findings: [
    ...checklist.problems.map((text) => findingOf(text, true)),
    ...warnings.map((text) => findingOf(text, false)),
  ],
});

/** The problem of a campaign with targets that are not safe. */
export const unsafeTargetsProblem = (ids: readonly number[]): string =>
  `targets that are not safe (notSafeTargetIds: ${ids.join(',')})`;

const unless = (isFine: boolean, problem: string): string[] => (isFine ? [] : [problem]);

function checkContents(facts: ChecklistFacts, sending: readonly Segment[]) {
  const { campaign, configuration, placements, unsubscriptionUrls } = facts;
  const hasHtml = !isEmptySource(campaign.htmlContent);
  const messages = segmentMessages(campaign, configuration, sending, placements);
  const { text, htmls } = messages;
  const hasUnsubLink = (source: string, kind: 'html' | 'text') =>
    isEmptySource(source) ||
    hasUnsubscriptionLink(source, { kind, ...tagOptionsOf(facts) }, unsubscriptionUrls);
  const withoutUnsub = [
    ...htmls.filter((one) => !hasUnsubLink(one.html, 'html')).map((one) => `the HTML${ofSegment(one)}`),
    ...(hasUnsubLink(text, 'text') ? [] : ['the text']),
  ];
  const { problems, warnings } = contentFaults(facts, messages);
  return {
    problems: [...unless(hasHtml, 'no HTML content'), ...facts.places.problems, ...problems],
    warnings,
    unplaced: placementProblems(htmls),
    // Each part needs the link: many readers see only one of them.
    hasUnsub: hasHtml && withoutUnsub.length === 0,
    withoutUnsub,
  };
}

const ofSegment = ({ segment }: SegmentHtml) => (segment ? ` of segment ${segment.position}` : '');

function placementProblems(htmls: readonly SegmentHtml[]): string[] {
  const positions = new Map<string, number[]>();
  for (const { problems, segment } of htmls) {
    for (const problem of problems) {
      const known = positions.get(problem) ?? [];
      positions.set(problem, segment ? [...known, segment.position] : known);
    }
  }
  return [...positions].map(([problem, at]) => {
    if (at.length === 0) return problem;
    return `${problem} (segment${at.length > 1 ? 's' : ''} ${at.join(', ')})`;
  });
}

function checkLines(facts: ChecklistFacts) {
  const { campaign, configuration, segments } = facts;
  const options = { kind: 'header', ...tagOptionsOf(facts) } as const;
  const sending = segments.flatMap(({ parameters }) => (parameters.isExcluded ? [] : [parameters]));
  // Without a segment, only the campaign's own lines can be checked.
  const own = sending.length > 0 ? sending : [{ mailObject: null, senderAlias: null }];
  const subjects = own.map((one) => subjectOf(campaign, one));
  const senders = own.map((one) => senderAliasOf(campaign, one, configuration));
  const names = [
    campaign.parameters.senderAlias,
    ...senders,
    campaign.parameters.responseAlias,
    configuration?.senderAlias ?? '',
    configuration?.responseAlias ?? '',
    configuration?.recipientAlias ?? '',
  ];
  const errorsOf = (lines: readonly string[]) =>
    [...new Set(lines)].flatMap((line) => withoutBlocks(compileTags(line, options).errors));
  // With the prefixes of a test mailing: a tag can begin in the prefix.
  const { objectPrefixBAT = '', senderAliasPrefixBAT = '' } = configuration ?? {};
  const tested = [
    ...subjects.map((one) => objectPrefixBAT + one),
    ...senders.map((one) => senderAliasPrefixBAT + one),
  ];
  const known = new Set(errorsOf([...subjects, ...names]).map(({ message }) => message));
  return {
    problems: [
      ...(subjects.some(isEmptySource) ? ['no subject'] : []),
      ...tagProblems('the subject', errorsOf(subjects)),
      ...tagProblems('an alias', errorsOf(names)),
    ],
    testProblems: tagProblems(
      'a test prefix',
      errorsOf(tested).filter(({ message }) => !known.has(message)),
    ),
  };
}

function tagProblems(where: string, errors: readonly TagError[]): string[] {
  // The message begins with the tag; these sources have one line.
  return errors.map(({ message, position }) => `${where} holds ${message} (column ${position + 1})`);
}
