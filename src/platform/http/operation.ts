import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { App } from '../app.ts';
import type { Database } from '../db/database.ts';
import type { SiteDb } from '../db/site-db.ts';
import { Bool } from './schema.ts';

/** Rights of a caller, weakest first; a role is a set of these (see accounts/role.ts). */
export type Right = 'read' | 'write' | 'send' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The requirement of an operation: a right, `any` valid token or session, or `none`. */
export type Need = Right | 'any' | 'none';

/** The user of a valid token or session, and their rights on the site of the request. */
export interface Caller {
  /** Null for a session. */
  readonly idToken: number | null;
  /** Null for a token. */
  readonly idSession: number | null;
  readonly idUser: number;
  readonly userName: string;
  readonly rights: ReadonlySet<Right>;
}

/** Size of a body where an operation declares no other. */
export const bodyMegabytes = 1;
/** Size of a body of thousands of records or of whole contents: 5,000 subscribers of a few dozen fields fit. */
export const largeBodyMegabytes = 8;

/** Whether a path belongs to the API. */
export const isOfApi = (url: string): boolean => /^\/(admin\/)?v1\//.test(url);

/** A file that an operation returns. */
export interface SentFile {
  /** The name under which clients save it, without folders. */
  readonly name: string;
  readonly size: number;
  /** The bytes, exactly `size`; destroyed when the client disconnects. */
  readonly bytes: Readable;
}

/** The reply of operations with `givesFile`. */
export const FileBytes = Type.Unsafe<SentFile>({ title: 'File', type: 'string', format: 'binary' });

export interface Declared<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Reply extends TSchema,
> {
  /** The operation's name in the document; also the file's name in kebab-case. */
  readonly id: string;
  readonly method: Method;
  /** Below `/v1/{idsite}` (or `/admin/v1`, or `/v1`), parameters in braces: `/targets/{idTarget}`. */
  readonly path: string;
  /** Section of the reference, e.g. `Targets`. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Whether the body is the bytes of a file (`application/octet-stream`), which the handler reads as they come. */
  readonly takesFile?: true;
  /** Whether success is the bytes of a file (`SentFile`) instead of the envelope; `reply` is `FileBytes` then. */
  readonly givesFile?: true;
  /**
   * Whether the response is a stream of server-sent events (`text/event-stream`), which the handler returns as a
   * PassThrough, instead of the envelope. `reply` describes its text.
   */
  readonly sendsEvents?: true;
  /** Mebibytes that a body may have; omitted: `bodyMegabytes`. */
  readonly bodyMegabytes?: number;
  /** Calls that a process handles at a time, for bodies that take much memory or time; omitted: any number. */
  readonly atOnce?: number;
  /** Whether `atOnce` limits only calls whose body is larger than other operations accept (`bodyMegabytes`). */
  readonly limitsLargeBodies?: true;
  /** Whether a call may carry the header `Idempotency-Key`, by which it can be repeated without a second effect. */
  readonly isRepeatable?: true;
  /**
   * Why a write leaves no entry in the audit log; omitted: it leaves one. `bulk`: the operation changes subscribers, as
   * often as they sign up or buy, so its entries would hide all others; a subscriber's own events show what happened.
   * `read`: the operation changes nothing, and the console calls it while somebody types.
   */
  readonly unaudited?: 'bulk' | 'read';
  /**
   * Returns the version of the site's record that a request is about: another text after each change of the record;
   * undefined without a record. A read then returns it as ETag. A write accepts If-Match, and compares the versions in
   * its transaction: it must write in one.
   * @param isLocked whether to lock the record until the transaction ends
   */
  versionOf?(db: SiteDb, of: Asked<Params, Query, Body>, isLocked: boolean): Promise<string | undefined>;
  /** Whether a write of a versioned record may create it. It then accepts `If-None-Match: *`. */
  readonly mayCreate?: true;
  /** A body that a newcomer can send as it is, for the reference. */
  readonly example?: Static<Body>;
  /** Schema of the envelope's `data` on success. Its `title` gives the envelope's `typeName`. */
  readonly reply: Reply;
  /** Whatever the path names is answered, an unknown record by null or an empty list: no 404 but the site's. */
  readonly answersUnknown?: true;
  /**
   * Statuses of the handler's own refusals, besides 400, 429 and the 404 of a record that the path names; see
   * `replies.ts`. The whole run of the tests must have seen each. Every operation may return 503 when the database is
   * unavailable; listed here, it also covers other services.
   */
  readonly refusals?: readonly (401 | 403 | 404 | 409 | 413 | 422 | 503)[];
}

type Asked<Params extends TObject, Query extends TObject, Body extends TSchema> = Pick<
  Input<Params, Query, Body>,
  'params' | 'query' | 'body'
>;

/** A handler's input: the validated request, the caller, and the program's parts. */
export interface Input<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  readonly caller: Caller;
  /** The header `Idempotency-Key`; undefined without one, and for operations that are not repeatable. */
  readonly idempotencyKey: string | undefined;
  /** The instant of the request; handlers never read a clock. */
  readonly now: Date;
  readonly app: App;
  /** Aborted when the client disconnects, with a Refusal as its reason. */
  readonly signal: AbortSignal;
}

/** The parts of a request that its stream of events needs while it is open. */
export interface StreamRequest {
  /** The header `Last-Event-ID`, which a client sends when it connects again. */
  readonly lastEventId: string | undefined;
  /** Whether the caller may still read the stream: false once the session or token ends or loses the right. */
  isStillAdmitted(): Promise<boolean>;
}

export interface SiteInput<P extends TObject, Q extends TObject, B extends TSchema> extends Input<P, Q, B> {
  /** The one site this request may touch: every store function takes it. */
  readonly db: SiteDb;
  /** The bytes of the body, where the operation takes a file; it fails with a Refusal. Otherwise empty. */
  readonly file: AsyncIterable<Buffer>;
  /** The request for a stream, where the operation sends events. Otherwise undefined. */
  readonly stream: StreamRequest | undefined;
}

export interface AdminInput<P extends TObject, Q extends TObject, B extends TSchema> extends Input<P, Q, B> {
  /** The control tables: sites, users, tokens, routes. */
  readonly db: Database;
}

/** Input of an operation that belongs to no site and to no administration. */
export interface OpenInput<P extends TObject, Q extends TObject, B extends TSchema>
  extends Omit<Input<P, Q, B>, 'caller'> {
  readonly db: Database;
  /** The client's address; null when its connection no longer exists. */
  readonly address: string | null;
  /** The origin of the requesting page, which is the service's own; null when the client names none. */
  readonly origin: string | null;
  /** Sets the cookie of a session in the response; null removes it. */
  setSessionCookie(text: string | null): void;
}

export interface CallerInput<P extends TObject, Q extends TObject, B extends TSchema>
  extends OpenInput<P, Q, B> {
  readonly caller: Caller;
}

interface Rightful {
  readonly right: Right;
}

interface Handled<In, Reply extends TSchema> {
  /** Returns the envelope's `data`, or throws a Refusal. */
  handle(input: In): Promise<Static<Reply>>;
}

/** Any declared operation, its types forgotten: what lists of operations hold. */
export interface Operation extends Declared<TObject, TObject, TSchema, TSchema> {
  readonly scope: 'site' | 'admin' | 'caller';
  readonly right: Need;
  handle(input: never): Promise<unknown>;
}

/** Returns the start of an operation's path. */
export function prefixOf({ scope }: Pick<Operation, 'scope'>): '/v1/{idsite}' | '/admin/v1' | '/v1' {
  if (scope === 'site') return '/v1/{idsite}';
  return scope === 'admin' ? '/admin/v1' : '/v1';
}

/** Declares an operation of the document, below `/v1/{idsite}`. */
export function siteOperation<
  R extends TSchema,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(declared: Declared<P, Q, B, R> & Rightful & Handled<SiteInput<P, Q, B>, R>): Operation {
  return { ...declared, scope: 'site' };
}

/** Declares an operation of a site that replies `true` when it is done. */
export function siteAction<
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(
  declared: Omit<Declared<P, Q, B, Done>, 'reply'> &
    Rightful & { handle(input: SiteInput<P, Q, B>): Promise<unknown> },
): Operation {
  return siteOperation<Done, P, Q, B>({
    ...declared,
    reply: Bool(),
    async handle(input) {
      await declared.handle(input);
      return true;
    },
  });
}
type Done = ReturnType<typeof Bool>;

/** Declares an operation of the installation's administration, below `/admin/v1`. */
export function adminOperation<
  R extends TSchema,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(declared: Declared<P, Q, B, R> & Rightful & Handled<AdminInput<P, Q, B>, R>): Operation {
  return { ...declared, scope: 'admin' };
}

/** Declares an operation about the caller, below `/v1`, for every valid token or session. */
export function callerOperation<
  R extends TSchema,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(declared: Declared<P, Q, B, R> & Handled<CallerInput<P, Q, B>, R>): Operation {
  return { ...declared, scope: 'caller', right: 'any' };
}

/** Declares an operation, below `/v1`, that needs no token: it is how a caller gets in. */
export function openOperation<
  R extends TSchema,
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
>(declared: Declared<P, Q, B, R> & Handled<OpenInput<P, Q, B>, R>): Operation {
  return { ...declared, scope: 'caller', right: 'none' };
}
