import { plainText } from '../parts/plain-text.ts';

/** A tag that can be written. */
export interface KnownTag {
  /** The inside of the brackets, for example `FLD.101`. */
  readonly inside: string;
  /** In words, for example the name of the field. */
  readonly name: string;
  /** The text that the reader of the preview gets; undefined if it is not known. */
  readonly value?: string | undefined;
}

/** The beginning of a tag before the caret. */
export const begunTag = /\[\[[^[\]\n]*$/;
const mostOptions = 200;

/** The tags that may be meant by the beginning of one: by their insides first, then by their names. */
export function tagsFor(tags: readonly KnownTag[], begun: string): readonly KnownTag[] {
  const wanted = plainText(begun.slice(2));
  const has = (text: string) => plainText(text).includes(wanted);
  const byTag = tags.filter(({ inside }) => has(inside));
  const byName = tags.filter(({ inside, name }) => !has(inside) && has(name));
  return [...byTag, ...byName].slice(0, mostOptions);
}
