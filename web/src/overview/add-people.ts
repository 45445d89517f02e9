import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';

/** Addresses in a text, one for each line or separated by commas, each once. */
export function addressesIn(text: string): string[] {
  const found = text
    .split(/[\s,;]+/)
    .map((address) => address.replaceAll(/[<>"]/g, ''))
    .filter((address) => address !== '');
  return [...new Set(found)];
}

/**
 * Adds people by their addresses and subscribes them, each as far as the first address that is refused.
 * @returns their number, and the refusal of the address after them
 */
export async function addUntilRefused(
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
  return refusal ? { count: ids.length, refusal } : { count: ids.length };
}

/** Adds people by their addresses and subscribes them. @throws ApiError of the first that is refused */
export async function addPeople(idsite: string, addresses: readonly string[], origin: string): Promise<void> {
  const { refusal } = await addUntilRefused(idsite, addresses, origin);
  if (refusal) throw refusal;
}
