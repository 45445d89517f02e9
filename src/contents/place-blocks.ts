import { decodeInside } from './content-template.ts';
import { type PlacedText, Placer, placeholdersIn } from './placer.ts';
import { foldKey, type ParsedTag } from './tag-parser.ts';

/** The content blocks that sources name, by their folded key (`foldKey`). */
export type BlocksByKey = Pick<ReadonlyMap<string, { readonly key: string; readonly value: string }>, 'get'>;

const ofBlocks = {
  decode: decodeInside,
  keyOf: (tag: ParsedTag) => (tag.kind === 'block' ? foldKey(tag.key) : undefined),
};

/** The distinct folded keys of the tags [[BLOC.key]] of a source. */
export function blockKeysOf(source: string): string[] {
  // Most sources have none.
  if (!/\[\[\s*BLOC\./i.test(source)) return [];
  return [...new Set(placeholdersIn(source, ofBlocks).map(({ key }) => key))];
}

/**
 * Replaces the tags [[BLOC.key]] by content blocks, nested ones too. They become part of the source. The id of a piece
 * is the block's key, '' for the source itself.
 * @param isLine whether the source is a single line: line ends of blocks become spaces
 */
export function placeBlocks(source: string, blocks: BlocksByKey, isLine = false): PlacedText<string> {
  const placer = new Placer<string, string>({
    ...ofBlocks,
    own: '',
    find(key) {
      const found = blocks.get(key);
      return (
        found && { id: found.key, text: isLine ? found.value.replaceAll(/\s*[\r\n]+\s*/g, ' ') : found.value }
      );
    },
    words: {
      missing: (tag) => `${tag}: there is no such content block; create it by updateContentBlock`,
      one: (tag) => `the content block at ${tag}`,
      many: 'content blocks',
      whole: 'a content with its content blocks',
    },
  });
  return placer.place(source);
}
