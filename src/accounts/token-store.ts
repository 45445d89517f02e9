import type { Connection } from '../platform/db/database.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import type { RoleName } from './role.ts';
import { hashOfToken, newTokenText, type TokenShown } from './token.ts';

export interface NewToken {
  readonly idUser: number;
  readonly label: string;
  readonly role: RoleName;
  /** Ids of sites, or null for all sites. */
  readonly idsSite: readonly number[] | null;
  readonly expiresAt: Date | null;
  /** The token's text from the configuration. Default: a random one. */
  readonly text?: string;
}

/** Creates a token; its text is returned here and never again. Must run in a transaction. */
export async function createToken(
  tx: Connection,
  token: NewToken,
  at: Date,
): Promise<{ id: number; text: string }> {
  const text = token.text ?? newTokenText();
  const id = await tx.value<number>(sql`
    insert into facteur.token (id_user, hash, label, role, all_sites, created_at, expires_at)
    values (${token.idUser}, ${hashOfToken(text)}, ${token.label}, ${token.role}, ${token.idsSite === null},
      ${at}, ${token.expiresAt})
    returning id`);
  await tx.run(
    sql`insert into facteur.token_site (id_token, id_site) select ${id}, unnest(${token.idsSite ?? []}::int[])`,
  );
  return { id, text };
}

const columns = sql`t.id, t.id_user as "idUser", u.name as "userName", t.label, t.role,
  case when not t.all_sites then
    array(select s.name from facteur.token_site ts join facteur.site s on s.id = ts.id_site
      where ts.id_token = t.id order by 1)
  end as sites,
  ${isoTime(sql`t.created_at`)} as "creationDate", ${isoTime(sql`t.expires_at`)} as "expirationDate",
  ${isoTime(sql`t.revoked_at`)} as "revocationDate", ${isoTime(sql`t.last_used_at`)} as "lastUseDate"`;
const tokens = sql`select ${columns} from facteur.token t join facteur.app_user u on u.id = t.id_user`;

export async function listTokens(control: Connection): Promise<TokenShown[]> {
  return control.rows(sql`${tokens} order by t.id`);
}

export async function findToken(control: Connection, id: number): Promise<TokenShown | undefined> {
  return control.first(sql`${tokens} where t.id = ${id}`);
}

/** Ends a token. The first revocation's instant stays. False when there is no such token. */
export async function revokeToken(control: Connection, id: number, at: Date): Promise<boolean> {
  return control.touches(
    sql`update facteur.token set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}`,
  );
}

/** Whether a token of this text exists, valid or not. */
export async function tokenExists(control: Connection, text: string): Promise<boolean> {
  return control.has(sql`select from facteur.token where hash = ${hashOfToken(text)}`);
}

/** Whether any valid token can administer the installation at this instant. */
export async function hasAdminToken(control: Connection, at: Date): Promise<boolean> {
  return control.has(sql`
    select from facteur.token where role = 'admin' and all_sites and revoked_at is null
      and (expires_at is null or expires_at > ${at}) limit 1`);
}
