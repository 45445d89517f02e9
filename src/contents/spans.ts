/** A part of a source; positions count UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns what finds the span around a part; spans and parts come in order, so all look-ups are one walk. */
export function follow<T extends Span>(spans: readonly T[]): (start: number, end: number) => T | undefined {
  let next = 0;
  return (start, end) => {
    while (next < spans.length && spans[next]!.end < end) next++;
    const span = spans[next];
    return span && span.start <= start ? span : undefined;
  };
}

/** Returns a function that reports whether a part has any of the spans. Both come in order, so it is one walk. */
export function holding(spans: readonly Span[]): (stretch: Span) => boolean {
  let next = 0;
  return ({ start, end }) => {
    while (next < spans.length && spans[next]!.start < start) next++;
    const span = spans[next];
    return span !== undefined && span.end <= end;
  };
}

/** The spans after `length` units were inserted at a position; a span around the position grows. */
export function moved<T extends Span>(spans: readonly T[], at: number, length: number): T[] {
  return spans.map((span) => ({
    ...span,
    start: span.start < at ? span.start : span.start + length,
    end: span.end > at ? span.end + length : span.end,
  }));
}

/** The spans that contain any of the parts, with these parts; both come in order. */
export function partsWithin<S extends Span, P extends Span>(
  spans: readonly S[],
  parts: readonly P[],
): ReadonlyMap<S, readonly P[]> {
  const found = new Map<S, P[]>();
  const spanAt = follow(spans);
  for (const part of parts) {
    const span = spanAt(part.start, part.end);
    if (!span) continue;
    const known = found.get(span);
    if (known) known.push(part);
    else found.set(span, [part]);
  }
  return found;
}

/** The line and column of a position in a source, both from 1; CR, LF and CRLF end a line. */
export function lineAndColumn(
  source: string,
  position: number,
): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  const end = /\r\n|\r|\n/g;
  for (let match = end.exec(source); match && end.lastIndex <= position; match = end.exec(source)) {
    line++;
    lineStart = end.lastIndex;
  }
  return { line, column: position - lineStart + 1 };
}
