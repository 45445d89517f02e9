/** A replaced part of a text whose line ends are single line feeds. */
export interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

const lineEnds = /\r\n?/g;

/** The text as an editor shows it: every line end is one line feed. */
export const shownText = (source: string): string => source.replaceAll(lineEnds, '\n');

/** The line end of a source's first line, for lines that are added. */
const lineEndOf = (source: string): string => /\r\n?|\n/.exec(source)?.[0] ?? '\n';

/** Gives lines that were typed the line ends of the source. */
export const likeSource = (typed: string, source: string): string =>
  typed.replaceAll('\n', lineEndOf(source));

/**
 * The source after parts of what an editor shows of it were replaced. Everything outside of them keeps its bytes, mixed
 * line ends too; what is inserted is taken as it is.
 * @param parts in order, with places in `shownText(source)`
 */
export function replaceParts(source: string, parts: readonly Replaced[]): string {
  const pieces: string[] = [];
  const walk = walker(source);
  let kept = 0;
  for (const { from, to, insert } of parts) {
    const start = walk(from);
    pieces.push(source.slice(kept, start), insert);
    kept = walk(to);
  }
  pieces.push(source.slice(kept));
  return pieces.join('');
}

/** Returns a function that finds the place in the source of places in the shown text, which come in order. */
function walker(source: string): (place: number) => number {
  let shown = 0;
  let at = 0;
  return (place) => {
    while (shown < place) {
      // Only a pair of two characters is shown as one.
      const next = source.indexOf('\r\n', at);
      const free = next < 0 ? Number.POSITIVE_INFINITY : next - at;
      const step = Math.min(place - shown, free);
      at += step;
      shown += step;
      if (shown < place) {
        at += 2;
        shown += 1;
      }
    }
    return at;
  };
}

/** The one part that differs between two texts. */
export function changedPart(before: string, after: string): Replaced {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
