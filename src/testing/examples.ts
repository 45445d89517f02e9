import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Operation } from '../platform/http/operation.ts';
import { replyBreach } from '../platform/http/validation.ts';

/** A request of a test to an operation, and its response. */
export interface Exchange {
  readonly operation: string;
  readonly body?: unknown;
  readonly data: unknown;
}

/** Examples by operation, in the order of their ids. */
export type Examples = Readonly<Record<string, Omit<Exchange, 'operation'>>>;

const file = fileURLToPath(new URL('examples.json', import.meta.url));

/** The committed examples of the reference: what tests sent, and what the program answered them. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(file, 'utf8')) as Examples;
}

/**
 * Returns why an example breaks the schemas of its operation, or undefined. The body that an operation declares as its
 * example takes precedence over one that a test sent.
 */
export function exampleFault(
  operation: Operation,
  example: Examples[string] | undefined,
): string | undefined {
  if (operation.givesFile) return undefined;
  if (!example) return 'no example; run its test with --mode examples';
  // Validation fills defaults in, so copies.
  const breach = replyBreach(operation.reply, structuredClone(example.data));
  if (breach) return breach;
  if (!operation.body || operation.example !== undefined) return undefined;
  return replyBreach(operation.body, structuredClone(example.body ?? null));
}

/**
 * After a run with `--mode examples`: keeps for each operation that it saw the simplest exchange, where the file has
 * none that its schemas still take. Existing examples stay, so that a run changes no more than it must.
 */
export async function recordExamples(notes: string): Promise<void> {
  const { operations } = await import('../api.ts');
  const before = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Examples,
    () => ({}) as Examples,
  );
  const seen = new Map<string, Exchange[]>();
  for (const line of (await readFile(notes, 'utf8')).split('\n').filter(Boolean)) {
    const exchange = normalised(JSON.parse(line) as Exchange);
    seen.set(exchange.operation, [...(seen.get(exchange.operation) ?? []), exchange]);
  }
  const kept: Record<string, Examples[string]> = {};
  for (const operation of operations.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const known = before[operation.id];
    const fits = (one: Examples[string]) => exampleFault(operation, one) === undefined;
    const candidates = (seen.get(operation.id) ?? []).filter(fits).sort(simplestFirst);
    const chosen = known && fits(known) ? known : candidates[0];
    if (!chosen) continue;
    const { body, data } = chosen;
    kept[operation.id] = { ...(body != null && operation.example === undefined && { body }), data };
  }
  await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  const missing = operations.filter(({ id, givesFile }) => !kept[id] && !givesFile).map(({ id }) => id);
  process.stdout.write(`${Object.keys(kept).length} examples; none of: ${missing.join(', ')}\n`);
}

/**
 * Sorts exchanges: with a body before without, with data before without, then the shorter one, then by alphabet.
 */
function simplestFirst(a: Exchange, b: Exchange): number {
  const [one, two] = [JSON.stringify(a), JSON.stringify(b)];
  return (
    Number(a.body == null) - Number(b.body == null) ||
    Number(isNothing(a.data)) - Number(isNothing(b.data)) ||
    one.length - two.length ||
    (one < two ? -1 : 1)
  );
}

function isNothing(data: unknown): boolean {
  if (data === null || (Array.isArray(data) && data.length === 0)) return true;
  return typeof data === 'object' && 'items' in data && isNothing(data.items);
}

/** The instant of the run becomes that of the tests' clock; it says nothing. */
function normalised(exchange: Exchange): Exchange {
  const recent = Date.now() - 86_400_000;
  return JSON.parse(JSON.stringify(exchange), (_name, value: unknown) => {
    const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
    return isInstant && Date.parse(value) > recent ? '2026-11-20T10:00:00.000Z' : value;
  }) as Exchange;
}
