import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { SiteDb } from '../db/site-db.ts';
import type { Caller, Operation, Right } from './operation.ts';
import type { Origins } from './origin.ts';
import {
  forbidden,
  forbiddenToUser,
  foreignOrigin,
  notAdministrator,
  notFound,
  notOfAllSites,
  unauthenticated,
} from './refusal.ts';
import { sessionIn } from './session-cookie.ts';

/** The caller of a token or a session, and whether it reaches the requested site; undefined for a bad one. */
export type Found = { readonly caller: Caller; readonly reachesSite: boolean } | undefined;

/**
 * Finds the caller that a secret stands for, a token or a session, and the site that was requested; undefined for a bad
 * one. `siteName` is undefined outside of sites. With `isCheck`, an open stream checks whether its caller is still
 * admitted: this neither counts against a limit nor keeps a session alive.
 */
export type FindCaller = (
  secret: string,
  siteName: string | undefined,
  request: FastifyRequest,
  isCheck?: boolean,
) => Promise<Found>;

/** The parts of the server that admission needs. */
export interface AdmissionParts {
  readonly app: App;
  /** Finds the caller of a token in the Authorization header. */
  readonly findCaller: FindCaller;
  /** Finds the caller of a session's cookie. If omitted, no cookie is read. */
  readonly findSession?: FindCaller;
}

/** The caller and the site of an admitted request. */
export interface Admitted {
  caller?: Caller;
  site?: SiteDb;
}

/**
 * Admits a request or throws: 401, then 403 for a session's change from a foreign page, then 404 (one answer for
 * a site that does not exist and one that the caller may not see), then 403; all before a byte of the body is read.
 */
export async function admit(
  parts: AdmissionParts,
  operation: Operation,
  request: FastifyRequest,
  known: Admitted,
  origins: Origins,
): Promise<void> {
  if (operation.right === 'none') {
    // Another site's page could otherwise sign its visitor in to another account.
    if (request.headers.origin !== undefined && !origins.isOwn(request.raw)) throw foreignOrigin();
    return;
  }
  const name = operation.scope === 'site' ? String((request.params as { idsite: string }).idsite) : undefined;
  const found = await callerOf(parts, name, request, origins);
  if (!found) throw unauthenticated();
  known.caller = found.caller;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // A browser sends the cookie along by itself, so the page must be one of the service.
  if (found.caller.idSession !== null && !isRead && !origins.isOwn(request.raw)) throw foreignOrigin();
  if (name !== undefined) {
    const site = found.reachesSite ? await parts.app.site(name) : undefined;
    if (!site) throw notFound('Site');
    known.site = site;
  }
  const { right } = operation;
  if (right !== 'any' && !found.caller.rights.has(right)) throw lacks(right, operation, found.caller);
}

/** Whether the caller of an admitted request of a site still has access to it, and the right. @throws as `admit` */
export async function isStillAdmitted(
  parts: AdmissionParts,
  { right }: Operation,
  request: FastifyRequest,
  origins: Origins,
): Promise<boolean> {
  const name = String((request.params as { idsite: string }).idsite);
  const found = await callerOf(parts, name, request, origins, true);
  return found?.reachesSite === true && (found.caller.rights as ReadonlySet<string>).has(right);
}

/** The header goes first: a program that sends a token means it. */
async function callerOf(
  parts: AdmissionParts,
  site: string | undefined,
  request: FastifyRequest,
  origins: Origins,
  isCheck = false,
): Promise<Found> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const token = bearer(authorization);
    return token === undefined ? undefined : parts.findCaller(token, site, request, isCheck);
  }
  // A foreign page may open an address of the service, but what it opens is answered as to a stranger.
  if (!origins.isFromOwnPage(request.raw)) return undefined;
  const session = sessionIn(cookie, origins.isSecure(request.raw));
  return session === undefined ? undefined : parts.findSession?.(session, site, request, isCheck);
}

function lacks(right: Right, { scope }: Operation, { rights, idSession }: Caller) {
  // Every token can at least read, except administration with a token of some sites.
  const isOutside = scope === 'admin' && rights.size === 0;
  if (idSession !== null) return isOutside ? notAdministrator() : forbiddenToUser(right);
  return isOutside ? notOfAllSites() : forbidden(right);
}

function bearer(header: string): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header)?.[1];
}
