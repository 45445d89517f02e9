import { Closed, Count, Instant, type Static, Text, Type } from '../platform/http/schema.ts';

/** The allowed characters of a key of a content block or content data, which is written in tags. */
const edge = '[^\\x00-\\x20\\x7f\\[\\]|]';
export const keyPattern = `^${edge}([^\\x00-\\x1f\\x7f\\[\\]|]{0,98}${edge})?$`;
export const keyRule = '1 to 100 characters without [, ], | and line ends; case does not count';

export const ContentKey = (description: string) =>
  Type.String({
    title: 'String',
    pattern: keyPattern,
    maxLength: 100,
    examples: ['promotion'],
    description: `${description}; ${keyRule}`,
  });

const maxValue = 500_000;

/** A text that contents, advertisements and other content blocks show by the tag [[BLOC.key]]. */
export const ContentBlock = Closed('ContentBlock', {
  contentKey: ContentKey('The key that the tag names'),
  contentValue: Text(
    maxValue,
    'The text that replaces the tag; may contain tags. Inserted unchanged, in HTML as in text',
  ),
});
export type ContentBlock = Static<typeof ContentBlock>;

/** A content block in a list, without its text. */
export const ListedContentBlock = Closed('ListedContentBlock', {
  contentKey: ContentKey('The key that the tag names'),
  size: Count('Bytes of the text in UTF-8'),
  creationDate: Instant(),
  updateDate: Instant('The last change'),
});
export type ListedContentBlock = Static<typeof ListedContentBlock>;
