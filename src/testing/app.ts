import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Logger } from 'pino';
import { AuditWriter } from '../accounts/audit-writer.ts';
import { findCaller } from '../accounts/caller-store.ts';
import { findSession } from '../accounts/session-store.ts';
import { createToken } from '../accounts/token-store.ts';
import { operations as allOperations } from '../api.ts';
import type { Config } from '../config.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { EventCounts } from '../platform/event-counts.ts';
import type { ConnectionLimits } from '../platform/http/connections.ts';
import type { Operation } from '../platform/http/operation.ts';
import { makeServer } from '../platform/http/server.ts';
import { cloneDatabase } from './database.ts';
import { FixedClock } from './fixed-clock.ts';
import { makeApp } from './make-app.ts';
import { noteAnswers, notingReplies } from './reply-notes.ts';

export type TestRole = 'reader' | 'editor' | 'sender' | 'admin';

/** The response to a call: the HTTP status and the envelope. */
export interface Reply {
  readonly status: number;
  readonly success: boolean;
  // Tests look into data of every shape; each states what it expects.
  readonly data: never;
  readonly error: string | null;
  readonly typeName: string | null;
  readonly headers: Record<string, unknown>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly query?: Record<string, string | number | boolean | readonly (string | number)[]>;
  /** Default `sender` below /v1, `admin` below /admin/v1; `null` sends no token. */
  readonly as?: TestRole | null;
  /** Default `demo`; null for what is below /v1 without a site. */
  readonly site?: string | null;
  /** The cookie of a session, sent as the service's own pages do: with its origin. */
  readonly session?: string;
  /** The header `Idempotency-Key`. */
  readonly key?: string;
  /** The header `If-Match`. */
  readonly ifMatch?: string;
}

export interface TestApp {
  readonly app: App;
  readonly server: FastifyInstance;
  readonly clock: FixedClock;
  /** The handle on the site `demo`. */
  readonly db: SiteDb;
  /** The handle on the site `other`, which tests of isolation look at. */
  readonly otherDb: SiteDb;
  readonly dataDir: string;
  readonly connection: pg.ClientConfig;
  /** The writer of the audit log; it has entries to write only with `audits`. */
  readonly audit: AuditWriter;
  /** Calls an operation in process: `call('GET', '/targets/7')`; a path that starts with /admin stays as it is. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** The Authorization header of a role's token. */
  token(role: TestRole): string;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly config?: Partial<Config>;
  /** Only these operations, so that a slice can be tested before it is listed. */
  readonly operations?: readonly Operation[];
  readonly publicUrl?: string;
  /** Whether changes are written to the audit log: only tests of it have to wait for that. */
  readonly audits?: true;
  /** Says nothing by default. */
  readonly log?: Logger;
  /** Limits of connections; omitted: those of the service. */
  readonly limits?: Partial<ConnectionLimits>;
}

/** The program in process over a database of its own; the clock is at 2026-11-20T10:00:00Z until it is moved. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const cloned = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-app-'));
  const clock = new FixedClock('2026-11-20T10:00:00Z');
  const app = makeApp(cloned.database, {
    settings: { FACTEUR_DATA_DIR: dataDir, FACTEUR_PUBLIC_URL: 'http://mail.test' },
    ...{ clock, counts: new EventCounts() },
    ...(options.config && { config: options.config }),
    ...(options.log && { log: options.log }),
    ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
  });
  const tokens = await makeTokens(app);
  const audit = new AuditWriter(app.control, app.log);
  const server = makeServer({
    app,
    ...(options.audits && { recordAudit: (entry) => audit.add(entry) }),
    operations: (options.operations ?? allOperations).map(notingReplies),
    findCaller: (token, siteName) => findCaller(app.control, token, siteName, clock.now()),
    findSession: (text, siteName, _request, isCheck) =>
      findSession(app.control, text, siteName, clock.now(), isCheck),
    checkReplies: true,
    ...(options.limits && { limits: options.limits }),
  });
  noteAnswers(server);
  await server.ready();
  return {
    app,
    server,
    clock,
    db: (await app.site('demo'))!,
    otherDb: (await app.site('other'))!,
    dataDir,
    connection: cloned.connection,
    audit,
    call: caller(server, tokens),
    token: (role) => `Bearer ${tokens[role]}`,
    async close() {
      await server.close();
      await audit.idle();
      await cloned.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The origin of the tests' service. */
export const ownOrigin = 'http://mail.test';

const defined = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

const roleOf = (as: TestRole | null | undefined, isAdmin: boolean): TestRole | null =>
  as === undefined ? (isAdmin ? 'admin' : 'sender') : as;

function caller(server: FastifyInstance, tokens: Record<TestRole, string>): TestApp['call'] {
  return async (method, path, options = {}) => {
    const { body, query, as, key, session, ifMatch } = options;
    const role = session === undefined ? roleOf(as, path.startsWith('/admin')) : null;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const one of [value].flat()) search.append(name, String(one));
    }
    const response = await server.inject({
      method: method as 'GET',
      url: `${fullPath(path, options)}${search.size > 0 ? `?${search}` : ''}`,
      headers: defined({
        authorization: role ? `Bearer ${tokens[role]}` : undefined,
        'content-type': body === undefined ? undefined : 'application/json',
        'idempotency-key': key,
        'if-match': ifMatch,
        ...(session !== undefined && { cookie: `facteur_session=${session}`, origin: ownOrigin }),
      }),
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, headers: response.headers, ...response.json() };
  };
}

function fullPath(path: string, { site = 'demo' }: CallOptions): string {
  if (path.startsWith('/admin')) return path;
  return site === null ? `/v1${path}` : `/v1/${site}${path}`;
}

/** One user, and a token of each role: the sites' roles reach `demo` only, the admin all. */
async function makeTokens({ control, site }: App): Promise<Record<TestRole, string>> {
  const idUser = await control.value<number>(sql`
    insert into facteur.app_user (name, email, created_at) values ('Ada', 'ada@facteur.test', now()) returning id`);
  const idDemo = (await site('demo'))!.site.id;
  const made: [TestRole, string][] = [];
  for (const role of ['reader', 'editor', 'sender', 'admin'] as const) {
    const idsSite = role === 'admin' ? null : [idDemo];
    const token = { idUser, label: '', role, idsSite, expiresAt: null };
    const { text } = await control.transaction((tx) => createToken(tx, token, new Date()));
    made.push([role, text]);
  }
  return Object.fromEntries(made) as Record<TestRole, string>;
}
