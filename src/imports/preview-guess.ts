import { type Field, isWritable } from '../fields/field.ts';
import { normaliseEmail } from '../platform/email-address.ts';

/** Delimiters that are recognised, the usual ones first. */
const delimiters = [';', ',', '\t', '|'] as const;

/** The delimiter that cuts most lines into as many cells as the first one; `;` when none cuts any. */
export function guessDelimiter(lines: readonly string[]): string {
  let best: { delimiter: string; lines: number; cuts: number } = { delimiter: ';', lines: 0, cuts: 0 };
  for (const delimiter of delimiters) {
    const cuts = lines.map((line) => cutsOf(line, delimiter));
    const first = cuts[0] ?? 0;
    if (first === 0) continue;
    const alike = cuts.filter((one) => one === first).length;
    if (alike > best.lines || (alike === best.lines && first > best.cuts))
      best = { delimiter, lines: alike, cuts: first };
  }
  return best.delimiter;
}

/** Delimiters outside of quotation marks. */
function cutsOf(line: string, delimiter: string): number {
  let cuts = 0;
  let isQuoted = false;
  for (const sign of line) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === delimiter && !isQuoted) cuts++;
  }
  return cuts;
}

/** Whether the first row names the columns: it has no address, number or date, no empty cell, and no name twice. */
export function guessHasNames(first: readonly string[]): boolean {
  const names = first.map(plain);
  return (
    names.length > 0 &&
    new Set(names).size === names.length &&
    first.every((cell) => cell.trim() !== '' && !cell.includes('@') && !/^[\d\s.,:/+-]+$/.test(cell.trim()))
  );
}

/** Other names of the email field that files have. */
const emailNames: ReadonlySet<string> = new Set([
  ...['email', 'mail', 'emailaddress', 'mailaddress', 'adressemail', 'adresseemail', 'courriel'],
]);

/** The field of each column by its name, or by most values being addresses; undefined for none, no field twice. */
export function guessFields(
  columns: readonly { readonly name: string; readonly values: readonly string[] }[],
  fields: readonly Field[],
): (Field | undefined)[] {
  const byName = new Map<string, Field>();
  for (const field of fields.filter(isWritable))
    for (const name of [plain(field.name), `fld${field.id}`]) if (!byName.has(name)) byName.set(name, field);
  const email = fields.find(({ id }) => id === 1);
  const taken = new Set<Field>();
  const take = (field: Field | undefined) => {
    if (!field || taken.has(field)) return undefined;
    taken.add(field);
    return field;
  };
  const guessed = columns.map(({ name }) =>
    take(byName.get(plain(name)) ?? (emailNames.has(plain(name)) ? email : undefined)),
  );
  if (!email || taken.has(email)) return guessed;
  const withAddresses = columns.findIndex(
    ({ values }, i) => guessed[i] === undefined && areAddresses(values),
  );
  return guessed.map((field, i) => (i === withAddresses ? email : field));
}

function areAddresses(values: readonly string[]): boolean {
  const given = values.filter((value) => value.trim() !== '');
  const addresses = given.filter((value) => normaliseEmail(value) !== undefined);
  return given.length > 0 && addresses.length > given.length / 2;
}

/** A name without accents, case and signs: `E-mail` is `email`, `Prénom` is `prenom`. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
