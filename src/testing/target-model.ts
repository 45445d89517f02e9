import {
  type ModelSite,
  type Selects,
  selectsByBehaviour,
  selectsByPressure,
  selectsBySending,
  selectsByThematic,
} from './activity-model.ts';
import { type Entry, type Row, selects as selectsByField } from './field-filter-model.ts';
import { type Geolocation, livesThere } from './geolocation-model.ts';
import { modelFiles } from './random-files.ts';
import type { SqlSample } from './sql-filter-model.ts';

/** A filter as the API is given it. */
export interface ModelFilter {
  readonly kind: string;
  readonly isEnabled: boolean;
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface ModelTarget {
  readonly filters: readonly ModelFilter[];
  readonly pctSelect: number;
  readonly maxSelect: number | null;
  readonly isRandomMode: boolean;
  /** Positions of other targets in the list that this one is in. */
  readonly excluded: readonly number[];
}

/** The meaning of drawn SQL expressions: a definition has only their text. */
export const meaningsOfSql = new Map<string, SqlSample['holds']>();

/** A filter that looks at nothing but a subscriber's own values. */
function byRow(site: ModelSite, isSo: (row: Row, id: number) => boolean): Selects {
  const rows = new Map(site.subscribers.map(({ id, row }) => [id, row]));
  return (id) => isSo(rows.get(id)!, id);
}

const textOf = (value: unknown) => (value ?? null) as string | null;

/** For each kind of filter: the subscribers that a definition selects. A definition has the members of its kind. */
export const filterModels: Readonly<
  Record<string, (definition: never, site: ModelSite, now: Date) => Selects>
> = {
  field: ({ filters }: { filters: readonly Entry[] }, site, now) =>
    byRow(site, (row) =>
      filters.every((entry) => selectsByField(entry, site.fields.get(entry.idField)!, row, now)),
    ),
  geolocation: (definition: Geolocation, site) =>
    byRow(site, (row) =>
      livesThere(definition, { postcode: textOf(row.get(40)), country: textOf(row.get(41)) }),
    ),
  file: ({ filename, dbFieldName }: { filename: string; dbFieldName: string }, site) => {
    const file = modelFiles.find((one) => one.filename === filename && one.dbFieldName === dbFieldName)!;
    return byRow(site, (row, id) => file.lists(id, row));
  },
  sql: ({ sql }: { sql: string }, site) => {
    const holds = meaningsOfSql.get(sql)!;
    return byRow(site, (row) => holds(row) === true);
  },
  behaviour: selectsByBehaviour,
  thematic: selectsByThematic,
  sending: selectsBySending,
  emailPressure: selectsByPressure,
};

/** The ids that a target's filters and exclusions leave, ascending, and how many of them it takes. */
export interface ModelSelection {
  readonly ids: readonly number[];
  readonly count: number;
}

/** The subscribers of a target: the words of the document, over one subscriber after the other. */
export function selectionOf(
  targets: readonly ModelTarget[],
  position: number,
  site: ModelSite,
  now: Date,
): ModelSelection {
  const target = targets[position]!;
  const filters = target.filters
    .filter((filter) => filter.isEnabled)
    .map(({ kind, definition }) => filterModels[kind]!(definition as never, site, now));
  const out = new Set(target.excluded.flatMap((one) => idsOf(selectionOf(targets, one, site, now))));
  const ids = site.subscribers
    .map((subscriber) => subscriber.id)
    .filter((id) => !out.has(id) && filters.every((selects) => selects(id)));
  const share = target.maxSelect ?? Math.ceil((ids.length * target.pctSelect) / 100);
  return { ids, count: Math.min(share, ids.length) };
}

/** The subscribers of a target that draws nothing at random. */
export function idsOf({ ids, count }: ModelSelection): readonly number[] {
  return ids.slice(0, count);
}
