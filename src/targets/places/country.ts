import type { Language } from '../../fields/period.ts';

/** The countries of the geolocation filter, by their names in the API document. */
export const countryNames = ['FRANCE', 'UNITED_KINGDOM', 'BELGIQUE'] as const;
export type CountryName = (typeof countryNames)[number];

export interface Country {
  readonly name: CountryName;
  readonly inWords: Readonly<Record<Language, string>>;
  /** Codes of field 41, ISO 3166-1: the country and its territories with their own postal codes. */
  readonly codes: readonly string[];
  /** The form of a `postcodeKey`. */
  readonly pattern: RegExp;
  readonly rule: string;
}

/** France's territories have codes of their own and postcodes of the same five digits. */
const frenchCodes = 'FR GP MQ GF RE PM YT BL MF TF WF PF NC'.split(' ');

export const countries: Readonly<Record<CountryName, Country>> = {
  FRANCE: {
    name: 'FRANCE',
    inWords: { fr: 'France', en: 'France' },
    codes: frenchCodes,
    pattern: /^\d{5}$/,
    rule: 'five digits, for example 75001',
  },
  UNITED_KINGDOM: {
    name: 'UNITED_KINGDOM',
    inWords: { fr: 'Royaume-Uni', en: 'United Kingdom' },
    codes: ['GB'],
    // The outward code alone (SW1A), or with the inward one (SW1A1AA).
    pattern: /^[A-Z]{1,2}\d[A-Z\d]?(?:\d[A-Z]{2})?$/,
    rule: 'a whole postcode or an outward code, for example SW1A 1AA or SW1A',
  },
  BELGIQUE: {
    name: 'BELGIQUE',
    inWords: { fr: 'Belgique', en: 'Belgium' },
    codes: ['BE'],
    pattern: /^\d{4}$/,
    rule: 'four digits, for example 1000',
  },
};

/** A postcode in the form in which postcodes are compared: without spaces, in capitals. */
export function postcodeKey(text: string): string {
  return text.replaceAll(/\s+/g, '').toUpperCase();
}

/** The country whose postcodes have this form; the three forms do not overlap. */
export function countryOfKey(key: string): Country | undefined {
  return Object.values(countries).find(({ pattern }) => pattern.test(key));
}

/** The outward code of a British key: `SW1A` for `SW1A1AA` and for `SW1A`. */
export function outwardOf(key: string): string {
  return key.length >= 5 && /\d[A-Z]{2}$/.test(key) ? key.slice(0, -3) : key;
}

/** The key of a postcode's place in the table of postcodes. */
export function placeKeyOf(country: Country, key: string): string {
  return country.name === 'UNITED_KINGDOM' ? outwardOf(key) : key;
}
