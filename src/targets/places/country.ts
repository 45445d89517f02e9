/** The countries of the geolocation filter, by the document's names of them. */
export const countryNames = ['FRANCE', 'UNITED_KINGDOM', 'BELGIQUE'] as const;
export type CountryName = (typeof countryNames)[number];

export interface Country {
  readonly name: CountryName;
  readonly french: string;
  /** What field 41 holds, ISO 3166-1: the country, and territories whose post is its own. */
  readonly codes: readonly string[];
  /** A postcode as it is compared, see `postcodeKey`. */
  readonly pattern: RegExp;
  readonly rule: string;
}

/** France's territories have codes of their own and postcodes of the same five digits. */
const frenchCodes = 'FR GP MQ GF RE PM YT BL MF TF WF PF NC'.split(' ');

export const countries: Readonly<Record<CountryName, Country>> = {
  FRANCE: {
    name: 'FRANCE',
    french: 'France',
    codes: frenchCodes,
    pattern: /^\d{5}$/,
    rule: 'five digits, as 75001',
  },
  UNITED_KINGDOM: {
    name: 'UNITED_KINGDOM',
    french: 'Royaume-Uni',
    codes: ['GB'],
    // The outward code alone (SW1A), or with the inward one (SW1A1AA).
    pattern: /^[A-Z]{1,2}\d[A-Z\d]?(?:\d[A-Z]{2})?$/,
    rule: 'an outward code, as SW1A, or a whole one, as SW1A 1AA',
  },
  BELGIQUE: {
    name: 'BELGIQUE',
    french: 'Belgique',
    codes: ['BE'],
    pattern: /^\d{4}$/,
    rule: 'four digits, as 1000',
  },
};

/** A postcode as postcodes are compared: without spaces, in capitals. */
export function postcodeKey(text: string): string {
  return text.replaceAll(/\s+/g, '').toUpperCase();
}

/** The country whose postcodes look so; the three do not overlap. */
export function countryOfKey(key: string): Country | undefined {
  return Object.values(countries).find(({ pattern }) => pattern.test(key));
}

/** Of a British key the outward code, `SW1A` of `SW1A1AA`; itself when it is one. */
export function outwardOf(key: string): string {
  return key.length >= 5 && /\d[A-Z]{2}$/.test(key) ? key.slice(0, -3) : key;
}

/** The key under which the table of postcodes has a place. */
export function placeKeyOf(country: Country, key: string): string {
  return country.name === 'UNITED_KINGDOM' ? outwardOf(key) : key;
}
