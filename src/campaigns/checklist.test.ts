import { describe, expect, it } from 'vitest';
import type { TagField } from '../contents/tag.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { plainCampaign } from '../testing/plain-campaign.ts';
import { type ChecklistFacts, type ConfigurationFacts, checklistOf } from './checklist.ts';
import type { Finding } from './finding.ts';
import type { Placement } from './placement.ts';
import type { Segment } from './segment.ts';

const fields: TagField[] = [{ id: 1, fieldType: 'Text' }];

const configuration: ConfigurationFacts = {
  headerHtml: '',
  headerTxt: '',
  footerHtml: '<a href="[[LINK.UNSUB]]">Out</a>',
  footerTxt: 'Out: [[LINK.UNSUB]]',
  unsubHtml: '',
  unsubTxt: '',
  objectPrefixBAT: '[TEST] ',
  senderAliasPrefixBAT: '',
  senderAlias: 'Ada',
  recipientAlias: '[[FLD.1]]',
  responseAlias: '',
};

const campaign = plainCampaign({}, { htmlContent: '<p>Hello</p>' });

const segment: Segment = {
  id: 1,
  idCampaign: 7,
  position: 1,
  parameters: {
    name: 'All',
    idTarget: 1,
    isExcluded: false,
    isRandom: false,
    percent: 100,
    mailObject: null,
    senderAlias: null,
    fixedValues: 0,
  },
  lastCount: null,
};

const ready: ChecklistFacts = {
  campaign,
  template: undefined,
  configuration,
  segments: [segment],
  placements: [],
  notSafeTargetIds: [],
  targetFaults: [],
  fields,
  hasData: false,
  contentData: new Set(),
  places: { problems: [], origins: new Map(), blocks: new Map() },
  unsubscriptionUrls: new Set(),
};
const withParameters = (parameters: object): Partial<ChecklistFacts> => ({
  campaign: { ...campaign, parameters: { ...campaign.parameters, ...parameters } },
});
const withSegments = (...changes: object[]): Partial<ChecklistFacts> => ({
  segments: changes.map((change) => ({ ...segment, parameters: { ...segment.parameters, ...change } })),
});
const withHtml = (htmlContent: string): Partial<ChecklistFacts> => ({
  campaign: { ...campaign, htmlContent },
});

describe('the checklist', () => {
  it('is ready when nothing is missing', () => {
    const { checklist, problems, testProblems } = checklistOf(ready);
    expect(checklist).toMatchObject({
      idCampaign: 7,
      isCampaignReady: true,
      isTracked: true,
      hasSpamscore: false,
    });
    expect([problems, testProblems]).toEqual([[], []]);
  });

  it.each<[string, Partial<ChecklistFacts>, string[], RegExp]>([
    [
      'no configuration',
      { configuration: undefined },
      ['hasConfig', 'hasUnsub'],
      /^no sending configuration/,
    ],
    [
      'a template',
      withParameters({ mode: 'Dynamic' }),
      [],
      /^A campaign of mode Dynamic cannot be sent to its/,
    ],
    ['what others send', withParameters({ mode: 'External' }), [], /^A campaign of mode External cannot be/],
    ['no subject', withParameters({ subject: ' ' }), ['hasSubject'], /^no subject$/],
    [
      'no subject of one segment',
      { ...withParameters({ subject: '' }), ...withSegments({ mailObject: 'a' }, {}) },
      ['hasSubject'],
      /^no subject$/,
    ],
    [
      'an unknown tag in the subject',
      withParameters({ subject: '[[NAME]]' }),
      ['hasSubject'],
      /\[\[NAME\]\]/,
    ],
    [
      'an unknown tag in a segment’s subject',
      withSegments({ mailObject: '[[FLD.9]]' }),
      ['hasSubject'],
      /FLD\.9/,
    ],
    [
      'an unknown tag in an alias',
      withParameters({ senderAlias: '[[X]]' }),
      ['hasSubject'],
      /an alias holds \[\[X\]\]/,
    ],
    ['no HTML', withHtml(' \n'), ['hasHtml', 'hasUnsub'], /^no HTML content$/],
    [
      'unknown tags in the HTML',
      withHtml('<p>[[FLD.2]] [[FOO]]'),
      ['hasHtml'],
      /\[\[FLD\.2\]\].*\[\[FOO\]\]/,
    ],
    [
      'an unknown tag in the footer',
      { configuration: { ...configuration, unsubHtml: '[[FOO]]' } },
      ['hasHtml'],
      /FOO/,
    ],
    [
      'no way out',
      { configuration: { ...configuration, footerHtml: '' } },
      ['hasUnsub'],
      /without \[\[LINK.UNSUB\]\]/,
    ],
    ['no segment', { segments: [] }, ['hasSendingFilter', 'hasSegmentNotExcluded'], /^no segment$/],
    [
      'only excluded ones',
      withSegments({ isExcluded: true }),
      ['hasSegmentNotExcluded'],
      /^every segment is excluded$/,
    ],
    [
      'an empty place',
      withHtml('<p>[[ENCART.2]]'),
      ['hasSendingsPubs'],
      /^no advertisement at \[\[ENCART\.2\]\] \(segment 1\)$/,
    ],
    ['unsafe targets', { notSafeTargetIds: [3, 5] }, ['isTargetSafe'], /notSafeTargetIds: 3,5/],
    [
      'a template that is Dynamic no more',
      { template: { ...campaign, id: 9 } },
      [],
      /^idCampDynamic: campaign 9 is not of mode Dynamic$/,
    ],
  ])('is not ready: %s', (_what, change, missing, problem) => {
    const { checklist, problems } = checklistOf({ ...ready, ...change });
    const { isTracked: _t, hasSpamscore: _s, isCampaignReady, ...parts } = checklist;
    expect(isCampaignReady).toBe(false);
    expect(Object.entries(parts).flatMap(([name, value]) => (value === false ? [name] : []))).toEqual(
      missing,
    );
    expect(problems.join('; ')).toMatch(problem);
  });

  const fault = (problem: string, target?: string, status = 422): Partial<ChecklistFacts> => ({
    targetFaults: [
      {
        problem,
        ...(target && { target }),
        refusal: new Refusal(status, status === 503 ? 'unavailable' : 'refused', problem),
      },
    ],
  });
  it.each<[Partial<ChecklistFacts>, Partial<Finding>]>([
    [{ configuration: undefined }, { code: 'no_configuration', about: null }],
    [withParameters({ subject: ' ' }), { code: 'no_subject' }],
    [withHtml(' '), { code: 'no_html' }],
    [{ segments: [] }, { code: 'no_segment' }],
    [withSegments({ isExcluded: true }), { code: 'all_excluded' }],
    [
      { configuration: { ...configuration, footerHtml: '' } },
      { code: 'no_unsubscribe_link', about: 'the HTML' },
    ],
    [{ notSafeTargetIds: [3, 5] }, { code: 'unsafe_targets', about: '3, 5' }],
    [fault('x', '4 “A: b”', 503), { code: 'unchecked_target', about: '4 “A: b”' }],
    [fault('x', '4 “Ça”'), { code: 'broken_target', about: '4 “Ça”' }],
    [fault('too large together'), { code: 'other', about: null }],
    [withHtml('<p>[[ENCART.2]]'), { code: 'no_advertisement', about: '[[ENCART.2]]' }],
    [withParameters({ mode: 'External' }), { code: 'mode', about: 'External' }],
    [{ template: { ...campaign, id: 9 } }, { code: 'template', about: '9' }],
    [
      { places: { problems: [{ text: 'x', missing: '[[BLOC.a]]' }], origins: new Map(), blocks: new Map() } },
      { code: 'unknown_block', about: '[[BLOC.a]]' },
    ],
  ])('has a code of what is missing, and no place (%#)', (change, expected) => {
    const nowhere = { part: null, line: null, column: null };
    const { checklist, problems } = checklistOf({ ...ready, ...change });
    expect(checklist.findings.map(({ text }) => text)).toEqual(problems);
    expect(checklist.findings).toContainEqual(
      expect.objectContaining({ ...nowhere, isProblem: true, ...expected }),
    );
  });

  it.each<[Partial<ChecklistFacts>, Partial<Finding>]>([
    [withHtml('<p>\n [[FLD.118]]'), { code: 'unknown_field', line: 2, column: 2, about: '[[FLD.118]]' }],
    [withHtml('[[A: b]]'), { code: 'unknown_tag', about: '[[A: b]]' }],
    [withHtml('[[DATA.x.fld1]]'), { code: 'unknown_data' }],
    [withHtml('[[END]]'), { code: 'no_if' }],
    [withHtml('[[ELSE]]'), { code: 'no_if' }],
    [withHtml('[[IF FLD.1 HasValue]]'), { code: 'no_end' }],
    [withParameters({ subject: '[[FLD.1' }), { code: 'unclosed_tag', part: 'subject', about: '[[FLD.1' }],
    [withHtml('[<b>[FLD.1]]'), { code: 'stray_tag', line: 1, column: 1 }],
    [withHtml('a<!-- x'), { code: 'damaged_content', column: 2 }],
    [withParameters({ subject: 'Hello [[X]]' }), { code: 'unknown_tag', part: 'subject', column: 7 }],
    [withParameters({ senderAlias: '[[FLD.9]]' }), { code: 'unknown_field', part: 'alias', line: 1 }],
    [
      { configuration: { ...configuration, unsubHtml: '[[FOO]]' } },
      { code: 'unknown_tag', part: 'unsubHtml', about: '[[FOO]]' },
    ],
  ])('has the place of a fault in a source, and its tag (%#)', (change, expected) => {
    const { findings } = checklistOf({ ...ready, ...change }).checklist;
    const part = 'htmlContent';
    expect(findings).toContainEqual(expect.objectContaining({ part, isProblem: true, ...expected }));
  });

  it('has the part and the place in the text of an advertisement or a block', () => {
    const placements = [at(1, 1, 'a\n[[FLD.9]]')];
    const facts = { ...ready, ...withHtml('<p>[[ENCART.1]]'), placements };
    expect(checklistOf(facts).checklist.findings).toMatchObject([
      { code: 'unknown_field', part: 'advertisement', line: 2, column: 1 },
    ]);
  });

  it('takes the subjects of its segments when each has one', () => {
    const facts = { ...ready, ...withParameters({ subject: '' }), ...withSegments({ mailObject: 'a' }) };
    expect(checklistOf(facts).checklist.isCampaignReady).toBe(true);
  });

  it('checks the text only when it is sent, including its unsubscribe link', () => {
    const textContent = 'Hello [[FOO]]';
    expect(checklistOf({ ...ready, campaign: { ...campaign, textContent } }).problems).toEqual([]);
    const sent = { ...campaign.parameters, hasTextMessage: true };
    const withText = { ...campaign, textContent, parameters: sent };
    expect(checklistOf({ ...ready, campaign: withText }).problems).toHaveLength(1);
    const mute = { ...configuration, footerTxt: '' };
    const plain = { ...withText, textContent: 'Hello' };
    expect(checklistOf({ ...ready, campaign: plain, configuration: mute }).checklist.hasUnsub).toBe(false);
  });

  it('accepts an address that is marked as an unsubscribe page', () => {
    const own = { ...configuration, footerHtml: '<a href="https://shop.example/out?a=1&amp;b=2">Out</a>' };
    const hasUnsub = (...urls: string[]) =>
      checklistOf({ ...ready, configuration: own, unsubscriptionUrls: new Set(urls) }).checklist.hasUnsub;
    expect(hasUnsub()).toBe(false);
    expect(hasUnsub('https://shop.example/out?a=1&b=2')).toBe(true);
  });

  const two: Segment[] = [segment, { ...segment, id: 2, position: 2 }];
  const at = (idSegment: number, position: number, html: string): Placement => ({
    id: 10 * idSegment + position,
    idSegment,
    position,
    idAdvertisement: 5,
    name: 'Ad',
    html,
  });

  it('names the tag and the segments where an advertisement is missing', () => {
    const facts = { ...ready, ...withHtml('[[ENCART.1]][[ENCART.2]]'), segments: two };
    const judge = (...placements: Placement[]) => checklistOf({ ...facts, placements });
    expect(judge(at(1, 1, 'a')).problems).toEqual([
      'no advertisement at [[ENCART.2]] (segments 1, 2)',
      'no advertisement at [[ENCART.1]] (segment 2)',
    ]);
    expect(judge(at(1, 1, 'a')).testProblems).toHaveLength(2);
    const all = [at(1, 1, 'a'), at(1, 2, 'b'), at(2, 1, 'a'), at(2, 2, 'b')];
    expect(judge(...all).checklist).toMatchObject({ hasSendingsPubs: true, isCampaignReady: true });
  });

  it('requests no advertisement in a segment that is excluded', () => {
    const out = { ...two[1]!, parameters: { ...segment.parameters, isExcluded: true } };
    const facts = { ...ready, ...withHtml('[[ENCART.1]]'), segments: [segment, out] };
    expect(checklistOf({ ...facts, placements: [at(1, 1, 'a')] }).problems).toEqual([]);
  });

  it('looks at header and footer, and at what advertisements hold', () => {
    const framed = { ...configuration, headerHtml: '[[ENCART.1]]' };
    const judge = (...placements: Placement[]) =>
      checklistOf({ ...ready, configuration: framed, placements }).problems;
    expect(judge()).toEqual(['no advertisement at [[ENCART.1]] (segment 1)']);
    expect(judge(at(1, 1, '[[FLD.9]]'))).toEqual([
      'an advertisement of segment 1, line 1, column 1: [[FLD.9]]: there is no field 9',
    ]);
    expect(judge(at(1, 1, '[[ENCART.2]]'), at(1, 2, '[[ENCART.1]]'))).toEqual([
      'the advertisement at [[ENCART.1]] contains itself (segment 1)',
    ]);
  });

  it('finds the unsubscribe link in an advertisement, when each segment has it', () => {
    const mute = { ...configuration, footerHtml: '[[ENCART.1]]' };
    const judge = (second: string) =>
      checklistOf({
        ...ready,
        configuration: mute,
        segments: two,
        placements: [at(1, 1, '<a href="[[LINK.UNSUB]]">x</a>'), at(2, 1, second)],
      });
    expect(judge('none').problems).toEqual([
      'the HTML of segment 2 without [[LINK.UNSUB]] that a reader can click',
    ]);
    expect(judge('<a href="http://[[LINK.UNSUB]]">x</a>').checklist.hasUnsub).toBe(true);
  });

  it('rejects advertisements in a text and in a subject', () => {
    const parameters = { ...campaign.parameters, hasTextMessage: true, subject: '[[ENCART.1]]' };
    const facts = { ...ready, campaign: { ...campaign, parameters, textContent: '[[ENCART.1]]' } };
    expect(checklistOf({ ...facts, placements: [at(1, 1, 'a')] }).problems).toEqual([
      'the subject holds [[ENCART.1]]: advertisements are allowed in HTML only (column 1)',
      'textContent, line 1, column 1: [[ENCART.1]]: advertisements are allowed in HTML only',
    ]);
  });

  it('warns of addresses that are not tracked, with line and column', () => {
    const long = `https://a.fr/${'a'.repeat(4_000)}`;
    const html =
      `<p>\n<a href="${long}">x</a>\r\n<a href="[[IF FLD.1 HasValue]]mailto:a@b.fr[[ELSE]]https://b.fr[[END]]">y</a>` +
      '<a href="[[FLD.1]]">z</a>';
    const { warnings, problems } = checklistOf({ ...ready, ...withHtml(html) });
    expect(problems).toEqual([]);
    expect(warnings.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^htmlContent, line 2, column 10: https:.*: is not tracked: it has more than 4000 char/,
      ),
      expect.stringMatching(
        /^htmlContent, line 3, column 10: \[\[IF FLD.*: is not tracked: its tags do not always/,
      ),
    ]);
    expect(warnings[0]).toMatchObject({ code: 'untracked_link', part: 'htmlContent', line: 2, column: 10 });
  });

  it.each([
    [
      `${'<div>'.repeat(600)}x`,
      /^htmlContent, line 1, column 2551: <div>.*: elements nest more than 512 deep; close some of them$/,
    ],
    ['<br>'.repeat(50_001), /: the HTML has more than 50000 elements; shorten it/],
    [
      `<p ${Array.from({ length: 1_001 }, (_, i) => `a${i}`).join(' ')}>`,
      /more than 1000 attributes; remove some$/,
    ],
  ])('refuses HTML that costs a browser too much (%#)', (html, problem) => {
    expect(checklistOf({ ...ready, ...withHtml(html) }).problems).toContainEqual(
      expect.stringMatching(problem),
    );
  });

  it('names the source, line and column of a fault in any part of a message', () => {
    const framed = { ...configuration, headerHtml: '<p>\n[[FLD.9]]', unsubTxt: 'a\n [[FLD.8]]' };
    const parameters = { ...campaign.parameters, hasTextMessage: true };
    const text = {
      ...campaign,
      parameters,
      htmlContent: '<body>\n<p>[[X]]</body>',
      textContent: 'a',
      preheader: 'b [[Y]]',
    };
    expect(checklistOf({ ...ready, configuration: framed, campaign: text }).problems).toEqual([
      'preheader, line 1, column 3: [[Y]]: unknown tag',
      'headerHtml, line 2, column 1: [[FLD.9]]: there is no field 9',
      'htmlContent, line 2, column 4: [[X]]: unknown tag',
      'unsubTxt, line 2, column 2: [[FLD.8]]: there is no field 8',
    ]);
  });

  it('bounds what the messages of all segments hold together', () => {
    const segments = [1, 2, 3].map((id) => ({ ...segment, id, position: id }));
    const placements = segments.map(({ id }) => at(id, 1, 'x'.repeat(3_000_000)));
    expect(checklistOf({ ...ready, ...withHtml('[[ENCART.1]]'), segments, placements }).problems).toEqual([
      'the messages of all segments have more than 8000000 characters with their advertisements (segment 3)',
    ]);
  });

  it('requires less of a test mailing: no safe target, no unsubscribe link', () => {
    const mute = { ...configuration, footerHtml: '' };
    const { problems, testProblems } = checklistOf({ ...ready, configuration: mute, notSafeTargetIds: [1] });
    expect(problems).toHaveLength(2);
    expect(testProblems).toEqual([]);
  });

  it.each([
    [{ objectPrefixBAT: '[[NAME]] ' }, /^a test prefix holds \[\[NAME\]\]/],
    [{ senderAliasPrefixBAT: '[[FLD.9]] ' }, /^a test prefix holds \[\[FLD\.9\]\]/],
  ])('has a test mailing wait for its prefixes, and nothing else: %j', (change, problem) => {
    const changed = { ...ready, configuration: { ...configuration, ...change } };
    const { checklist, problems, testProblems } = checklistOf(changed);
    expect([checklist.isCampaignReady, problems]).toEqual([true, []]);
    expect(testProblems).toEqual([expect.stringMatching(problem)]);
  });

  it('reports a tag of the subject once, not again for its test prefix', () => {
    const { problems, testProblems } = checklistOf({ ...ready, ...withParameters({ subject: '[[NAME]]' }) });
    expect(problems).toHaveLength(1);
    expect(testProblems).toEqual(problems);
  });
});
