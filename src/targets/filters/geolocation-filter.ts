import { escapeUTF8 } from 'entities';
import { join, type Sql, sql } from '../../platform/db/sql.ts';
import { conflict, invalid } from '../../platform/http/refusal.ts';
import { Maybe, OneOf, Text, Type } from '../../platform/http/schema.ts';
import {
  type Country,
  countries,
  countryNames,
  countryOfKey,
  outwardOf,
  placeKeyOf,
  postcodeKey,
} from '../places/country.ts';
import { departmentOf, frenchDepartments } from '../places/french-departments.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';

const maxPostcodes = 1_000;
const maxRadiusKm = 1_000;

const members = {
  country: Maybe(
    OneOf(
      [...countryNames, '_NBCountry'],
      'Compared with field 41. null or _NBCountry means any; the form of each postcode then decides its country',
    ),
  ),
  postcode: Maybe(
    Text(
      20_000,
      'Postcodes separated by `;`, compared with field 40; British ones may be outward codes (SW1A)',
    ),
  ),
  radius: Maybe(
    Type.Number({
      title: 'Double',
      minimum: 0,
      maximum: maxRadiusKm,
      description: 'Only with postcode: all places at most this many km from the centre of one of them',
    }),
  ),
  excludePostCodes: Maybe(Text(20_000, 'Postcodes separated by `;` whose subscribers are excluded')),
  departmentIds: Maybe(
    Text(2_000, 'French departments separated by `;`, beside those of postcode: 75;2A;974'),
  ),
};
type Definition = Given<typeof members>;

/** Selects by place: country, postcode, distance to a postcode, and French department. */
export const geolocationFilter = filterKind({
  kind: 'geolocation',
  title: 'GeolocationFilter',
  heading: { fr: 'Filtre géographique', en: 'Place' },
  members,
  enabledMember: 'isFilterEnabled',
  flag: 'hasGeolocFilter',
  example: {
    country: 'FRANCE',
    postcode: '69001',
    radius: 20,
    excludePostCodes: '69009',
    departmentIds: null,
  },

  needs: () => ({ postcodes: true }),

  parse(given, site) {
    const of = countriesOf(given);
    const postcode = parsePostcodes(given.postcode, 'postcode', of, site);
    const excludePostCodes = parsePostcodes(given.excludePostCodes, 'excludePostCodes', of, site);
    const departmentIds = parseDepartments(given.departmentIds, of);
    // 0 means none, for callers whose numbers cannot be null.
    const radius = given.radius || null;
    if (radius !== null && postcode === null)
      throw invalid('radius: requires postcode, the centre of the circle');
    const country = given.country ?? null;
    const isEmpty = of.length > 1 && postcode === null && excludePostCodes === null && departmentIds === null;
    return isEmpty ? undefined : { country, postcode, radius, excludePostCodes, departmentIds };
  },

  compile(definition, site) {
    const selected = selectedBy(definition, site);
    const excluded = keysIn(definition.excludePostCodes);
    if (excluded.length === 0) return selected;
    return sql`(${selected} and (${hasPostcode(countriesOf(definition), excluded)}) is not true)`;
  },

  describe({ country, postcode, radius, excludePostCodes, departmentIds }, site, language) {
    const words = placeWords[language];
    const [keys, excluded] = [keysIn(postcode), keysIn(excludePostCodes)];
    const departments = listed(departmentIds).map((code) => `${frenchDepartments.get(code)} (${code})`);
    const isStarter = keys.some((key) => site.postcodes.starterOnly.has(countryOfKey(key)!.name));
    const show = (of: OneOrMany, values: readonly string[]) => shown(of, values, words.total);
    const places = [
      `${radius ? words.around(radius, keys.length) : ''}${show(words.postcodes, keys.map(written))}`,
      show(words.departments, departments),
    ].filter((_, i) => [keys, departments][i]!.length > 0);
    const items = [
      country && country !== '_NBCountry'
        ? `${words.country}<b>${countries[country].inWords[language]}</b>`
        : '',
      places.length > 0 ? `${words.place}${places.join(words.or)}` : '',
      excluded.length > 0 ? `${words.except} ${show(words.thePostcodes, excluded.map(written))}` : '',
      radius && isStarter ? `<i>${words.starter}</i>` : '',
      ...warningsOf(keys, radius, excluded, site).map(({ gone, isCentre }) => {
        const codes = show(words.thePostcodes, gone.map(written));
        return `<i>${words.warn(codes, gone.length)}${isCentre ? words.unusable : words.exactly}</i>`;
      }),
    ].filter(Boolean);
    return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  },
});

type OneOrMany = readonly [one: string, many: string];
const placeWords = {
  fr: {
    postcodes: ['code postal', 'codes postaux'],
    thePostcodes: ['le code postal', 'les codes postaux'],
    departments: ['département', 'départements'],
    around: (km: number, centres: number) =>
      `à <b>${String(km).replace('.', ',')}</b> km au plus ${centres > 1 ? 'de l’un des' : 'du'} `,
    country: 'Pays : ',
    place: 'Lieu : ',
    or: ', ou ',
    except: 'Sauf',
    total: 'en tout',
    starter: 'Seules quelques grandes villes sont connues : la table des codes postaux est celle de départ',
    warn: (codes: string, count: number) =>
      `Attention : ${codes} ${count > 1 ? 'ne sont plus' : 'n’est plus'} dans la table des codes postaux ; `,
    unusable: 'ce filtre ne peut pas être appliqué',
    exactly: 'seuls les abonnés qui ont exactement ce code sont concernés',
  },
  en: {
    postcodes: ['the postcode', 'the postcodes'],
    thePostcodes: ['the postcode', 'the postcodes'],
    departments: ['the department', 'the departments'],
    around: (km: number, centres: number) => `at most <b>${km}</b> km from ${centres > 1 ? 'one of ' : ''}`,
    country: 'Country: ',
    place: 'Place: ',
    or: ', or ',
    except: 'Except',
    total: 'in total',
    starter: 'Only some large cities are known: the table of postcodes is the one installed by default',
    warn: (codes: string, count: number) =>
      `Warning: ${codes} ${count > 1 ? 'are' : 'is'} no longer in the table of postcodes; `,
    unusable: 'this filter cannot be used',
    exactly: 'only subscribers with exactly this postcode are concerned',
  },
} as const;

/** The postcodes that a newer table no longer has: centres, without which the filter cannot be used, and others. */
function warningsOf(
  keys: readonly string[],
  radius: number | null | undefined,
  excluded: readonly string[],
  { postcodes }: FilterSite,
): { gone: string[]; isCentre: boolean }[] {
  const isGone = (key: string) => !postcodes.find(countryOfKey(key)!.name, key);
  const [centres, others] = radius ? [keys, excluded] : [[], [...new Set([...keys, ...excluded])]];
  return [
    { gone: centres.filter(isGone), isCentre: true },
    { gone: others.filter(isGone), isCentre: false },
  ].filter(({ gone }) => gone.length > 0);
}

/** The chosen country; all countries if none is chosen or for `_NBCountry`. */
function countriesOf({ country }: Definition): readonly Country[] {
  return country && country !== '_NBCountry' ? [countries[country]] : Object.values(countries);
}

/** The parts of a list `a;b`, without the empty ones that a last `;` makes. */
function listed(list: string | null | undefined): string[] {
  return (list ?? '').split(';').flatMap((part) => part.trim() || []);
}

const keysIn = (list: string | null | undefined): string[] => listed(list).map(postcodeKey);

/** A postcode as people write it: British ones in two halves. */
function written(key: string): string {
  const outward = countryOfKey(key)?.name === 'UNITED_KINGDOM' ? outwardOf(key) : key;
  return outward === key ? key : `${outward} ${key.slice(outward.length)}`;
}

function parsePostcodes(
  list: string | null | undefined,
  member: string,
  of: readonly Country[],
  site: FilterSite,
): string | null {
  const keys = new Set<string>();
  for (const part of listed(list)) {
    const key = postcodeKey(part);
    const country = countryOfKey(key);
    if (!country || !of.includes(country)) {
      const rules = of.map(({ name, rule }) => `${name}: ${rule}`).join('; ');
      throw invalid(`${member}: '${part.slice(0, 20)}' is not a postcode of the country (${rules})`);
    }
    if (!site.postcodes.find(country.name, key)) {
      const more = 'an administrator loads more by facteur postcodes load <file> or POST /admin/v1/postcodes';
      throw invalid(
        `${member}: ${written(key)} is not in the table of postcodes of ${country.name}; ${more}`,
      );
    }
    keys.add(key);
  }
  if (keys.size > maxPostcodes) throw invalid(`${member}: takes at most ${maxPostcodes} postcodes`);
  return keys.size === 0 ? null : [...keys].map(written).join(';');
}

function parseDepartments(list: string | null | undefined, of: readonly Country[]): string | null {
  const codes = listed(list).map((part) => {
    const code = departmentOf(part);
    if (code !== undefined) return code;
    const hint = part === '20' ? '; Corsica is 2A and 2B' : '';
    throw invalid(`departmentIds: '${part.slice(0, 20)}' is not a French department${hint}`);
  });
  if (codes.length > 0 && !of.includes(countries.FRANCE))
    throw invalid('departmentIds: allowed only if country is FRANCE, _NBCountry or null');
  return codes.length === 0 ? null : [...new Set(codes)].join(';');
}

function selectedBy(definition: Definition, site: FilterSite): Sql {
  const of = countriesOf(definition);
  const keys = keysIn(definition.postcode);
  const departments = listed(definition.departmentIds);
  if (keys.length === 0 && departments.length === 0) {
    return of.length > 1 ? sql`true` : sql`(${join(of.map(livesIn), ' or ')})`;
  }
  const near = definition.radius ? keysAround(keys, definition.radius, of, site) : keys;
  const places = near.length > 0 ? [hasPostcode(of, near)] : [];
  // Filled from the postcode of a French subscriber only.
  if (departments.length > 0) places.push(sql`fld42 = any(${departments}::text[])`);
  return places.length === 0 ? sql`false` : sql`(${join(places, ' or ')})`;
}

function keysAround(keys: readonly string[], km: number, of: readonly Country[], site: FilterSite): string[] {
  const centres = keys.map((key) => {
    const place = site.postcodes.find(countryOfKey(key)!.name, key);
    if (place) return place;
    throw conflict(
      `The geolocation filter uses the postcode ${written(key)}, which no longer exists; remove it from the filter`,
    );
  });
  return [...new Set(site.postcodes.within(of, centres, km).map(({ code }) => code))];
}

/**
 * Field 40 without spaces. Removing spaces costs more than looking up a value, and a value of `digits` digits has none.
 */
const digitsKey = (digits: 4 | 5) =>
  sql`case when octet_length(fld40) > ${digits}::int then facteur.postcode_key(fld40) else fld40 end`;

/**
 * Condition: lives in the country. As for field 42, a subscriber without a country lives in France if the postcode is
 * French.
 */
function livesIn({ name, codes }: Country): Sql {
  const said = sql`fld41 = any(${codes}::text[])`;
  return name === 'FRANCE' ? sql`(${said} or fld41 is null and (${digitsKey(5)}) ~ '^[0-9]{5}$')` : said;
}

/** Condition: one of these is the subscriber's postcode, in the country that has postcodes of its form. */
function hasPostcode(of: readonly Country[], keys: readonly string[]): Sql {
  const conditions = of.flatMap((country) => {
    const own = keys.filter((key) => country.pattern.test(key));
    return own.length > 0 ? [sql`(${livesIn(country)} and ${isAmong(country, own)})`] : [];
  });
  return conditions.length === 0 ? sql`false` : sql`(${join(conditions, ' or ')})`;
}

const britishKey = sql`facteur.postcode_key(fld40)`;
const britishOutward = sql`
  case when ${britishKey} ~ '^.{2,4}[0-9][A-Z]{2}$' then left(${britishKey}, -3) else ${britishKey} end`;

function isAmong(country: Country, keys: readonly string[]): Sql {
  // One value for each row, so that PostgreSQL looks it up in one hash table.
  if (country.name !== 'UNITED_KINGDOM')
    return sql`(${digitsKey(country.name === 'FRANCE' ? 5 : 4)}) = any(${keys}::text[])`;
  const outward = keys.filter((key) => placeKeyOf(country, key) === key);
  const whole = keys.filter((key) => placeKeyOf(country, key) !== key);
  return sql`(${britishOutward} = any(${outward}::text[]) or ${britishKey} = any(${whole}::text[]))`;
}

function shown([one, many]: OneOrMany, values: readonly string[], total: string): string {
  const first = values.slice(0, 20).map((value) => `<b>${escapeUTF8(value)}</b>`);
  const more = values.length > first.length ? `, … (${values.length} ${total})` : '';
  return `${values.length > 1 ? many : one} ${first.join(', ')}${more}`;
}
