import { describe, expect, it } from 'vitest';
import { type Finding, findingOf } from './finding.ts';

const nowhere = { part: null, line: null, column: null };

describe('a finding', () => {
  it.each<[string, Partial<Finding>]>([
    ['no sending configuration', { code: 'no_configuration', about: null }],
    ['no subject', { code: 'no_subject' }],
    ['no HTML content', { code: 'no_html' }],
    ['no segment', { code: 'no_segment' }],
    ['every segment is excluded', { code: 'all_excluded' }],
    [
      'the HTML of segment 2 without [[LINK.UNSUB]] that a reader can click',
      { code: 'no_unsubscribe_link', about: 'the HTML of segment 2' },
    ],
    ['targets that are not safe (notSafeTargetIds: 3,5)', { code: 'unsafe_targets', about: '3, 5' }],
    ['the target 4 “A: b” cannot be checked now: x', { code: 'unchecked_target', about: '4' }],
    ['the target 4 “Ça”: filter 1: x', { code: 'broken_target', about: '4 “Ça”' }],
    ['no advertisement at [[ENCART.2]] (segment 1)', { code: 'no_advertisement', about: '[[ENCART.2]]' }],
    ['the A/B test needs 3 segments that are not excluded', { code: 'ab_test_segments', about: '3' }],
    ['segment 4 stands behind the remainder of the A/B test', { code: 'ab_test_beyond', about: '4' }],
    ['segment 1 takes 100 percent of a target that is needed', { code: 'ab_test_share', about: '1' }],
    ['segments 1, 2 have the same subject: x', { code: 'ab_test_alike', about: '1, 2' }],
    ['A campaign of mode External cannot be sent to its segments', { code: 'mode', about: 'External' }],
    ['idCampDynamic: campaign 9 is not of mode Dynamic', { code: 'template', about: '9' }],
    ['sender domain a.example has no DKIM key; add one', { code: 'no_dkim_key', about: 'a.example' }],
    ['sender domain a.example has only an Ed25519 DKIM key', { code: 'no_rsa_key', about: 'a.example' }],
    ['return path domain b.example does not align with', { code: 'unaligned_return_path' }],
    ['no text part can be made from the HTML: x', { code: 'no_text_part', about: null }],
    ['the site is on fire', { code: 'other', about: null }],
  ])('of “%s” has its code and no place', (text, expected) => {
    expect(findingOf(text, true)).toMatchObject({ ...nowhere, isProblem: true, text, ...expected });
  });

  it.each<[string, Partial<Finding>]>([
    [
      'htmlContent, line 5, column 3: [[FLD.118]]: there is no field 118',
      { code: 'unknown_field', part: 'htmlContent', line: 5, column: 3, about: '[[FLD.118]]' },
    ],
    [
      'an advertisement of segment 2, line 1, column 1: [[A: b]]: unknown tag',
      { code: 'unknown_tag', part: 'advertisement', about: '[[A: b]]' },
    ],
    [
      "content block hello, line 2, column 9: [[BLOC.x]]: there is no content block 'x'",
      { code: 'unknown_block', part: 'block', line: 2, column: 9 },
    ],
    [
      "textContent, line 1, column 1: [[DATA.x.fld1]]: there is no content data 'x'",
      { code: 'unknown_data' },
    ],
    [
      'footerHtml, line 1, column 1: [[END]]: there is no IF before it',
      { code: 'no_if', part: 'footerHtml' },
    ],
    ['htmlContent, line 1, column 1: [[IF FLD.1 HasValue]]: no END follows it', { code: 'no_end' }],
    ['htmlContent, line 1, column 1: [[FLD.1: the tag does not end with ]]', { code: 'unclosed_tag' }],
    [
      'htmlContent, line 1, column 1: [<b>[FLD.1: would be shown to readers, because its brackets are not [[ and ]]',
      { code: 'stray_tag', about: '[<b>[FLD.1' },
    ],
    ['htmlContent, line 1, column 9: <!-- x: the comment is never closed', { code: 'damaged_content' }],
    [
      'the subject holds [[NAME]]: unknown tag (column 7)',
      { code: 'unknown_tag', part: 'subject', line: 1, column: 7, about: '[[NAME]]' },
    ],
    ['an alias holds [[FLD.9]]: there is no field 9 (column 1)', { code: 'unknown_field', part: 'alias' }],
  ])('of “%s” has its place and what it is about', (text, expected) => {
    expect(findingOf(text, true)).toMatchObject({ isProblem: true, text, ...expected });
  });

  it('has the URL of a link that is not tracked', () => {
    const text =
      'htmlContent, line 3, column 10: https://a.example/[[X]]: is not tracked: its tags do not always';
    expect(findingOf(text, false)).toMatchObject({
      code: 'untracked_link',
      isProblem: false,
      about: 'https://a.example/[[X]]',
    });
  });
});
