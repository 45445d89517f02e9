import { administrationRightsOf } from './accounts/role.ts';
import { operations } from './api.ts';
import type { App } from './platform/app.ts';
import type { Operation } from './platform/http/operation.ts';
import { makeServer } from './platform/http/server.ts';
import { UsageError } from './usage.ts';

/** One operation of administration, by its id in the reference, with its path and query members. */
export interface AdminCommand {
  readonly name: 'admin';
  readonly operation: string;
  readonly members: Readonly<Record<string, string>>;
  /** Whether the body comes as JSON on stdin. */
  readonly hasBody: boolean;
}

/**
 * Runs any operation below /admin/v1 as the HTTP API would, in this process: whoever may read the data directory is its
 * administrator. The answer's data goes to `print` as one line of JSON.
 * @throws UsageError for an unknown operation or a member of its path left out, Error with the API's text when it is
 * refused.
 */
export async function runAdminCommand(
  command: AdminCommand,
  app: App,
  print: (line: string) => void,
  readBody: () => Promise<string>,
): Promise<void> {
  const { method, path } = operationNamed(command.operation);
  const { url, rest } = pathOf(path, command.members);
  const rights = administrationRightsOf('admin', true);
  const caller = { idToken: 0, idUser: 0, userName: 'command line', rights };
  const server = makeServer({ app, operations, findCaller: async () => ({ caller, reachesSite: true }) });
  try {
    const response = await server.inject({
      method,
      url: `/admin/v1${url}`,
      query: rest,
      headers: { authorization: 'Bearer local', 'content-type': 'application/json' },
      ...(command.hasBody && { payload: await readBody() }),
    });
    const { success, data, error } = response.json<{
      success: boolean;
      data: unknown;
      error: string | null;
    }>();
    if (!success) throw new Error(error ?? `answered ${response.statusCode}`);
    print(JSON.stringify(data));
  } finally {
    await server.close();
  }
}

/** The ids of all operations of administration, in order. */
export const adminOperationIds = (): string[] => ofAdministration().map(({ id }) => id);

const ofAdministration = () => operations.filter(({ scope }) => scope === 'admin');

function operationNamed(id: string): Operation {
  const operation = ofAdministration().find((one) => one.id === id);
  if (operation) return operation;
  throw new UsageError(
    `'${id}' is none of the operations of administration: ${adminOperationIds().join(', ')}`,
  );
}

/** The path with its members in place; the others belong to the query. */
function pathOf(
  path: string,
  members: AdminCommand['members'],
): { url: string; rest: Record<string, string> } {
  const rest = { ...members };
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (value === undefined || value === '') throw new UsageError(`Missing: ${name}=…`);
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { url, rest };
}
