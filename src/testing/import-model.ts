import type { ImportCounters } from '../imports/import.ts';

/** The fields that the model knows, by id; those of `customFields` among them. */
export type ModelField = 0 | 1 | 43 | 101 | 102;

/** A subscriber: values by field id. */
export type ModelSubscriber = Readonly<Record<ModelField, string | number | null>>;

export interface ModelFile {
  readonly key: ModelField;
  /** The fields of the columns, in their order. */
  readonly columns: readonly ModelField[];
  /** Texts of the cells; the first row is line 2. */
  readonly rows: readonly (readonly string[])[];
  readonly insertEnabled: boolean;
  readonly safeMode: boolean;
}

export interface ModelOutcome {
  readonly counters: ImportCounters;
  /** Why a line is refused. */
  readonly refused: ReadonlyMap<number, string>;
  readonly after: readonly ModelSubscriber[];
}

type Values = Partial<Record<ModelField, string | number | null>>;
type Row = { readonly line: number; readonly values: Values };

/**
 * What an import does, written as slowly and plainly as can be: row after row, each beside those that hold so far. A
 * row is refused for itself, for whom it finds, and for an address or client id that another caller had before the
 * import or that a row above has brought for another key. One that is not refused takes the place of its key's row
 * above.
 */
export function modelImport(before: readonly ModelSubscriber[], file: ModelFile): ModelOutcome {
  const { key, columns, insertEnabled } = file;
  const refused = new Map<number, string>();
  const sound: Row[] = [];
  let nbBadFormattedRows = 0;
  for (const [i, cells] of file.rows.entries()) {
    const line = i + 2;
    const row = { line, values: {} as Values };
    if (cells.length !== columns.length) nbBadFormattedRows++;
    const fault = cells.length === columns.length ? readInto(row.values, cells, file) : 'columns';
    const reason = fault ?? whyRefused(before, sound, row, file);
    if (reason !== undefined) refused.set(line, reason);
    else sound.push(row);
  }
  const winners = sound.filter(
    (row, i) => !sound.slice(i + 1).some((later) => keyOf(later, key) === keyOf(row, key)),
  );
  const found = winners.map((row) => findAll(before, row, key)[0]);
  const isHeld = file.safeMode && refused.size > 0;
  const after = before.map((known) => {
    const at = found.indexOf(known);
    return at < 0 ? known : { ...known, ...winners[at]!.values, [key]: known[key] };
  });
  const added = winners
    .filter((_, i) => !found[i])
    .map(({ values }, i) => ({
      1: null,
      43: null,
      101: null,
      102: null,
      ...values,
      0: before.length + 1 + i,
    }));
  const totalInserts = added.length;
  const counters = {
    totalRows: file.rows.length,
    totalDuplicateKeys: sound.length - winners.length,
    nbValidations: sound.length,
    nbErrorRows: refused.size - nbBadFormattedRows,
    nbBadFormattedRows,
    totalUpdates: winners.length - totalInserts,
    nbUpdates: isHeld ? 0 : after.filter((one, i) => !isSame(one, before[i]!)).length,
    totalInserts,
    nbInserts: isHeld || !insertEnabled ? 0 : totalInserts,
    nbForbiddenInserts: insertEnabled ? 0 : totalInserts,
  };
  return { counters, refused, after: isHeld ? before : [...after, ...(insertEnabled ? added : [])] };
}

const isSame = (one: ModelSubscriber, other: ModelSubscriber) =>
  ([1, 43, 101, 102] as const).every((id) => one[id] === other[id]);

/** How a value is compared: addresses ignoring case. */
const folded = (id: ModelField, value: string | number | null | undefined) =>
  id === 1 && typeof value === 'string' ? value.toLowerCase() : (value ?? null);

const keyOf = ({ values }: Row, key: ModelField) => folded(key, values[key]);

const findAll = (before: readonly ModelSubscriber[], row: Row, key: ModelField) =>
  before.filter((one) => folded(key, one[key]) === keyOf(row, key));

function readInto(values: Values, cells: readonly string[], { key, columns }: ModelFile): string | undefined {
  for (const [i, id] of columns.entries()) {
    const cell = cells[i]!;
    if (id === 1 && !cell.includes('@')) return 'Field 1';
    if (cell === '' && id === key) return `Field ${id}`;
    if (id !== 1 && id !== 101 && cell !== '' && !/^\+?\d+$/.test(cell)) return `Field ${id}`;
    values[id] = cell === '' ? null : id === 1 || id === 101 ? cell : Number(cell);
  }
  return undefined;
}

function whyRefused(
  before: readonly ModelSubscriber[],
  above: readonly Row[],
  row: Row,
  { key, columns, insertEnabled }: ModelFile,
): string | undefined {
  const found = findAll(before, row, key);
  if (found.length > 1) return `${found.length} subscribers have this key`;
  if (found.length === 0) {
    // It is only counted, and takes nothing from anybody.
    if (!insertEnabled) return undefined;
    if (key === 0) return 'no subscriber has this identifier';
    if (!columns.includes(1)) return 'email to insert not found';
  }
  const holding = above.filter(
    (one, i) => !above.slice(i + 1).some((next) => keyOf(next, key) === keyOf(one, key)),
  );
  const taken = columns.filter(
    (id): id is 1 | 43 => (id === 1 || id === 43) && id !== key && row.values[id] !== null,
  );
  const name = (id: 1 | 43) => (id === 1 ? 'email address' : 'client identifier');
  for (const id of taken) {
    const value = folded(id, row.values[id]);
    const other = before.find((one) => one !== found[0] && folded(id, one[id]) === value);
    if (other) return `the ${name(id)} belongs to subscriber ${other[0]}`;
  }
  for (const id of taken) {
    const value = folded(id, row.values[id]);
    const first = holding.find(
      (one) =>
        folded(id, one.values[id]) === value &&
        keyOf(one, key) !== keyOf(row, key) &&
        (insertEnabled || findAll(before, one, key).length > 0),
    );
    if (first) return `the ${name(id)} is already in row ${first.line}`;
  }
  return undefined;
}
