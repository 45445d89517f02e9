import { api, dataOf } from '../api/client.ts';

/** Addresses in a text, one for each line or separated by commas, each once. */
export function addressesIn(text: string): string[] {
  const found = text
    .split(/[\s,;]+/)
    .map((address) => address.replaceAll(/[<>"]/g, ''))
    .filter((address) => address !== '');
  return [...new Set(found)];
}

/** Adds people by their addresses and subscribes them. Returns their number. */
export async function addPeople(
  idsite: string,
  addresses: readonly string[],
  origin: string,
): Promise<number> {
  const params = { path: { idsite } };
  const made = await dataOf(
    api.POST('/v1/{idsite}/subscribers', {
      params,
      body: addresses.map((value) => ({ fields: [{ idField: 1, value }] })),
    }),
  );
  const ids = made.flatMap((one) => (one ? [one.id] : []));
  await dataOf(
    api.POST('/v1/{idsite}/subscribers/subscribe', {
      params,
      body: ids.map((idSubscriber) => ({ idSubscriber, firstOrigin: origin })),
    }),
  );
  return ids.length;
}
