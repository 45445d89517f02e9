import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { tooMany } from '../platform/http/refusal.ts';
import { parisZone } from '../platform/paris-time.ts';
import { Superseded } from '../platform/retried-run.ts';
import { type ExportJobState, maxOpenExports, type StoredExport } from './export.ts';

const columns = sql`id, id_user as "idUser", request, id_repository as "idRepository", created_at as "createdAt", state,
  runs, started_at as "startedAt", ended_at as "endedAt", failing_since as "failingSince", nb_lines as "nbLines",
  nb_replaced as "nbReplaced", message`;

export async function findExport(db: SiteDb, id: number): Promise<StoredExport | undefined> {
  return db.first<StoredExport>(sql`select ${columns} from ${db.t.export_job} where id = ${id}`);
}

/** The one that was created last. */
export async function lastExport(db: SiteDb): Promise<StoredExport | undefined> {
  return db.first<StoredExport>(sql`select ${columns} from ${db.t.export_job} order by id desc limit 1`);
}

/** Returns the SCHEDULED and RUNNING exports; never more than `maxOpenExports`. */
export async function openExports(db: SiteDb): Promise<StoredExport[]> {
  return db.rows<StoredExport>(sql`
    select ${columns} from ${db.t.export_job} where state in ('SCHEDULED', 'RUNNING') order by id`);
}

/** The name of an export's file, as `fileNameOf` makes it. */
const listedName = (db: SiteDb) => sql`(
  select n.name || case when right(lower(n.name), length(n.ending)) = n.ending then '' else n.ending end
  from (select
    case request ->> 'compress' when 'GZip' then '.gz' when 'Zip' then '.zip' else '' end as ending,
    coalesce(nullif(btrim(request ->> 'filename'), ''), concat_ws('_',
      case when request ? 'statType' then 'statistics' else 'export' end, ${db.site.name}::text, id,
      to_char(created_at at time zone ${parisZone}, 'YYYYMMDDHH24MISS')) || '.csv') as name) n)`;

/** One page of exports by id, and how many there are in total. */
export async function listExportRows(
  db: SiteDb,
  of: {
    /** Finds by a part of the file's name. */
    readonly name?: string | undefined;
    readonly state: ExportJobState | undefined;
    readonly isDescending: boolean;
    readonly start: number;
    readonly limit: number;
  },
): Promise<{ totalCount: number; rows: StoredExport[] }> {
  const condition = sql`
    ${of.state ? sql`state = ${of.state}` : sql`true`}
    and ${of.name ? sql`strpos(facteur.fold(${listedName(db)}), facteur.fold(${of.name})) > 0` : sql`true`}`;
  const nb = await db.value<number>(sql`
    select count(*) as nb from ${db.t.export_job} where ${condition}`);
  const rows = await db.rows<StoredExport>(sql`
    select ${columns} from ${db.t.export_job} where ${condition}
    order by id ${of.isDescending ? sql`desc` : sql`asc`} limit ${of.limit} offset ${of.start}`);
  return { totalCount: nb, rows };
}

export interface NewExport {
  readonly idUser: number;
  readonly request: StoredExport['request'];
  readonly idRepository: number;
  readonly at: Date;
}

/** Adds an export; its id. Concurrent calls for a site take turns, so the limit holds. @throws 429 above the limit */
export async function insertExport(tx: SiteDb, of: NewExport): Promise<number> {
  await tx.run(advisoryLock(`exports of ${tx.site.schema}`));
  const nb = await tx.value<number>(sql`
    select count(*) as nb from ${tx.t.export_job} where state in ('SCHEDULED', 'RUNNING')`);
  if (nb >= maxOpenExports)
    throw tooMany(`Error, too many exports in progress (max ${maxOpenExports})`, retryAfterS);
  return tx.value<number>(sql`
    insert into ${tx.t.export_job} (id_user, request, id_repository, created_at, state)
    values (${of.idUser}, ${JSON.stringify(of.request)}, ${of.idRepository}, ${of.at}, 'SCHEDULED')
    returning id`);
}

const retryAfterS = 30;

/** Begins a run of an open export, under the next number; undefined if it has ended or does not exist. */
export async function startExport(db: SiteDb, id: number, at: Date): Promise<StoredExport | undefined> {
  return db.first<StoredExport>(sql`
    update ${db.t.export_job} set state = 'RUNNING', runs = runs + 1, started_at = ${at}, message = ''
    where id = ${id} and state in ('SCHEDULED', 'RUNNING')
    returning ${columns}`);
}

export interface ExportEnd {
  readonly state: 'COMPLETED' | 'FAILED';
  readonly at: Date;
  readonly nbLines: number | null;
  readonly nbReplaced: number | null;
  readonly message: string;
}

/** Records how a run ended. @throws Superseded when a later run has begun */
export async function endExport(
  tx: SiteDb,
  { id, runs }: StoredExport,
  { state, at, nbLines, nbReplaced, message }: ExportEnd,
): Promise<void> {
  const ended = await tx.run(sql`
    update ${tx.t.export_job}
    set state = ${state}, ended_at = ${at}, nb_lines = ${nbLines}, nb_replaced = ${nbReplaced}, message = ${message},
      failing_since = null
    where id = ${id} and runs = ${runs} and state = 'RUNNING'`);
  if (ended === 0) throw supersededExport(id, runs);
}

/** Records why a run failed; returns since when runs have. @throws Superseded when a later run has begun */
export async function noteFailure(
  tx: SiteDb,
  { id, runs }: StoredExport,
  message: string,
  at: Date,
): Promise<Date> {
  const noted = await tx.first<{ since: Date }>(sql`
    update ${tx.t.export_job} set message = ${message}, failing_since = coalesce(failing_since, ${at})
    where id = ${id} and runs = ${runs} and state = 'RUNNING'
    returning failing_since as since`);
  if (!noted) throw supersededExport(id, runs);
  return noted.since;
}

/** Lets an export wait for its next run. @throws Superseded when a later run has begun */
export async function postponeExport(tx: SiteDb, { id, runs }: StoredExport): Promise<void> {
  const postponed = await tx.run(sql`
    update ${tx.t.export_job} set state = 'SCHEDULED' where id = ${id} and runs = ${runs} and state = 'RUNNING'`);
  if (postponed === 0) throw supersededExport(id, runs);
}

const supersededExport = (id: number, runs: number): Superseded =>
  new Superseded(`Run ${runs} of export ${id} is not the last one`);
