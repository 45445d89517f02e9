import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller, Operation } from './operation.ts';
import { recordKeyword } from './schema.ts';

/** A change, or the attempt of one, as the audit log keeps it: who requested which operation on which records. */
export interface AuditEntry {
  readonly at: Date;
  readonly idUser: number;
  /** Null for a session. */
  readonly idToken: number | null;
  /** The site of the request, if its caller has access to it. */
  readonly idSite: number | null;
  /** The name that an operation of administration gives of a site, which may not exist. */
  readonly siteName: string | null;
  readonly operation: string;
  readonly status: number;
  readonly address: string | null;
  /** The records that path, query, body and response name: ids and the name of a site, no other text. */
  readonly ids: Readonly<Record<string, number | string>>;
}

/** Accepts an entry; never waits and never fails. */
export type RecordAudit = (entry: AuditEntry) => void;

export interface Audited {
  readonly caller: Caller;
  /** Where it came from; null when that connection no longer exists. */
  readonly address: string | null;
  /** The data of the response; only its id is logged. */
  readonly data?: unknown;
  /** The site of the request, if its caller has access to it. */
  readonly idSite?: number | undefined;
}

/**
 * Writes the audit line of an administration call, whatever its response: who requested which operation on what. Of the
 * query and the body, only the names of known properties are logged: the values may be passwords, keys and people's
 * addresses.
 */
export function audit(
  operation: Operation,
  { caller: { idUser, idToken, idSession, userName }, address, data }: Audited,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const made = (data as { readonly id?: unknown } | null | undefined)?.id;
  const line = {
    audit: operation.id,
    idUser,
    ...(idSession === null ? { idToken } : { idSession }),
    user: userName,
    address,
    // The site's name and ids: what the path holds.
    of: request.params,
    ...(typeof made === 'number' && { id: made }),
    members: [...given(operation.query, request.query), ...given(operation.body, request.body)],
    status: reply.statusCode,
    error: reply.getHeader('x-error-code') ?? null,
  };
  request.log.info(line, 'administration');
}

function given(schema: TSchema | undefined, values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return [];
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  return Object.keys(properties).filter((name) => Object.hasOwn(values, name));
}

/**
 * Statuses of callers who are limited or not known, because one of them could fill the log; and of conflicts: the
 * change was valid and allowed but came too late, and clients retry it automatically.
 */
const leftOut = new Set([401, 412, 429]);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The entry of a request that was to change something. A site without access is in the ids only, not its log. */
export function auditEntry(
  operation: Operation,
  { caller: { idUser, idToken, rights }, address, data, idSite: reached }: Audited,
  request: FastifyRequest,
  { status, at }: { readonly status: number; readonly at: Date },
): AuditEntry | undefined {
  if (operation.method === 'GET' || operation.unaudited || leftOut.has(status)) return undefined;
  const idSite = reached ?? null;
  const params = request.params as Readonly<Record<string, unknown>>;
  const site = siteNameIn(params.idsite);
  const isAdministration = operation.scope === 'admin' && rights.size > 0;
  return {
    ...{ at, idUser, idToken, idSite, status, address },
    operation: operation.id,
    siteName: isAdministration ? (site ?? null) : null,
    ids: {
      ...(idSite === null && site !== undefined && { idsite: site }),
      ...idsOf(operation, request, data),
    },
  };
}

/** The name of a body that is the id of a record: `idCampaign`. */
function bodyIdName(body: TSchema | undefined): string | undefined {
  const record = (body as { readonly [recordKeyword]?: string } | undefined)?.[recordKeyword];
  return record && `id${record[0]!.toUpperCase()}${record.slice(1)}`;
}

/** The record that an object of a request is about: its `id`, or the properties that are declared as ids. */
function bodyIds(schema: TSchema | undefined, body: unknown): Record<string, unknown> {
  const { properties } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, object>> };
  if (!properties || typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => Object.hasOwn(properties, name) && (name === 'id' || recordKeyword in properties[name]!),
    ),
  );
}

function idsOf(
  { query, body }: Operation,
  request: FastifyRequest,
  data: unknown,
): Record<string, number | string> {
  const { idsite: _, ...params } = request.params as Readonly<Record<string, unknown>>;
  const queried = Object.entries<object>(query?.properties ?? {})
    .filter(([, schema]) => recordKeyword in schema)
    .map(([name]) => [name, (request.query as Readonly<Record<string, unknown>>)[name]]);
  const made = (data as { readonly id?: unknown } | null | undefined)?.id;
  const bodyId = bodyIdName(body);
  const all: Record<string, unknown> = {
    ...{ ...bodyIds(body, request.body), ...(made !== undefined && { id: made }) },
    ...{ ...Object.fromEntries(queried), ...params },
    ...(bodyId && { [bodyId]: request.body }),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      const id = idOf(value);
      return id === undefined ? [] : [[name, id]];
    }),
  );
}

/** The id of a record; any other text may be an address or a secret. */
function idOf(value: unknown): number | string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  // A request that is refused before its validation has numbers as text.
  if (/^\d{1,15}$/.test(value)) return Number(value);
  return uuid.test(value) ? value : undefined;
}

const siteNameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z0-9][a-z0-9-]{1,30}$/.test(value) ? value : undefined;
