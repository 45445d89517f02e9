/** Name of the cookie that holds a session, over plain http. */
export const sessionCookieName = 'facteur_session';

/** Browsers take a cookie of this prefix from the host itself only, so that no neighbour of its domain plants one. */
const hostCookieName = `__Host-${sessionCookieName}`;
const nameOf = (isSecure: boolean): string => (isSecure ? hostCookieName : sessionCookieName);

/** The longest that a browser keeps the cookie, in seconds: a session lasts at most 30 days. */
const maxAgeS = 30 * 24 * 3600;

/** The `set-cookie` header; null removes it. No script reads it, no other site's page sends it, only https has it. */
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
