import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { FoundCaller } from './caller-store.ts';
import { administrationRightsOf, type RoleName, rightsOf } from './role.ts';
import { idleMs, type MySite, newSecretText, sessionMs } from './session.ts';
import { hashOfToken } from './token.ts';

/**
 * Makes a session for a user who has just proved who they are; only this call returns its text. Undefined when the
 * user was disabled in the meantime. Sessions that have ended are deleted on the way.
 * @param passwordHash the hash of the password that was compared, which the user must still have; if omitted, the
 * proof was another one
 */
export async function createSession(
  control: Connection,
  { id, passwordHash = null }: { readonly id: number; readonly passwordHash?: string | null },
  at: Date,
): Promise<string | undefined> {
  const text = newSecretText();
  await control.run(sql`
    delete from facteur.session where last_used_at < ${before(at, idleMs)} or created_at < ${before(at, sessionMs)}`);
  // The lock waits for a change of the password that has not committed yet, and reads the row again then.
  const made = await control.run(sql`
    insert into facteur.session (id_user, hash, created_at, last_used_at)
    select id, ${hashOfToken(text)}, ${at}, ${at} from facteur.app_user
    where id = ${id} and not is_disabled
      and (${passwordHash}::text is null or password_hash = ${passwordHash})
    for share`);
  return made > 0 ? text : undefined;
}

/** Ends one session; false when it has already ended. */
export async function endSession(control: Connection, id: number): Promise<boolean> {
  return (await control.run(sql`delete from facteur.session where id = ${id}`)) > 0;
}

interface StoredSession {
  readonly idSession: number;
  readonly idUser: number;
  readonly userName: string;
  readonly isAdministrator: boolean;
  readonly lastUsedAt: Date;
  /** The user's role on the site that is requested. */
  readonly role: RoleName | null;
}

/**
 * The user of a session, with the rights that they have on a site, or outside of sites when `siteName` is undefined.
 * Undefined for a session that is unknown or has ended, and of a disabled user. Read at each request, so that a session
 * ends everywhere at once; its last use is written at most once a minute.
 * @param isCheck whether this is no use of the session: an open stream does not keep it alive
 */
export async function findSession(
  control: Connection,
  text: string,
  siteName: string | undefined,
  now: Date,
  isCheck = false,
): Promise<FoundCaller | undefined> {
  const [session] = await control.prepared<StoredSession>(
    'accounts.session',
    sql`select s.id as "idSession", u.id as "idUser", u.name as "userName",
          u.is_administrator as "isAdministrator", s.last_used_at as "lastUsedAt",
          (select us.role from facteur.user_site us join facteur.site o on o.id = us.id_site
            where us.id_user = u.id and o.name = ${siteName ?? null}) as role
        from facteur.session s join facteur.app_user u on u.id = s.id_user
        where s.hash = ${hashOfToken(text)} and not u.is_disabled
          and s.last_used_at >= ${before(now, idleMs)} and s.created_at >= ${before(now, sessionMs)}`,
  );
  if (!session) return undefined;
  if (!isCheck) await noteUse(control, session, now);
  const { idSession, idUser, userName, isAdministrator } = session;
  const role = isAdministrator ? 'admin' : session.role;
  const rights =
    siteName === undefined || role === null
      ? administrationRightsOf('admin', isAdministrator)
      : rightsOf(role);
  const reachesSite = siteName === undefined || role !== null;
  return { caller: { idToken: null, idSession, idUser, userName, rights }, reachesSite };
}

async function noteUse(control: Connection, session: StoredSession, now: Date): Promise<void> {
  const minuteAgo = before(now, 60_000);
  if (session.lastUsedAt > minuteAgo) return;
  await control.run(sql`
    update facteur.session set last_used_at = ${now}
    where id = ${session.idSession} and last_used_at <= ${minuteAgo}`);
}

/** The sites that a user has access to, each with the role and its settings; an administrator has all. */
export async function sitesOfUser(control: Connection, idUser: number): Promise<MySite[]> {
  return control.rows<MySite>(sql`
    select s.name, case when u.is_administrator then 'admin' else us.role end as role,
      s.typed_confirmation_from as "typedConfirmationFrom"
    from facteur.app_user u cross join facteur.site s
      left join facteur.user_site us on us.id_user = u.id and us.id_site = s.id
    where u.id = ${idUser} and (u.is_administrator or us.role is not null)
    order by s.name`);
}

const before = (at: Date, ms: number): Date => new Date(at.getTime() - ms);
