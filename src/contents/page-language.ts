/** The languages of the pages that readers see. */
export const pageLanguages = ['en', 'fr', 'de', 'es', 'it'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** The looks of the pages of a configuration's messages; '' means the default. */
export interface PageLooks {
  /** '' means the language of the reader's browser. */
  readonly pageLanguage: PageLanguage | '';
  /** `#rrggbb` */
  readonly pageColor: string;
  /** An http or https address. */
  readonly pageLogo: string;
}

export const plainLooks: PageLooks = { pageLanguage: '', pageColor: '', pageLogo: '' };

const isLanguage = (text: string | undefined): text is PageLanguage =>
  (pageLanguages as readonly (string | undefined)[]).includes(text);

/** The supported language that the reader's browser ranks first; English if there is none. */
export function languageOf(acceptLanguage: string | undefined): PageLanguage {
  let best: { language: PageLanguage; quality: number } | undefined;
  for (const range of (acceptLanguage ?? '').slice(0, 200).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const language = tag.split('-')[0];
    if (!isLanguage(language)) continue;
    const q = parameters.map((one) => /^\s*q=([\d.]+)/.exec(one)?.[1]).find(Boolean);
    const quality = q === undefined ? 1 : Number(q);
    if (quality > (best?.quality ?? 0)) best = { language, quality };
  }
  return best?.language ?? 'en';
}
