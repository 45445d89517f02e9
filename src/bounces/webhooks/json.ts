/** A JSON object of unknown properties. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns a value of JSON as an object; an empty one if it is something else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Returns a JSON value as a list: a list unchanged, anything else as its only element. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns the text or the number at the end of a path of properties; '' if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  let at = value;
  for (const name of path) at = objectOf(at)[name];
  return typeof at === 'string' ? at : typeof at === 'number' ? String(at) : '';
}

/** Returns the entry of a provider's word in a table; undefined if there is none. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
