/** A text without capitals and accents, as searches compare it. */
export const plainText = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
