import { type Sql, sql } from '../platform/db/sql.ts';

/**
 * The condition on a subscriber's row for receiving mail: subscribed, and neither hard-bounced nor complained. It is
 * checked twice, when the audience is frozen and when the message is made.
 */
export const mayReceive = (): Sql => sql`(fld7 = 0 and fld44 in (0, 1))`;

/**
 * The condition for receiving a transactional message, which responds to something the reader did: no subscription is
 * required, but the mailbox must be neither nonexistent nor one that complained.
 */
export const mayReceiveTransactional = (): Sql => sql`(fld44 in (0, 1))`;
