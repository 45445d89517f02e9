import { Bool, Closed, Count, Int32, type Static, Timestamp, Type } from '../platform/http/schema.ts';

/** A site's invoice for the messages of one month of Paris time. */
export const Invoice = Closed('Invoice', {
  id: Int32(),
  companyId: Int32('The site'),
  companyName: Type.String(),
  month: Type.String({ description: 'yyyy-MM' }),
  name: Type.String(),
  issueDate: Timestamp(),
  dueDate: Timestamp(),
  isPaid: Bool(),
  nbMessages: Count('Messages that relays accepted, without test mailings'),
  amount: Type.Number({ description: 'In the currency, without taxes' }),
  currency: Type.String({ description: 'ISO 4217' }),
});
export type Invoice = Static<typeof Invoice>;
