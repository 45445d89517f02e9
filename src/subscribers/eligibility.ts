import { type Sql, sql } from '../platform/db/sql.ts';

/**
 * The condition on a subscriber's row under which mail may go out: subscribed, and neither hard-bounced nor
 * complained. It is asked twice, when the audience is frozen and when the message is made.
 */
export const mayReceive = (): Sql => sql`(fld7 = 0 and fld44 in (0, 1))`;
