import { Bool, Closed, Int32, Nullable, OneOf, type Static, Type } from '../platform/http/schema.ts';

const codes = [
  'no_configuration',
  'no_subject',
  'no_html',
  'no_segment',
  'all_excluded',
  'no_unsubscribe_link',
  'unsafe_targets',
  'broken_target',
  'unchecked_target',
  'no_advertisement',
  'unknown_field',
  'unknown_tag',
  'unknown_block',
  'unknown_data',
  'no_if',
  'no_end',
  'unclosed_tag',
  'stray_tag',
  'damaged_content',
  'ab_test_segments',
  'ab_test_beyond',
  'ab_test_share',
  'ab_test_alike',
  'mode',
  'template',
  'no_dkim_key',
  'no_rsa_key',
  'unaligned_return_path',
  'no_text_part',
  'untracked_link',
  'other',
] as const;
export type FindingCode = (typeof codes)[number];

/** A problem or a warning of a checklist, for programs. */
export const Finding = Closed('Finding', {
  code: OneOf(codes, 'What it is. Codes may be added; show `text` for one that is unknown'),
  isProblem: Bool('Whether it prevents sending'),
  text: Type.String({ description: 'The same text as in problems or warnings' }),
  part: Nullable(
    Type.String({
      description:
        'The source that holds it: htmlContent, textContent, preheader, subject, alias, a property of the ' +
        'configuration (for example footerHtml), advertisement or block',
    }),
  ),
  line: Nullable(Int32('Its line in the source, from 1')),
  column: Nullable(Int32('Its column in the line, from 1')),
  about: Nullable(
    Type.String({
      description: 'What it is about: a tag, a URL, a domain, or ids or positions joined by ", "',
    }),
  ),
});
export type Finding = Static<typeof Finding>;

/** A finding before it counts as a problem or a warning. */
export type Found = Omit<Finding, 'isProblem'>;

/** What is found in a campaign as a whole. @param about what it is about, as in `Finding` */
export const finding = (code: FindingCode, text: string, about: string | null = null): Found => ({
  ...{ code, text, about },
  ...{ part: null, line: null, column: null },
});

export const textOf = ({ text }: Found): string => text;
