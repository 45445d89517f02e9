import { type Sql, sql } from '../platform/db/sql.ts';

/**
 * The condition on a subscriber's row under which mail may go out: subscribed, and neither hard-bounced nor
 * complained. It is asked twice, when the audience is frozen and when the message is made.
 */
export const mayReceive = (): Sql => sql`(fld7 = 0 and fld44 in (0, 1))`;

/**
 * The condition under which a transactional message may go out, which answers something that its reader did: it does
 * not ask for a subscription, but neither does it go to a mailbox that is nonexistent or has complained.
 */
export const mayReceiveTransactional = (): Sql => sql`(fld44 in (0, 1))`;
