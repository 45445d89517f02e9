/** Name of the cookie that holds a session, over plain http. */
export const sessionCookieName = 'facteur_session';

/**
 * The name behind https. Browsers take a cookie with this prefix only from the host itself, over https and for every
 * path: a neighbouring host of the same domain cannot plant a session of its own.
 */
const hostCookieName = `__Host-${sessionCookieName}`;
const nameOf = (isSecure: boolean): string => (isSecure ? hostCookieName : sessionCookieName);

/** The longest that a browser keeps the cookie, in seconds: a session lasts at most 30 days. */
const maxAgeS = 30 * 24 * 3600;

/**
 * The `set-cookie` header of a session; null removes the cookie. Scripts cannot read it, other sites' pages do not
 * send it with their requests (except plain navigation), and behind https it never travels without.
 */
export function sessionCookie(text: string | null, isSecure: boolean): string {
  const parts = [`${nameOf(isSecure)}=${text ?? ''}`, 'Path=/', `Max-Age=${text === null ? 0 : maxAgeS}`];
  return [...parts, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** The session in a `cookie` header; undefined without one, and for what no session looks like. */
export function sessionIn(header: string | undefined, isSecure: boolean): string | undefined {
  const wanted = nameOf(isSecure);
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === wanted) return /^[\w-]{1,200}$/.exec(value ?? '')?.[0];
  }
  return undefined;
}
