import type { ParseResult, ScanToken } from 'libpg-query';

/** PostgreSQL's own grammar outside the server: it accepts what the server would accept. */
export interface SqlParser {
  /** @throws Error with PostgreSQL's message for a text that is not SQL. */
  parse(text: string): ParseResult;
  /** The words of a text, comments among them. */
  scan(text: string): readonly ScanToken[];
}

let loading: Promise<SqlParser> | undefined;

/** The parser of a site whose filters do not need one. */
export const unneededParser: SqlParser = { parse: refuse, scan: refuse };

function refuse(): never {
  throw new Error('A filter reads SQL and does not say in its needs that it does');
}

/**
 * The parser, loaded once a process when the first SQL filter needs it: 17 ms, and 22 MB that other processes save (128
 * MB are reserved besides, and never touched).
 */
export async function sqlParser(): Promise<SqlParser> {
  // A failure is not kept: a shortage, for example of open files, may have ended by the next call.
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<SqlParser> {
  // Not at the top: importing it starts the compilation.
  const { loadModule, parseSync, scanSync } = await import('libpg-query');
  await loadModule();
  return { parse: parseSync, scan: (text) => scanSync(text).tokens };
}
