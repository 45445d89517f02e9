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
  readonly createdAt: Date;
  readonly [column: string]: unknown;
}

const columns = sql`id, name, email, password_hash is not null as "hasPassword", created_at as "createdAt"`;

function shown({ id, name, email, hasPassword, createdAt }: StoredUser): User {
  return { id, name, email, hasPassword, creationDate: createdAt.toISOString() };
}

export async function listUsers(control: Connection): Promise<User[]> {
  return (await control.rows<StoredUser>(sql`select ${columns} from app_user order by id`)).map(shown);
}

export async function findUser(control: Connection, id: number): Promise<User | undefined> {
  const row = await control.first<StoredUser>(sql`select ${columns} from app_user where id = ${id}`);
  return row && shown(row);
}

export async function findUserByEmail(control: Connection, email: string): Promise<User | undefined> {
  const query = sql`select ${columns} from app_user where lower(email) = lower(${email})`;
  const row = await control.first<StoredUser>(query);
  return row && shown(row);
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  /** For the web console. Kept as argon2id (19 MiB, 2 passes, some 6 ms); none means no sign-in there. */
  readonly password?: string | null;
}

/** @throws Refusal 409 when the email belongs to a user already, in whatever case. */
export async function createUser(control: Connection, user: NewUser, at: Date): Promise<User> {
  const passwordHash = user.password ? await hash(user.password) : null;
  try {
    return shown(
      await control.one<StoredUser>(sql`
        insert into app_user (name, email, password_hash, created_at)
        values (${user.name}, ${user.email}, ${passwordHash}, ${at}) returning ${columns}`),
    );
  } catch (error) {
    if (isDuplicate(error, 'app_user_email')) throw conflict('A user with this email exists already');
    throw error;
  }
}
