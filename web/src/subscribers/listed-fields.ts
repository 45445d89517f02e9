import type { Field } from './fields.ts';

/** Words in the names of fields, without accents: a site calls its fields as it likes. */
const namesOf = {
  first: ['first name', 'firstname', 'forename', 'given name', 'prenom'],
  last: ['last name', 'lastname', 'surname', 'family name', 'nom de famille'],
  whole: ['name', 'full name', 'fullname', 'nom', 'nom complet'],
  city: ['city', 'town', 'ville', 'commune'],
} as const;

/** The fields of a site that hold the name of a person, in the order in which it is said, and their city. */
export interface ListedFields {
  readonly name: readonly Field[];
  readonly city: Field | undefined;
}

/** Finds the fields of name and city by how the site calls them. */
export function listedFields(fields: readonly Field[]): ListedFields {
  const texts = fields.filter(({ isSystem, fieldType }) => !isSystem && fieldType === 'Text');
  const find = (names: readonly string[]) =>
    texts.find((field) => names.some((name) => ` ${plain(field.name)} `.includes(` ${name} `)));
  const [first, last] = [find(namesOf.first), find(namesOf.last)];
  const whole = texts.find((field) => namesOf.whole.some((name) => plain(field.name) === name));
  // Where the first name has a field of its own, “Nom” is the last name.
  const name = first ? [first, last ?? whole] : [whole ?? last];
  return { name: name.filter((field) => field !== undefined), city: find(namesOf.city) };
}

/** The words of a name in lower case, without accents and signs. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
