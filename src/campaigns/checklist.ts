import { type ContentFrame, isEmptySource } from '../contents/assemble-content.ts';
import type { Unreplaced } from '../contents/placer.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import type { TagError } from '../contents/tag.ts';
import { compileTags } from '../contents/tag-language.ts';
import { hasUnsubscriptionLink } from '../contents/unsubscription-link.ts';
import { Bool, Closed, Int32, type Static, Type } from '../platform/http/schema.ts';
import { keptIn } from '../platform/remembered.ts';
import type { TargetFault } from '../targets/target-faults.ts';
import { abTestProblems } from './ab-test.ts';
import type { Campaign } from './campaign.ts';
import { faultOfMode, isTemplate, isTransactional, notDynamic } from './campaign-rules.ts';
import { type ContentSources, contentFaults, tagOptionsOf, withoutBlocks } from './content-faults.ts';
import { Finding, type FindingCode, type Found, finding, textOf } from './finding.ts';
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
  readonly checklist: Omit<Checklist, 'warnings'>;
  /** Warnings about the contents; getCampaignChecklist adds the others (warnings.ts). */
  readonly warnings: readonly Found[];
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
  const checklist = {
    idCampaign: campaign.id,
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
  };
  const messages = [
    ...(template && !isTemplate(template)
      ? [finding('template', notDynamic(template), String(template.id))]
      : []),
    ...unless(checklist.hasConfig, 'no_configuration', 'no sending configuration'),
    ...lines.problems,
    ...contents.problems,
    ...contents.unplaced,
  ];
  const shared = [
    ...messages,
    ...unless(segments.length > 0, 'no_segment', 'no segment'),
    ...unless(
      segments.length === 0 || checklist.hasSegmentNotExcluded,
      'all_excluded',
      'every segment is excluded',
    ),
  ];
  const withoutUnsub = checklist.hasHtml ? contents.withoutUnsub : [];
  const fault = faultOfMode(campaign);
  const problems = [
    ...(fault === undefined ? [] : [finding('mode', fault, campaign.parameters.mode)]),
    ...shared,
    ...withoutUnsub,
    ...unless(
      checklist.isTargetSafe,
      'unsafe_targets',
      unsafeTargetsProblem(notSafeTargetIds),
      notSafeTargetIds.join(', '),
    ),
    ...targetFaults.map(ofTarget),
    ...abTestProblems(campaign, segments, configuration, facts.placements),
  ];
  const away = targetFaults.filter(({ refusal }) => refusal.status === 503);
  return {
    checklist: {
      ...checklist,
      isCampaignReady: problems.length === 0,
      problems: problems.map(textOf),
      findings: problems.map((one) => ({ ...one, isProblem: true })),
    },
    warnings: contents.warnings,
    problems: problems.map(textOf),
    away,
    testProblems: [...shared, ...lines.testProblems].map(textOf),
    singleProblems: [...messages, ...(isTransactional(campaign) ? [] : withoutUnsub)].map(textOf),
  };
}

/** The checklist with its spam scores, and all warnings. */
export const completeChecklist = (
  checklist: Omit<Checklist, 'warnings'>,
  hasSpamscore: boolean,
  warnings: readonly Found[],
): Checklist => ({
  ...checklist,
  hasSpamscore,
  warnings: warnings.map(textOf),
  findings: [...checklist.findings, ...warnings.map((one) => ({ ...one, isProblem: false }))],
});

/** The problem of a campaign with targets that are not safe. */
export const unsafeTargetsProblem = (ids: readonly number[]): string =>
  `targets that are not safe (notSafeTargetIds: ${ids.join(',')})`;

const unless = (isFine: boolean, ...of: Parameters<typeof finding>): Found[] =>
  isFine ? [] : [finding(...of)];

function ofTarget({ problem, target, refusal }: TargetFault): Found {
  if (target === undefined) return finding('other', problem);
  return finding(refusal.status === 503 ? 'unchecked_target' : 'broken_target', problem, target);
}

const ofPlacing = ({ text, missing }: Unreplaced, code: FindingCode): Found =>
  missing === undefined ? finding('other', text) : finding(code, text, missing);

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
  ].map((part) =>
    finding('no_unsubscribe_link', `${part} without [[LINK.UNSUB]] that a reader can click`, part),
  );
  const { problems, warnings } = contentFaults(facts, messages);
  return {
    problems: [
      ...unless(hasHtml, 'no_html', 'no HTML content'),
      ...facts.places.problems.map((one) => ofPlacing(one, 'unknown_block')),
      ...problems,
    ],
    warnings,
    unplaced: placementProblems(htmls),
    // Each part needs the link: many readers see only one of them.
    hasUnsub: hasHtml && withoutUnsub.length === 0,
    withoutUnsub,
  };
}

const ofSegment = ({ segment }: SegmentHtml) => (segment ? ` of segment ${segment.position}` : '');

function placementProblems(htmls: readonly SegmentHtml[]): Found[] {
  const known = new Map<string, { problem: Unreplaced; at: number[] }>();
  for (const { problems, segment } of htmls) {
    for (const problem of problems) {
      const { at } = keptIn(known, problem.text, () => ({ problem, at: [] }));
      if (segment) at.push(segment.position);
    }
  }
  return [...known.values()].map(({ problem, at }) => {
    const where = at.length === 0 ? '' : ` (segment${at.length > 1 ? 's' : ''} ${at.join(', ')})`;
    return ofPlacing({ ...problem, text: problem.text + where }, 'no_advertisement');
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
      ...unless(!subjects.some(isEmptySource), 'no_subject', 'no subject'),
      ...tagProblems('the subject', 'subject', errorsOf(subjects)),
      ...tagProblems('an alias', 'alias', errorsOf(names)),
    ],
    testProblems: tagProblems(
      'a test prefix',
      'alias',
      errorsOf(tested).filter(({ message }) => !known.has(message)),
    ),
  };
}

function tagProblems(where: string, part: string, errors: readonly TagError[]): Found[] {
  return errors.map(({ code, tag, message, position }) => {
    // The message begins with the tag; these sources have one line.
    const text = `${where} holds ${message} (column ${position + 1})`;
    return { code, text, about: tag, part, line: 1, column: position + 1 };
  });
}
