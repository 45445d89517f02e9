import { type Connection, isDuplicate } from '../platform/db/database.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Static } from '../platform/http/schema.ts';
import type { PasskeySchema, StoredPasskey } from './passkey.ts';

type Passkey = Static<typeof PasskeySchema>;

const columns = sql`id, name, ${isoTime(sql`created_at`)} as "creationDate",
  ${isoTime(sql`last_used_at`)} as "lastUseDate"`;

export const mostPasskeys = 20;

export async function listPasskeys(control: Connection, idUser: number): Promise<Passkey[]> {
  return control.rows(sql`select ${columns} from facteur.passkey where id_user = ${idUser} order by id`);
}

export async function credentialsOf(control: Connection, idUser: number): Promise<Buffer[]> {
  const rows = await control.rows<{ credential: Buffer }>(
    sql`select credential from facteur.passkey where id_user = ${idUser}`,
  );
  return rows.map(({ credential }) => credential);
}

/** @throws 409 when the passkey is already registered, or the user has too many. */
export async function createPasskey(
  control: Connection,
  idUser: number,
  passkey: Omit<StoredPasskey, 'id' | 'idUser'> & { name: string },
  at: Date,
): Promise<Passkey> {
  const { name, credential, publicKey, counter } = passkey;
  try {
    const row = await control.first<Passkey>(sql`
      insert into facteur.passkey (id_user, name, credential, public_key, counter, created_at)
      select ${idUser}, ${name}, ${credential}, ${publicKey}, ${counter}, ${at}
      where (select count(*) from facteur.passkey where id_user = ${idUser}) < ${mostPasskeys}
      returning ${columns}`);
    if (!row) throw conflict(`You have ${mostPasskeys} passkeys; delete one that you no longer use`);
    return row;
  } catch (error) {
    if (isDuplicate(error, 'passkey_credential_key')) throw conflict('This passkey is already registered');
    throw error;
  }
}

/** False for the passkey of another user. */
export async function deletePasskey(control: Connection, idUser: number, id: number): Promise<boolean> {
  return control.touches(sql`delete from facteur.passkey where id = ${id} and id_user = ${idUser}`);
}

/** The passkey of a credential, of a user who is not disabled. */
export async function findPasskey(
  control: Connection,
  credential: Buffer,
): Promise<StoredPasskey | undefined> {
  return control.first(sql`
    select p.id, p.id_user as "idUser", p.credential, p.public_key as "publicKey", p.counter::int8::float8 as counter
    from facteur.passkey p join facteur.app_user u on u.id = p.id_user
    where p.credential = ${credential} and not u.is_disabled`);
}

/** Notes a use of a verified passkey. False when a challenge that is not newer was used before. */
export async function usePasskey(
  control: Connection,
  { id, counter, challengedAt }: { id: number; counter: number; challengedAt: Date },
  now: Date,
): Promise<boolean> {
  return control.touches(sql`
    update facteur.passkey set counter = ${counter}, last_used_at = ${now}, challenged_at = ${challengedAt}
    where id = ${id} and (challenged_at is null or challenged_at < ${challengedAt})`);
}
