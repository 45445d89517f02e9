import { hash } from '@node-rs/argon2';
import { type Connection, isDuplicate } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { User } from './user.ts';

interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly isDisabled: boolean;
  readonly createdAt: Date;
  readonly [column: string]: unknown;
}

const columns = sql`id, name, email, password_hash is not null as "hasPassword", is_disabled as "isDisabled",
  created_at as "createdAt"`;

function shown({ id, name, email, hasPassword, isDisabled, createdAt }: StoredUser): User {
  return { id, name, email, hasPassword, isDisabled, creationDate: createdAt.toISOString() };
}

export async function listUsers(control: Connection): Promise<User[]> {
  return (await control.rows<StoredUser>(sql`select ${columns} from facteur.app_user order by id`)).map(
    shown,
  );
}

export async function findUser(control: Connection, id: number): Promise<User | undefined> {
  const row = await control.first<StoredUser>(sql`select ${columns} from facteur.app_user where id = ${id}`);
  return row && shown(row);
}

/** The addresses of the people who administer a site: users with a valid token of the role admin that reaches it. */
export async function emailsOfAdministrators(
  control: Connection,
  idSite: number,
  at: Date,
): Promise<string[]> {
  const rows = await control.rows<{ email: string }>(sql`
    select distinct u.email from facteur.app_user u join facteur.token t on t.id_user = u.id
    where not u.is_disabled and t.role = 'admin' and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${at})
      and (t.all_sites or exists (
        select from facteur.token_site s where s.id_token = t.id and s.id_site = ${idSite}))
    order by u.email`);
  return rows.map(({ email }) => email);
}

export async function findUserByEmail(control: Connection, email: string): Promise<User | undefined> {
  const query = sql`select ${columns} from facteur.app_user where lower(email) = lower(${email})`;
  const row = await control.first<StoredUser>(query);
  return row && shown(row);
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  /** Password for the web console, stored as argon2id (19 MiB, 2 passes, about 6 ms). Without it, no sign-in there. */
  readonly password?: string | null;
}

/** @throws Refusal 409 if the email belongs to another user, in whatever case */
export async function createUser(control: Connection, user: NewUser, at: Date): Promise<User> {
  const passwordHash = user.password ? await hash(user.password) : null;
  const row = await withOwnEmail(
    control.one<StoredUser>(sql`
      insert into facteur.app_user (name, email, password_hash, created_at)
      values (${user.name}, ${user.email}, ${passwordHash}, ${at}) returning ${columns}`),
  );
  return shown(row);
}

/** A change of a user. Omitted and null properties keep their values, except that a null password removes it. */
export interface UserChange {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly isDisabled?: boolean | null;
}

/** Returns the changed user; undefined for an unknown id. @throws 409 if another user has the email, in any case */
export async function updateUser(
  control: Connection,
  id: number,
  { name = null, email = null, password, isDisabled = null }: UserChange,
): Promise<User | undefined> {
  const passwordHash =
    password === undefined ? sql`password_hash` : sql`${password === null ? null : await hash(password)}`;
  const row = await withOwnEmail(
    control.first<StoredUser>(sql`
      update facteur.app_user set
        name = coalesce(${name}, name),
        email = coalesce(${email}, email),
        password_hash = ${passwordHash},
        is_disabled = coalesce(${isDisabled}, is_disabled)
      where id = ${id} returning ${columns}`),
  );
  return row && shown(row);
}

async function withOwnEmail<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (isDuplicate(error, 'app_user_email')) throw conflict('A user with this email already exists');
    throw error;
  }
}
