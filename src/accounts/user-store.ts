import { hash } from '@node-rs/argon2';
import { type Connection, isDuplicate } from '../platform/db/database.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import { siteNamed } from './site-store.ts';
import type { Preferences, PreferencesChange, User, UserSite } from './user.ts';

const columns = sql`id, name, email, password_hash is not null as "hasPassword", is_disabled as "isDisabled",
  is_administrator as "isAdministrator",
  array(select json_build_object('name', s.name, 'role', us.role)
    from facteur.user_site us join facteur.site s on s.id = us.id_site
    where us.id_user = app_user.id order by s.name) as sites,
  ${isoTime(sql`created_at`)} as "creationDate"`;

export async function listUsers(control: Connection): Promise<User[]> {
  return control.rows(sql`select ${columns} from facteur.app_user order by id`);
}

export async function findUser(control: Connection, id: number): Promise<User | undefined> {
  return control.first(sql`select ${columns} from facteur.app_user where id = ${id}`);
}

export async function preferencesOf(control: Connection, id: number): Promise<Preferences> {
  return control.one(sql`select theme, density from facteur.app_user where id = ${id}`);
}

export async function changePreferences(
  control: Connection,
  id: number,
  { theme = null, density = null }: PreferencesChange,
): Promise<void> {
  await control.run(sql`
    update facteur.app_user set theme = coalesce(${theme}, theme), density = coalesce(${density}, density)
    where id = ${id}`);
}

/** The names of users, by id. */
export async function namesOfUsers(
  control: Connection,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await control.rows<{ id: number; name: string }>(
    sql`select id, name from facteur.app_user where id = any(${[...new Set(ids)]}::int[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Addresses of a site's administrators: users with the role admin there, of their own or by a valid token. */
export async function emailsOfAdministrators(
  control: Connection,
  idSite: number,
  at: Date,
): Promise<string[]> {
  return control.values<string>(sql`
    select u.email from facteur.app_user u
    where not u.is_disabled and (u.is_administrator
      or exists (
        select from facteur.user_site us where us.id_user = u.id and us.id_site = ${idSite} and us.role = 'admin')
      or exists (
        select from facteur.token t
        where t.id_user = u.id and t.role = 'admin' and t.revoked_at is null
          and (t.expires_at is null or t.expires_at > ${at})
          and (t.all_sites or exists (
            select from facteur.token_site s where s.id_token = t.id and s.id_site = ${idSite}))))
    order by u.email`);
}

export async function findUserByEmail(control: Connection, email: string): Promise<User | undefined> {
  return control.first(sql`select ${columns} from facteur.app_user where lower(email) = lower(${email})`);
}

/** The user who can sign in with an address, and the hash of their password. */
export async function signInUser(
  control: Connection,
  email: string,
): Promise<{ id: number; passwordHash: string } | undefined> {
  return control.first<{ id: number; passwordHash: string }>(sql`
    select id, password_hash as "passwordHash" from facteur.app_user
    where lower(email) = lower(${email}) and password_hash is not null and not is_disabled`);
}

/** Whether the installation has a user. */
export async function hasUsers(control: Connection): Promise<boolean> {
  return control.has(sql`select from facteur.app_user limit 1`);
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  /** Password for signing in, stored as argon2id (19 MiB, 2 passes, about 6 ms). Without it, no sign-in. */
  readonly password?: string | null;
  readonly isAdministrator?: boolean | null;
}

/** @throws Refusal 409 if the email belongs to another user, in whatever case */
export async function createUser(control: Connection, user: NewUser, at: Date): Promise<User> {
  const passwordHash = user.password ? await hash(user.password) : null;
  return withOwnEmail(
    control.one<User>(sql`
      insert into facteur.app_user (name, email, password_hash, is_administrator, created_at)
      values (${user.name}, ${user.email}, ${passwordHash}, ${user.isAdministrator ?? false}, ${at})
      returning ${columns}`),
  );
}

/** A change of a user. Omitted and null properties keep their values, except that a null password removes it. */
export interface UserChange {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly isDisabled?: boolean | null;
  readonly isAdministrator?: boolean | null;
}

/**
 * Returns the changed user; undefined for an unknown id. A new password, and disabling, end the user's sessions and
 * password link, an email the link: call it in a transaction. @throws 409 if another user has the email, in any case
 */
export async function updateUser(
  control: Connection,
  id: number,
  { name = null, email = null, password, isDisabled = null, isAdministrator = null }: UserChange,
): Promise<User | undefined> {
  const passwordHash =
    password === undefined ? sql`password_hash` : sql`${password === null ? null : await hash(password)}`;
  // First the user's row: a sign-in that compared the old password waits for it, and fails then.
  const row = await withOwnEmail(
    control.first<User>(sql`
      update facteur.app_user set
        name = coalesce(${name}, name),
        email = coalesce(${email}, email),
        password_hash = ${passwordHash},
        is_disabled = coalesce(${isDisabled}, is_disabled),
        is_administrator = coalesce(${isAdministrator}, is_administrator)
      where id = ${id} returning ${columns}`),
  );
  if (row && (password !== undefined || isDisabled)) await endSessions(control, id);
  // A link that was sent to the old address, which may belong to another person by now, ends as well.
  else if (row && email !== null) await endPasswordLink(control, id);
  return row;
}

/** Ends the sessions of a user except `idKept`, and their password link. */
async function endSessions(control: Connection, idUser: number, idKept: number | null = null): Promise<void> {
  await control.run(sql`
    delete from facteur.session where id_user = ${idUser} and id is distinct from ${idKept}::int`);
  await endPasswordLink(control, idUser);
}

async function endPasswordLink(control: Connection, idUser: number): Promise<void> {
  await control.run(sql`delete from facteur.password_link where id_user = ${idUser}`);
}

/**
 * Replaces the password of a user, and ends their sessions except `idSessionKept`, and their password link.
 * @param replaced the hash that the password must still have; if omitted, any
 * @returns false when they are disabled, have no password, or have another one than `replaced`
 */
export async function setPassword(
  tx: Connection,
  id: number,
  passwordHash: string,
  { idSessionKept = null, replaced = null }: { idSessionKept?: number | null; replaced?: string | null } = {},
): Promise<boolean> {
  // First the user's row: a sign-in that compared the old password waits for it, and fails then.
  const isSet = await tx.run(sql`
    update facteur.app_user set password_hash = ${passwordHash}
    where id = ${id} and not is_disabled and password_hash = coalesce(${replaced}, password_hash)`);
  if (isSet === 0) return false;
  await endSessions(tx, id, idSessionKept);
  return true;
}

/** Replaces the sites that a user has access to when signed in. Call it in a transaction. @throws 404 for a site */
export async function setSitesOfUser(tx: Connection, id: number, sites: readonly UserSite[]): Promise<void> {
  await tx.run(sql`delete from facteur.user_site where id_user = ${id}`);
  for (const { name, role } of sites) {
    const site = await siteNamed(tx, name, 'sites');
    await tx.run(sql`
      insert into facteur.user_site (id_user, id_site, role) values (${id}, ${site.id}, ${role})
      on conflict (id_user, id_site) do update set role = excluded.role`);
  }
}

async function withOwnEmail<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (isDuplicate(error, 'app_user_email')) throw conflict('A user with this email already exists');
    throw error;
  }
}

/**
 * The user of an account at the provider: the user who has signed in with it before. If there is none, it becomes the
 * account of the user who has its verified address. Undefined for a disabled user, and if there is no such user.
 */
export async function userOfOidc(
  control: Connection,
  { issuer, subject, email }: { issuer: string; subject: string; email: string | undefined },
): Promise<{ readonly id: number } | undefined> {
  const known = await control.first<{ id: number; isDisabled: boolean }>(sql`
    select id, is_disabled as "isDisabled" from facteur.app_user
    where oidc_issuer = ${issuer} and oidc_subject = ${subject}`);
  if (known) return known.isDisabled ? undefined : { id: known.id };
  // A user who has another account at this provider is not given a second one: addresses change hands.
  return control.first<{ id: number }>(sql`
    update facteur.app_user set oidc_issuer = ${issuer}, oidc_subject = ${subject}
    where lower(email) = lower(${email ?? null}) and not is_disabled and oidc_issuer is distinct from ${issuer}
    returning id`);
}
