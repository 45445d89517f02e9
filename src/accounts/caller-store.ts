import { LRUCache } from 'lru-cache';
import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Caller } from '../platform/http/operation.ts';
import { administrationRightsOf, type RoleName, rightsOf } from './role.ts';
import { hashOfToken } from './token.ts';

/** A caller, and whether the token has access to the requested site. */
export interface FoundCaller {
  readonly caller: Caller;
  readonly reachesSite: boolean;
}

interface KnownToken {
  readonly idToken: number;
  readonly idUser: number;
  readonly userName: string;
  readonly role: RoleName;
  /** Names of the sites it reaches; null for all. */
  readonly sites: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Returns the owner and rights of a valid token of an enabled user, and notes its use, at most once a minute. */
export async function findCaller(
  control: Connection,
  text: string,
  siteName: string | undefined,
  now: Date,
): Promise<FoundCaller | undefined> {
  return callerOf(await readToken(control, hashOfToken(text), now), siteName, now);
}

/** How long a token's row is used without being read again: the longest that a revocation takes to be seen. */
export const tokenCacheMs = 2_000;

/** `findCaller`, cached for two seconds: 5 µs instead of 250. Unknown tokens are not cached (token-guard.ts). */
export function callerFinder(
  control: Connection,
): (text: string, siteName: string | undefined, now: Date) => Promise<FoundCaller | undefined> {
  const known = new LRUCache<string, KnownToken>({ max: 10_000, ttl: tokenCacheMs });
  return async (text, siteName, now) => {
    const hash = hashOfToken(text);
    // The key is the hash, so comparing it in the map reveals nothing about any token's text.
    const key = hash.toString('latin1');
    let token = known.get(key);
    if (!token) {
      token = await readToken(control, hash, now);
      if (token) known.set(key, token);
    }
    return callerOf(token, siteName, now);
  };
}

function callerOf(
  token: KnownToken | undefined,
  siteName: string | undefined,
  now: Date,
): FoundCaller | undefined {
  if (!token || token.revokedAt || (token.expiresAt && token.expiresAt <= now)) return undefined;
  const { idToken, idUser, userName, role, sites } = token;
  const rights = siteName === undefined ? administrationRightsOf(role, sites === null) : rightsOf(role);
  const reachesSite = siteName === undefined || sites === null || sites.includes(siteName);
  return { caller: { idToken, idSession: null, idUser, userName, rights }, reachesSite };
}

/** Returns a valid token's row by its hash. Ended and disabled ones are not found either, so timing reveals nothing. */
async function readToken(control: Connection, hash: Buffer, now: Date): Promise<KnownToken | undefined> {
  const [token] = await control.prepared<KnownToken>(
    'accounts.token',
    sql`select t.id as "idToken", u.id as "idUser", u.name as "userName", t.role,
          case when not t.all_sites then
            array(select s.name from facteur.token_site ts
              join facteur.site s on s.id = ts.id_site where ts.id_token = t.id)
          end as sites,
          t.expires_at as "expiresAt", t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt"
        from facteur.token t join facteur.app_user u on u.id = t.id_user
        where t.hash = ${hash} and not u.is_disabled
          and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${now})`,
  );
  if (token) await noteUse(control, token, now);
  return token;
}

/** At most one write a minute for each token, however many processes see it. */
async function noteUse(control: Connection, token: KnownToken, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  if (token.lastUsedAt !== null && token.lastUsedAt > before) return;
  await control.run(sql`
    update facteur.token set last_used_at = ${now}
    where id = ${token.idToken} and (last_used_at is null or last_used_at <= ${before})`);
}
