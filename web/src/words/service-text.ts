import { use } from 'react';
import { loadOnce } from '../api/loads.ts';
import type { Format } from './format.ts';
import { type Translate, translator } from './translator.ts';
import { chosenLanguage, useWords } from './words.tsx';

let french: Translate | undefined;
const loadFrench = loadOnce(async () => {
  french = translator((await import('./fr/service.ts')).serviceSentences);
  return french;
});

/** Loads what `useReaderText` needs; a failure leaves the service's own words. */
export async function loadServiceText(): Promise<void> {
  if (chosenLanguage() === 'fr') await loadFrench().catch(() => undefined);
}

/**
 * Returns a function that says a sentence of the service in the reader's language; undefined for one that is not
 * known in it. Refusals load what it needs before they are shown.
 */
export function useReaderText(): Translate {
  const { language, format } = useWords();
  return (text) => {
    const own = language === 'en' ? text : french?.(text);
    return own && withMoments(own, format);
  };
}

/** A text of the service, or another one's words. */
export interface ShownText {
  readonly text: string;
  /** The language, if it is not the reader's. */
  readonly lang: 'en' | undefined;
}

/** Says reasons that the service stored: in the reader's language, or as a quotation of the service. */
export function useServiceText(): (text: string) => ShownText {
  const { language, words, format } = useWords();
  const translate: Translate = language === 'en' ? (text) => text : use(loadFrench());
  return (text) => {
    const own = translate(text);
    return own === undefined
      ? { text: words.errors.quoted(text), lang: 'en' }
      : { text: withMoments(sentence(own), format), lang: undefined };
  };
}

/** A sentence of the service with its instants as the console writes them; what it quotes stays. */
const withMoments = (text: string, format: Format): string =>
  text.replaceAll(/(?<!["“])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (instant) =>
    Number.isNaN(Date.parse(instant)) ? instant : format.moment(instant),
  );

/** A sentence begins with a capital. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
