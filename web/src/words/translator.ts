/** Returns a sentence of the service in another language; undefined for one that it does not know. */
export type Translate = (text: string) => string | undefined;

/** A path of properties in front of a rule, for example `filters[0].value: `. */
const property = /^(?:[a-z]\w*|\[\d+\])(?:\.\w+|\[\d+\])*: /;
/** What stands between sentences, and between the parts of a list. */
const marks = ['. ', ', '];

/**
 * Makes a function that translates the service's sentences. The sentences differ in numbers and names, which are `{}`
 * in both languages (`{2}` for the second one); values that are sentences themselves are translated too. A sentence
 * with `{!}` is known only if this value is.
 */
export function translator(sentences: Readonly<Record<string, string>>): Translate {
  const known = Object.entries(sentences)
    .map(([english, own]) => ({
      ...{ own, size: english.replaceAll(/\{!?\}/g, '').length },
      pattern: new RegExp(
        `^${english
          .split(/\{!?\}/)
          .map(escaped)
          .join('([\\s\\S]+?)')}$`,
      ),
      needed: [...english.matchAll(/\{!?\}/g)].map(([hole]) => hole === '{!}'),
    }))
    // The one that says the most itself.
    .sort((a, b) => b.size - a.size);
  const ofSentence: Translate = (text) => {
    for (const { pattern, own, needed } of known) {
      const match = pattern.exec(text);
      if (!match) continue;
      const values = match.slice(1).map((value) => translate(value));
      if (needed.some((isNeeded, index) => isNeeded && values[index] === undefined)) continue;
      let next = 0;
      return own.replaceAll(/\{(\d?)\}/g, (_, place: string) => {
        const at = place === '' ? next++ : Number(place) - 1;
        return values[at] ?? match[at + 1]!;
      });
    }
    return undefined;
  };
  const ofParts = (text: string, mark: string): string | undefined => {
    const parts = text.split(mark);
    if (parts.length < 2) return undefined;
    const own = parts.map((part) => ofSentence(part));
    return own.includes(undefined) ? undefined : own.join(mark);
  };
  const translate: Translate = (text) =>
    // Parts first: the last value of a sentence would reach over those that follow.
    marks.map((mark) => ofParts(text, mark)).find((own) => own !== undefined) ??
    ofSentence(text) ??
    (property.test(text) ? translate(text.replace(property, '')) : undefined);
  return translate;
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
