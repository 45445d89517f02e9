import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';

/** A mailbox provider and the email domains that are its own. */
export const ProviderSchema = Closed('Provider', {
  id: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  /** Limits of the hand-over; 0 means none. */
  maxConnections: Count(),
  messagesPerHour: Count(),
  domains: Type.Array(Type.String()),
});
export type Provider = Static<typeof ProviderSchema>;

/** The provider of every domain that no provider of the table claims. */
export const otherProvider = 0;
