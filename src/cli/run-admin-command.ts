import { largeBodyMegabytes } from '../platform/http/operation.ts';
import type { RunOperation } from './run-operation.ts';
import type { Input } from './stdin.ts';

/** One operation of administration, by its id in the reference, with its path and query members. */
export interface AdminCommand {
  readonly name: 'admin';
  readonly operation: string;
  readonly members: Readonly<Record<string, string>>;
  /** Whether the body comes as JSON on stdin. */
  readonly hasBody: boolean;
}

/**
 * Runs any operation below /admin/v1. The answer's data goes to `print` as one line of JSON.
 * @throws UsageError for an unknown operation or a member of its path omitted, Refusal with the API's words.
 */
export async function runAdminCommand(
  { operation, members, hasBody }: AdminCommand,
  run: RunOperation,
  print: (line: string) => void,
  stdin: Input,
): Promise<void> {
  // One byte more than any operation takes, so that it is the operation that refuses what is too large.
  const body = hasBody ? await stdin.upTo(largeBodyMegabytes * 1024 ** 2 + 1) : undefined;
  print(JSON.stringify(await run(operation, { members, body })));
}
