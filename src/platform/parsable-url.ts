/**
 * Whether the URL standard can parse a text as an absolute URL (relative to `base`, if given): a correct
 * `URL.canParse`. Node's own, up to version 22, reads the bytes of `é` as UTF-8 as soon as its caller is optimised, and
 * then rejects every URL with accents: after thousands of correct calls, links were no longer tracked and redirects
 * failed.
 */
export function isParsableUrl(text: string, base?: string): boolean {
  // A fragment changes nothing, and a character outside Latin-1 keeps Node from its wrong way. `new URL` would be right
  // too, but an exception for each wrong address takes ten times as long.
  return URL.canParse(/^[\x00-\x7f]*$/.test(text) ? text : `${text}#\u2603`, base);
}
