import { type Sql, sql } from '../platform/db/sql.ts';

/** Condition for mail: subscribed, neither hard-bounced nor complained; checked at the freeze and at the message. */
export const mayReceive = (): Sql => sql`(fld7 = 0 and fld44 in (0, 1))`;

/** Condition for transactional messages, which respond to the reader: subscribed or not, but with a good mailbox. */
export const mayReceiveTransactional = (): Sql => sql`(fld44 in (0, 1))`;
