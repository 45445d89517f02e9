import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';

/** The location of an installation's database, by identifiers that its tables do not contain. */
export interface Place {
  /** The server's and the database's numbers: another when a dump was restored or the database cloned. */
  readonly server: string;
  /** The id of the data directory with the embedded database; null with a separate server. */
  readonly dataDir: string | null;
}

/** A period of an installation's life, from one adoption to the next. */
export interface Epoch extends Place {
  readonly id: string;
  readonly mark: number;
}

export interface Hold {
  readonly why: string;
  readonly since: Date;
}

const newest = sql`number = (select max(number) from facteur.installation_epoch)`;

/** The epoch of now; undefined before the first start. */
export async function currentEpoch(control: Connection): Promise<Epoch | undefined> {
  return control.first<Epoch>(sql`
    select id, mark, server, data_dir as "dataDir" from facteur.installation_epoch where ${newest}`);
}

/** Whether an epoch is one of this database's, be it over. */
export async function knowsEpoch(control: Connection, id: string): Promise<boolean> {
  return control.has(sql`select from facteur.installation_epoch where id = ${id}`);
}

/** Keeps what shows the secret, the first time; what is kept. */
export async function keepSecretCheck(control: Connection, check: Buffer): Promise<Buffer> {
  await control.run(sql`
    insert into facteur.installation (secret_check) values (${check}) on conflict do nothing`);
  return (await control.one<{ kept: Buffer }>(sql`select secret_check as kept from facteur.installation`))
    .kept;
}

/** Adds an epoch, which is the current one from then on. */
export async function addEpoch(control: Connection, id: string, place: Place, at: Date): Promise<void> {
  await control.run(sql`
    insert into facteur.installation_epoch (id, began_at, server, data_dir)
    values (${id}, ${at}, ${place.server}, ${place.dataDir})
    on conflict (id) do nothing`);
}

/** Returns the identifiers of the server and the database; every role may read them. */
export async function serverOf(control: Connection): Promise<string> {
  return control.value<string>(sql`
    select (select system_identifier from pg_control_system()) || '/' ||
      (select oid from pg_database where datname = current_database()) as server`);
}

/** The epoch with its mark one higher; undefined when nothing may be sent. */
export async function raiseMark(control: Connection): Promise<{ id: string; mark: number } | undefined> {
  return control.first(sql`
    update facteur.installation_epoch set mark = mark + 1
    where ${newest} and not exists (select from facteur.installation where held_why is not null)
    returning id, mark`);
}

/** Why nothing is sent; undefined when nothing is in the way. */
export async function currentHold(control: Connection): Promise<Hold | undefined> {
  return control.first<Hold>(sql`
    select held_why as why, held_since as since from facteur.installation where held_why is not null`);
}

/** Holds all sending from now on. The first reason stays. */
export async function setHold(control: Connection, why: string, at: Date): Promise<void> {
  await control.run(sql`
    update facteur.installation set held_why = ${why}, held_since = ${at} where held_why is null`);
}

/** Removes the hold. */
export async function clearHold(control: Connection): Promise<void> {
  await control.run(sql`update facteur.installation set held_why = null, held_since = null`);
}

/** Returns the error for a user who tries to send during a hold, and the reason of paused jobs. */
export function holdText({ why }: Hold): string {
  return `Sending is held: ${why}. The operator must adopt this installation first`;
}

/** @throws 409 with the reason while nothing may be sent */
export async function refuseWhileHeld(tx: Connection): Promise<void> {
  const hold = await currentHold(tx);
  if (hold) throw conflict(holdText(hold));
}
