import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';

/** Addresses in a text, one for each line or separated by commas, each once. */
export function addressesIn(text: string): string[] {
  const found = text
    .split(/[\n,;]+/)
    .flatMap(partsOf)
    .filter((address) => address !== '');
  return [...new Set(found)];
}

/** The addresses of a line: between angle brackets, or divided by spaces. A line that has something else stays whole. */
function partsOf(line: string): string[] {
  const inBrackets = [...line.matchAll(/<([^<>]+)>/g)].map(([, address]) => address!.trim());
  const isOnlyThere = !line.replaceAll(/<[^<>]+>/g, '').includes('@');
  if (inBrackets.length > 0 && isOnlyThere) return inBrackets;
  const whole = line.replaceAll(/[<>"]/g, ' ').trim();
  const parts = whole.split(/\s+/);
  return parts.every((part) => part.includes('@')) ? parts : [whole];
}

/** Finds the first of several texts that cannot be an address. */
export const wrongAddress = (all: readonly string[]): string | undefined =>
  all.find((address) => !/^[^@]+@[^@]+$/.test(address));

/** What came of adding people: their number, and the addresses from the one that was refused on. */
export interface Added {
  readonly count: number;
  readonly left: readonly string[];
  readonly refusal?: ApiError;
}

/** Adds people by their addresses and subscribes them, up to the first wrong address. Known ones stay as they are. */
export async function addUnknown(idsite: string, all: readonly string[], origin: string): Promise<Added> {
  let added = 0;
  let left = all;
  while (left.length > 0) {
    const { count, refusal } = await addUntilRefused(idsite, left, origin);
    added += count;
    left = left.slice(count);
    if (refusal && refusal.code !== 'duplicate_email') return { count: added, left, refusal };
    if (refusal) left = left.slice(1);
  }
  return { count: added, left };
}

/**
 * Adds people by their addresses and subscribes them, each as far as the first address that is refused.
 * @returns their number, and the refusal of the address after them
 */
async function addUntilRefused(
  idsite: string,
  addresses: readonly string[],
  origin: string,
): Promise<{ readonly count: number; readonly refusal?: ApiError }> {
  const params = { path: { idsite } };
  const body = addresses.map((value) => ({ fields: [{ idField: 1, value }] }));
  const made = await dataOf(api.POST('/v1/{idsite}/subscribers', { params, body })).catch(
    (error: unknown) => {
      if (error instanceof ApiError && Array.isArray(error.data)) return error;
      throw error;
    },
  );
  const refusal = made instanceof ApiError ? made : undefined;
  const results = (refusal ? refusal.data : made) as readonly ({ readonly id: number } | null)[];
  const ids = results.flatMap((one) => (one ? [one.id] : []));
  const subscribed = ids.map((idSubscriber) => ({ idSubscriber, firstOrigin: origin }));
  if (ids.length > 0)
    await dataOf(api.POST('/v1/{idsite}/subscribers/subscribe', { params, body: subscribed }));
  return { count: results.length, ...(refusal && { refusal }) };
}

/** Adds people by their addresses and subscribes them. @throws ApiError of the first that is refused */
export async function addPeople(idsite: string, addresses: readonly string[], origin: string): Promise<void> {
  const { refusal } = await addUntilRefused(idsite, addresses, origin);
  if (refusal) throw refusal;
}
