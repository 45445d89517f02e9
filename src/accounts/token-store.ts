import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
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
  const { id } = await tx.one<{ id: number }>(sql`
    insert into facteur.token (id_user, hash, label, role, all_sites, created_at, expires_at)
    values (${token.idUser}, ${hashOfToken(text)}, ${token.label}, ${token.role}, ${token.idsSite === null},
      ${at}, ${token.expiresAt})
    returning id`);
  await tx.run(
    sql`insert into facteur.token_site (id_token, id_site) select ${id}, unnest(${token.idsSite ?? []}::int[])`,
  );
  return { id, text };
}

interface StoredToken
  extends Omit<TokenShown, 'creationDate' | 'expirationDate' | 'revocationDate' | 'lastUseDate'> {
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly [column: string]: unknown;
}

const shownColumns = sql`t.id, t.id_user as "idUser", u.name as "userName", t.label, t.role,
  case when not t.all_sites then
    array(select s.name from facteur.token_site ts join facteur.site s on s.id = ts.id_site
      where ts.id_token = t.id order by 1)
  end as sites,
  t.created_at as "createdAt", t.expires_at as "expiresAt", t.revoked_at as "revokedAt",
  t.last_used_at as "lastUsedAt"`;

function shown({ createdAt, expiresAt, revokedAt, lastUsedAt, ...token }: StoredToken): TokenShown {
  return {
    ...token,
    creationDate: createdAt.toISOString(),
    expirationDate: expiresAt?.toISOString() ?? null,
    revocationDate: revokedAt?.toISOString() ?? null,
    lastUseDate: lastUsedAt?.toISOString() ?? null,
  };
}

export async function listTokens(control: Connection): Promise<TokenShown[]> {
  const rows = await control.rows<StoredToken>(
    sql`select ${shownColumns} from facteur.token t join facteur.app_user u on u.id = t.id_user order by t.id`,
  );
  return rows.map(shown);
}

export async function findToken(control: Connection, id: number): Promise<TokenShown | undefined> {
  const row = await control.first<StoredToken>(
    sql`select ${shownColumns} from facteur.token t join facteur.app_user u on u.id = t.id_user where t.id = ${id}`,
  );
  return row && shown(row);
}

/** Ends a token. The first revocation's instant stays. False when there is no such token. */
export async function revokeToken(control: Connection, id: number, at: Date): Promise<boolean> {
  return (
    (await control.run(
      sql`update facteur.token set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}`,
    )) > 0
  );
}

/** Whether a token of this text exists, valid or not. */
export async function tokenExists(control: Connection, text: string): Promise<boolean> {
  return (
    (await control.first(sql`select from facteur.token where hash = ${hashOfToken(text)}`)) !== undefined
  );
}

/** Whether any valid token can administer the installation at this instant. */
export async function hasAdminToken(control: Connection, at: Date): Promise<boolean> {
  const query = sql`
    select from facteur.token where role = 'admin' and all_sites and revoked_at is null
      and (expires_at is null or expires_at > ${at}) limit 1`;
  return (await control.first(query)) !== undefined;
}
