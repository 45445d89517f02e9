import { hash } from '@node-rs/argon2';
import type { Connection, Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { newSecretText, passwordLinkMs } from './session.ts';
import { hashOfToken } from './token.ts';
import { setPassword } from './user-store.ts';

/** Makes the one password link of a user, which replaces an older one. Only this call returns its text. */
export async function createPasswordLink(control: Connection, idUser: number, at: Date): Promise<string> {
  const text = newSecretText();
  await control.run(sql`
    insert into facteur.password_link (id_user, hash, created_at) values (${idUser}, ${hashOfToken(text)}, ${at})
    on conflict (id_user) do update set hash = excluded.hash, created_at = excluded.created_at`);
  return text;
}

/** Sets a link's user's password; ends their sessions and the link. False for a bad link or a disabled user. */
export async function takePasswordLink(
  control: Database,
  text: string,
  password: string,
  at: Date,
): Promise<boolean> {
  const isGood = sql`hash = ${hashOfToken(text)} and created_at >= ${new Date(at.getTime() - passwordLinkMs)}`;
  // Before anything is computed for whoever tries links.
  const found = await control.first<{ idUser: number }>(
    sql`select id_user as "idUser" from facteur.password_link where ${isGood}`,
  );
  if (!found) return false;
  const passwordHash = await hash(password);
  return control.transaction(async (tx) => {
    // First the user's row, as a change of the user does: one of two waits for the other, and neither for both.
    await tx.run(sql`select from facteur.app_user where id = ${found.idUser} for no key update`);
    // The second of two simultaneous requests finds no row.
    const used = await tx.run(sql`delete from facteur.password_link where ${isGood}`);
    return used > 0 && setPassword(tx, found.idUser, passwordHash);
  });
}
