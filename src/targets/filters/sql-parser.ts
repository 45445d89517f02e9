import type { ParseResult, ScanToken } from 'libpg-query';

/** PostgreSQL's own grammar, outside the server: what it takes from a text is what the server would take. */
export interface SqlParser {
  /** @throws Error with PostgreSQL's message for a text that is no SQL. */
  parse(text: string): ParseResult;
  /** The words of a text, comments among them. */
  scan(text: string): readonly ScanToken[];
}

let loading: Promise<SqlParser> | undefined;

/** The parser, which is made once a process: 17 ms and 3 MB of WebAssembly that most processes never need. */
export async function sqlParser(): Promise<SqlParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SqlParser> {
  // Not at the top: importing it starts the compilation.
  const { loadModule, parseSync, scanSync } = await import('libpg-query');
  await loadModule();
  return { parse: parseSync, scan: (text) => scanSync(text).tokens };
}
