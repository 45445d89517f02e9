import { administrationRightsOf } from '../accounts/role.ts';
import { operations } from '../api.ts';
import { type App, appWith } from '../platform/app.ts';
import type { ErrorCode } from '../platform/http/error-codes.ts';
import type { Operation } from '../platform/http/operation.ts';
import { invalid, Refusal } from '../platform/http/refusal.ts';
import { makeServer } from '../platform/http/server.ts';
import { UsageError } from './usage.ts';

export interface OperationInput {
  /** Parameters of its path and query. */
  readonly members?: Readonly<Record<string, string>>;
  /** A value, or JSON as it came in; omitted: none. */
  readonly body?: object | Buffer | undefined;
}

/** Runs an operation of administration by its id; the data of its answer. */
export type RunOperation = (id: string, input?: OperationInput) => Promise<unknown>;

/** Valid parameters of a path: the router accepts no longer ones, and URLs collapse dots. */
const inPath = /^(?!\.{1,2}$).{1,200}$/s;

/**
 * Runs operations below /admin/v1 as the HTTP API would, in this process: anyone who may read the data directory is
 * its administrator. So the rule of each input is in one place, the operation.
 * @returns what runs one. It throws UsageError for an unknown operation or a member of its path omitted, and the
 * Refusal with the API's words when the operation refuses.
 */
export function runnerOf(app: App): RunOperation {
  // A refusal itself reports that something is unavailable, in one sentence. A defect is logged as an error.
  const log = app.log.child({}, { level: app.log.level === 'warn' ? 'error' : app.log.level });
  const quiet = appWith(app, { log });
  const caller = {
    idToken: 0,
    idSession: null,
    idUser: 0,
    userName: 'command line',
    rights: administrationRightsOf('admin', true),
  };
  const findCaller = async () => ({ caller, reachesSite: true });
  return async (id, { members = {}, body } = {}) => {
    const operation = operationNamed(id);
    const url = addressOf(operation.path, members);
    const server = makeServer({ app: quiet, operations: [operation], findCaller });
    try {
      const response = await server.inject({
        method: operation.method,
        url: `/admin/v1${url}`,
        headers: { authorization: 'Bearer local', 'content-type': 'application/json' },
        ...(body && { payload: body }),
      });
      const { success, data, error } = response.json<{
        success: boolean;
        data: unknown;
        error: string | null;
      }>();
      if (success) return data;
      // Our own answer.
      const code = response.headers['x-error-code'] as ErrorCode;
      throw new Refusal(response.statusCode, code, error ?? `answered ${response.statusCode}`);
    } finally {
      await server.close();
    }
  };
}

export const adminOperationIds = (): string[] => ofAdministration().map(({ id }) => id);

const ofAdministration = () => operations.filter(({ scope }) => scope === 'admin');

function operationNamed(id: string): Operation {
  const operation = ofAdministration().find((one) => one.id === id);
  if (operation) return operation;
  throw new UsageError(
    `'${id}' is not an administration operation; known are ${adminOperationIds().join(', ')}`,
  );
}

/** The path with its members in place, and the others as its query. */
function addressOf(path: string, members: Readonly<Record<string, string>>): string {
  const rest = new Map(Object.entries(members));
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === '') throw new UsageError(`Missing: ${name}=…`);
    if (!inPath.test(value)) throw invalid(`${name}: contains characters that a URL path cannot hold`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  return `${url}?${new URLSearchParams([...rest])}`;
}
