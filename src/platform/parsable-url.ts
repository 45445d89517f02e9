/**
 * Whether the URL standard can make an absolute address of a text (at `base`, where it may be a relative one):
 * `URL.canParse` as it should be. Node's own, up to version 22, takes the bytes of `é` for UTF-8 as soon as its
 * caller is hot, and says of every address with accents that it is none: links were no longer tracked, and redirects
 * not answered, after some thousand right answers.
 */
export function isParsableUrl(text: string, base?: string): boolean {
  // A fragment changes nothing, and a character outside Latin-1 keeps Node from its wrong way. `new URL` would be right
  // too, but an exception for each wrong address takes ten times as long.
  return URL.canParse(/^[\x00-\x7f]*$/.test(text) ? text : `${text}#\u2603`, base);
}
