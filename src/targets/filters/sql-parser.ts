import type { ParseResult, ScanToken } from 'libpg-query';

/** PostgreSQL's own grammar, outside the server: what it takes from a text is what the server would take. */
export interface SqlParser {
  /** @throws Error with PostgreSQL's message for a text that is no SQL. */
  parse(text: string): ParseResult;
  /** The words of a text, comments among them. */
  scan(text: string): readonly ScanToken[];
}

let loading: Promise<SqlParser> | undefined;

/** What is where no filter has requested the parser in its `needs`. */
export const unneededParser: SqlParser = { parse: refuse, scan: refuse };

function refuse(): never {
  throw new Error('A filter reads SQL and does not say in its needs that it does');
}

/**
 * The parser, which is made once a process, when the first SQL filter needs it: 17 ms, and 22 MB that a process which
 * sends or counts without such filters does not have (128 MB are reserved besides, and never touched).
 */
export async function sqlParser(): Promise<SqlParser> {
  // A failure is not kept: what was short then, such as files that may be open, may be there at the next call.
  loading ??= load().catch(forget);
  return loading;
}

function forget(error: unknown): never {
  loading = undefined;
  throw error;
}

async function load(): Promise<SqlParser> {
  // Not at the top: importing it starts the compilation.
  const { loadModule, parseSync, scanSync } = await import('libpg-query');
  await loadModule();
  return { parse: parseSync, scan: (text) => scanSync(text).tokens };
}
