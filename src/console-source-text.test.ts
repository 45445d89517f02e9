import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedPart, likeSource, replaceParts, shownText } from '../web/src/campaigns/source-text.ts';
import { makeFormat } from '../web/src/words/format.ts';

const parts = ['a', 'é', '\t', ' ', '\u{1f600}', '\n', '\r\n', '<p>', '[['];
/** Texts with the line ends given, and others. */
const textsOf = (...more: string[]) =>
  fc.array(fc.constantFrom(...parts, ...more), { maxLength: 40 }).map((all) => all.join(''));

/** The place in the source of a place in the shown text, counted one by one. */
function placeIn(source: string, place: number): number {
  let at = 0;
  for (let shown = 0; shown < place; shown++) at += source.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

describe('the source of a message in the console', () => {
  it('keeps all bytes outside of the part that is replaced, whatever the line ends', () => {
    fc.assert(
      fc.property(textsOf('\r'), textsOf('\r'), fc.nat(), fc.nat(), (source, insert, one, other) => {
        const { length } = shownText(source);
        const [from = 0, to = 0] = [one % (length + 1), other % (length + 1)].sort((a, b) => a - b);
        expect(replaceParts(source, [{ from, to, insert }])).toBe(
          source.slice(0, placeIn(source, from)) + insert + source.slice(placeIn(source, to)),
        );
      }),
    );
  });

  it('finds the one part that differs, so that a plain field loses no line end', () => {
    fc.assert(
      fc.property(textsOf(), textsOf(), (source, typed) => {
        const after = shownText(typed);
        const part = changedPart(shownText(source), after);
        const result = replaceParts(source, [{ ...part, insert: likeSource(part.insert, source) }]);
        expect(shownText(result)).toBe(after);
        expect(result.startsWith(source.slice(0, placeIn(source, part.from)))).toBe(true);
        expect(result.endsWith(source.slice(placeIn(source, part.to)))).toBe(true);
      }),
    );
  });

  it('gives typed lines the line end of the source', () => {
    expect(likeSource('a\nb', 'x\r\ny\n')).toBe('a\r\nb');
    expect(likeSource('a\nb', 'x')).toBe('a\nb');
    expect(replaceParts('a\r\nb\nc', [{ from: 1, to: 4, insert: '-' }])).toBe('a-c');
  });
});

describe('a share in the console', () => {
  it('is none or all only if that is exact', () => {
    const shares = (language: 'en' | 'fr') =>
      [0, 1, 500, 50_000, 999_999, 1_000_000].map((part) =>
        makeFormat(language).share(part, 1_000_000).replaceAll(/\s/g, ' '),
      );
    expect(shares('en')).toEqual(['0.0%', 'under 0.01%', '0.05%', '5.0%', 'over 99.9%', '100.0%']);
    expect(shares('fr')).toEqual([
      '0,0 %',
      'moins de 0,01 %',
      '0,05 %',
      '5,0 %',
      'plus de 99,9 %',
      '100,0 %',
    ]);
  });
});
