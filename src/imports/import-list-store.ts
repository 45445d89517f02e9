import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { inOrder } from '../platform/http/schema.ts';
import { parisZone } from '../platform/paris-time.ts';
import {
  type ImportCounters,
  ImportListItem,
  type ImportLog,
  noCounters,
  safeModeMessage,
} from './import.ts';
import { filenameOf, type Scheduling } from './import-schedule.ts';
import { type ImportState, idOfState, importStates, openStates } from './import-state.ts';
import { lastLogOf } from './import-store.ts';

export const importSortings = ['ID', 'IdImportState', 'ImportState', 'Author'] as const;

interface Wanted {
  /** Finds by a part of the file's name. */
  readonly name?: string | undefined;
  readonly state?: ImportState | undefined;
  readonly sortBy: (typeof importSortings)[number];
  readonly order: 'ASC' | 'DESC';
  readonly start: number;
  readonly limit: number;
}

const sortings = {
  ID: sql`i.id`,
  IdImportState: sql`array_position(${[...importStates]}::text[], i.state)`,
  ImportState: sql`i.state`,
  Author: sql`facteur.fold(i.author)`,
};

interface ListedImport {
  readonly id: number;
  readonly filename: string;
  readonly author: string;
  readonly progression: number;
  readonly state: ImportState;
  readonly scheduling: Scheduling;
  readonly scheduledAt: Date;
  readonly startedAt: Date | null;
  /** The counters of a merge in steps: of the whole file once they are known, and of the subscribers written so far. */
  readonly merged: Partial<ImportCounters & Pick<ImportListItem, 'nbUnchanged'>> | null;
  /** Without what the list does not show, which may be long. */
  readonly log: Omit<ImportLog, 'id' | (typeof notListed)[number]> | null;
  /** Whether safe mode kept that run from changing anything. */
  readonly isHeldBySafeMode: boolean;
}

const notListed = ['filename', 'errorMessage', 'badFormattedRowNumbers'] as const;

const inParis = (format: string) => sql`to_char(i.scheduled_at at time zone ${parisZone}, ${format})`;

/** The formats of PostgreSQL for the parts of a name's template. */
const formatsOfParts = { yyyy: 'YYYY', MM: 'MM', dd: 'DD', HH: 'HH24', mm: 'MI' };

/** The name that the list shows, as `filenameOf` makes it: that of a recurring import has the date of its run. */
const listedName = sql`coalesce(${Object.entries(formatsOfParts).reduce(
  (name, [part, format]) => sql`replace(${name}, ${`{${part}}`}, ${inParis(format)})`,
  sql`nullif(i.scheduling #>> '{recurringInfos,filenameTemplate}', '')`,
)}, i.filename)`;

/** Imports that have something to do yet, and those that were planned for, or have ended, after `since`. */
export async function listImports(
  db: SiteDb,
  since: Date,
  { name, state, sortBy, order, start, limit }: Wanted,
): Promise<{ totalCount: number; items: ImportListItem[] }> {
  const wanted = sql`
    not i.is_deleted and (i.state = any(${[...openStates]}) or i.scheduled_at >= ${since}
      or exists (select from ${db.t.import_log} l where l.id_import = i.id and l.ended_at >= ${since}))
      and ${state ? sql`i.state = ${state}` : sql`true`}
      and ${name ? sql`strpos(facteur.fold(${listedName}), facteur.fold(${name})) > 0` : sql`true`}`;
  const nb = await db.value<number>(sql`select count(*) as nb from ${db.t.import} i where ${wanted}`);
  // The id makes the order total, so that no import is on two pages or on none.
  const rows = await db.rows<ListedImport>(sql`
    select i.id, i.filename, i.author, i.progression, i.state, i.scheduling, i.scheduled_at as "scheduledAt",
      i.started_at as "startedAt", log.log - ${[...notListed]}::text[] as log,
      coalesce(starts_with(log.log ->> 'errorMessage', ${safeModeMessage}), false) as "isHeldBySafeMode",
      (select coalesce(m.counters, '{}') || jsonb_build_object('nbUpdates', m.nb_updates, 'nbInserts', m.nb_inserts,
          'nbUnchanged', m.nb_unchanged)
        from ${db.t.merge_state} m where m.id_import = i.id) as merged
    from ${db.t.import} i ${lastLogOf(db)} where ${wanted}
    order by ${sortings[sortBy]} ${raw(order)}, i.id ${raw(order)} offset ${start} limit ${limit}`);
  return { totalCount: nb, items: rows.map(itemOf) };
}

/**
 * Safe mode counts nobody as unchanged: their rows may differ. Logs of older versions have 0 found for a run that was
 * given up in its steps, which had changed people.
 */
const unchangedOf = ({ log, isHeldBySafeMode }: ListedImport): number =>
  isHeldBySafeMode || !log ? 0 : Math.max(0, log.totalUpdates - log.nbUpdates);

function itemOf(row: ListedImport): ImportListItem {
  // An import that runs has its own start and the counters of its merge; its log follows at its end.
  const { startDate, endDate, ...counters } =
    row.startedAt || !row.log
      ? {
          ...{ ...noCounters(), nbUnchanged: 0, ...row.merged },
          ...{ startDate: row.startedAt?.toISOString() ?? null, endDate: null },
        }
      : { ...row.log, nbUnchanged: unchangedOf(row) };
  return inOrder(ImportListItem, {
    id: row.id,
    filename: filenameOf(row.filename, row.scheduling, row.scheduledAt),
    author: row.author,
    scheduledDate: row.scheduledAt.toISOString(),
    idImportState: idOfState(row.state),
    importState: row.state,
    progression: `${row.progression} %`,
    startDate,
    endDate,
    ...counters,
  });
}
