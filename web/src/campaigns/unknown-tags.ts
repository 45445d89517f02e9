import { escapeValue } from './mjml-text.ts';

/** Sentences about tags that cannot be filled wherever they are, by the tag as it is written. */
export type UnknownTags = ReadonlyMap<string, string>;

/** The sentences about the unknown tags of a text; undefined if it has none. */
export function saidOf(unknown: UnknownTags, text: string): string | undefined {
  // The message has the values of attributes with entities.
  const written = `${text}\n${escapeValue(text)}`;
  const said = [...unknown].filter(([tag]) => written.includes(tag)).map(([, sentence]) => sentence);
  return said.length > 0 ? said.join(' ') : undefined;
}
