import { type Connection, isDuplicate } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Static } from '../platform/http/schema.ts';
import type { PasskeySchema, StoredPasskey } from './passkey.ts';

type Passkey = Static<typeof PasskeySchema>;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly [column: string]: unknown;
}

const columns = sql`id, name, created_at as "createdAt", last_used_at as "lastUsedAt"`;
const shown = ({ id, name, createdAt, lastUsedAt }: Row): Passkey => ({
  id,
  name,
  creationDate: createdAt.toISOString(),
  lastUseDate: lastUsedAt?.toISOString() ?? null,
});

/** The passkeys that a user may have. */
export const mostPasskeys = 20;

export async function listPasskeys(control: Connection, idUser: number): Promise<Passkey[]> {
  const rows = await control.rows<Row>(
    sql`select ${columns} from facteur.passkey where id_user = ${idUser} order by id`,
  );
  return rows.map(shown);
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
  passkey: Omit<StoredPasskey, 'id' | 'idUser'> & { name: string; transports: readonly string[] },
  at: Date,
): Promise<Passkey> {
  const { name, credential, publicKey, counter, transports } = passkey;
  try {
    const row = await control.first<Row>(sql`
      insert into facteur.passkey (id_user, name, credential, public_key, counter, transports, created_at)
      select ${idUser}, ${name}, ${credential}, ${publicKey}, ${counter}, ${transports}, ${at}
      where (select count(*) from facteur.passkey where id_user = ${idUser}) < ${mostPasskeys}
      returning ${columns}`);
    if (!row) throw conflict(`You have ${mostPasskeys} passkeys; delete one that you no longer use`);
    return shown(row);
  } catch (error) {
    if (isDuplicate(error, 'passkey_credential_key')) throw conflict('This passkey is already registered');
    throw error;
  }
}

/** False for the passkey of another user. */
export async function deletePasskey(control: Connection, idUser: number, id: number): Promise<boolean> {
  return (await control.run(sql`delete from facteur.passkey where id = ${id} and id_user = ${idUser}`)) > 0;
}

/** The passkey of a credential, of a user who is not disabled. */
export async function findPasskey(
  control: Connection,
  credential: Buffer,
): Promise<StoredPasskey | undefined> {
  return control.first<StoredPasskey & { [column: string]: unknown }>(sql`
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
  const used = await control.run(sql`
    update facteur.passkey set counter = ${counter}, last_used_at = ${now}, challenged_at = ${challengedAt}
    where id = ${id} and (challenged_at is null or challenged_at < ${challengedAt})`);
  return used > 0;
}
