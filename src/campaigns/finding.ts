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

/** Sentences about the campaign itself. The first group is what the finding is about. */
const sentences: readonly (readonly [FindingCode, RegExp])[] = [
  ['no_configuration', /^no sending configuration$/],
  ['no_subject', /^no subject$/],
  ['no_html', /^no HTML content$/],
  ['no_segment', /^no segment$/],
  ['all_excluded', /^every segment is excluded$/],
  ['no_unsubscribe_link', /^(the HTML(?: of segment \d+)?|the text) without \[\[LINK\.UNSUB\]\]/],
  ['unsafe_targets', /^targets that are not safe \(notSafeTargetIds: ([\d,]+)\)$/],
  ['unchecked_target', /^the target (\d+)(?: “[^”]*”)? cannot be checked now: /],
  ['broken_target', /^the target (\d+(?: “[^”]*”)?): /],
  ['ab_test_segments', /^the A\/B test needs (\d+) segments/],
  ['ab_test_beyond', /^segment (\d+) stands behind the remainder/],
  ['ab_test_share', /^segment (\d+) takes 100 percent/],
  ['ab_test_alike', /^segments ([\d, ]+) have the same /],
  ['mode', /^A campaign of mode (\w+) /],
  ['template', /^idCampDynamic: campaign (\d+) /],
  ['no_rsa_key', /^sender domain (\S+) has only an Ed25519 DKIM key/],
  ['no_dkim_key', /^sender domain (\S+) has no DKIM key/],
  ['unaligned_return_path', /^return path domain (\S+) does not align/],
  ['no_text_part', /^no text part can be made/],
  ['no_advertisement', /^no advertisement at (\[\[[^\]]*\]\])/],
];

/** The ends of sentences about a place in a source, after the tag. */
const faults: readonly (readonly [FindingCode, RegExp])[] = [
  ['unknown_field', /: there is no field \d+$/],
  ['unknown_tag', /: unknown tag$/],
  ['unknown_block', /: there is no content block '[^']*'$/],
  ['unknown_data', /: there is no content data '[^']*'$/],
  ['no_if', /: there is no IF before it$/],
  ['no_end', /: no END follows it$/],
  ['unclosed_tag', /: the tag does not end with \]\]$/],
  ['stray_tag', /: would be shown to readers, because /],
];

const inSource =
  /^([a-zA-Z]+|an advertisement(?: of segment \d+)?|content block [^,]*), line (\d+), column (\d+): /;
const inLine = /^(?:the subject|an alias|a test prefix) holds /;
const lineEnd = / \(column (\d+)\)$/;

/** The finding of a text that a checklist has among its problems or warnings. */
export function findingOf(text: string, isProblem: boolean): Finding {
  const [head, name, line, column] = inSource.exec(text) ?? [];
  if (head !== undefined) {
    const rest = text.slice(head.length);
    return {
      ...faultOf(rest, isProblem),
      text,
      part: partOf(name!),
      line: Number(line),
      column: Number(column),
    };
  }
  const [lead] = inLine.exec(text) ?? [];
  const [tail, at] = lineEnd.exec(text) ?? [];
  if (lead !== undefined && tail !== undefined) {
    const rest = text.slice(lead.length, -tail.length);
    const part = lead.includes('subject') ? 'subject' : 'alias';
    return { ...faultOf(rest, isProblem), text, part, line: 1, column: Number(at) };
  }
  for (const [code, pattern] of sentences) {
    const found = pattern.exec(text);
    if (found)
      return { ...unplaced, code, isProblem, text, about: found[1]?.replaceAll(/,(?=\S)/g, ', ') ?? null };
  }
  return { ...unplaced, code: 'other', isProblem, text, about: null };
}

const unplaced = { part: null, line: null, column: null } as const;

/** Returns the kind of a sentence about a place, and its tag or URL. */
function faultOf(rest: string, isProblem: boolean): Pick<Finding, 'code' | 'isProblem' | 'about'> {
  const [code] = faults.find(([, pattern]) => pattern.test(rest)) ?? [
    isProblem ? ('damaged_content' as const) : ('untracked_link' as const),
  ];
  // A URL and a tag hold colons of their own.
  const ends = [rest.indexOf(': is not tracked: '), rest.startsWith('[[') ? rest.indexOf(']]: ') + 2 : 0];
  const end = ends.find((one) => one > 1) ?? rest.indexOf(': ');
  return { code, isProblem, about: end < 0 ? null : rest.slice(0, end) };
}

function partOf(name: string): string {
  if (name.startsWith('an advertisement')) return 'advertisement';
  return name.startsWith('content block') ? 'block' : name;
}
