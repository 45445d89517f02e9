import { api, dataOf } from './client.ts';
import type { components } from './schema.d.ts';

export type SendingHealth = components['schemas']['SendingHealth'];

const renewedMs = 30_000;

/** The relays of a site and the providers that defer; one request for all that show them. */
export const sendingHealthOf = (idsite: string) => ({
  queryKey: ['sending-health', idsite],
  staleTime: renewedMs / 2,
  refetchInterval: renewedMs,
  queryFn: () => dataOf(api.GET('/v1/{idsite}/sending-health', { params: { path: { idsite } } })),
});
