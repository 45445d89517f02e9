import type { Connection } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, Instant, type Static, Type } from '../platform/http/schema.ts';

export interface Delivery {
  readonly receivedAt: Date;
  readonly mailFrom: string;
  readonly rcptTo: string;
  readonly subject: string;
  /** When it expires (the header Expires); null means never. */
  readonly expiresAt: Date | null;
  /** The whole message, headers and body. */
  readonly raw: Buffer;
}

/**
 * Stores deliveries, all or none; one statement, so that many share one commit.
 * @param again after an in-doubt commit: skips the deliveries that are stored.
 */
export async function keepDeliveries(
  control: Connection,
  of: readonly Delivery[],
  again = false,
): Promise<void> {
  await control.run(sql`
    insert into facteur.mailbox_message (received_at, mail_from, rcpt_to, subject, expires_at, raw)
    select * from unnest(
      ${of.map((one) => one.receivedAt)}::timestamptz[], ${of.map((one) => one.mailFrom)}::text[],
      ${of.map((one) => one.rcptTo)}::text[], ${of.map((one) => one.subject)}::text[],
      ${of.map((one) => one.expiresAt)}::timestamptz[], ${of.map((one) => one.raw)}::bytea[])
      as d (received_at, mail_from, rcpt_to, subject, expires_at, raw)
    where not ${again} or not exists (
      select from facteur.mailbox_message m
      where lower(m.rcpt_to) = lower(d.rcpt_to) and m.received_at = d.received_at and m.raw = d.raw)`);
}

/** A message in lists of the mailbox. */
export const MailboxMessage = Closed('MailboxMessage', {
  id: Type.Integer(),
  receivedAt: Instant(),
  mailFrom: Type.String(),
  rcptTo: Type.String(),
  subject: Type.String(),
  size: Count(),
});
export type MailboxMessage = Static<typeof MailboxMessage>;

const listed = sql`id, received_at as "receivedAt", mail_from as "mailFrom", rcpt_to as "rcptTo",
  subject, length(raw) as size`;

/** Condition: the message has not expired at this moment. */
const shownAt = (at: Date): Sql => sql`(expires_at is null or expires_at > ${at})`;

/** A page of the mailbox at `at`, newest first; `rcptTo` restricts it to one address. */
export async function listMailbox(
  control: Connection,
  of: {
    readonly rcptTo?: string | undefined;
    readonly start: number;
    readonly limit: number;
    readonly at: Date;
  },
): Promise<{ totalCount: number; items: MailboxMessage[] }> {
  const toOne = of.rcptTo === undefined ? sql`true` : sql`lower(rcpt_to) = lower(${of.rcptTo})`;
  const where = sql`${toOne} and ${shownAt(of.at)}`;
  const totalCount = await control.value<number>(
    sql`select count(*) from facteur.mailbox_message where ${where}`,
  );
  const items = await control.rows<MailboxMessage>(sql`
    select ${listed} from facteur.mailbox_message where ${where}
    order by id desc limit ${of.limit} offset ${of.start}`);
  return { totalCount, items };
}

/** The raw bytes of a message that has not expired at `at`. */
export async function readMailboxMessage(
  control: Connection,
  id: number,
  at: Date,
): Promise<Buffer | undefined> {
  const row = await control.first<{ raw: Buffer }>(sql`
    select raw from facteur.mailbox_message where id = ${id} and ${shownAt(at)}`);
  return row?.raw;
}

/** Returns the number of messages to any of these addresses, given in lower case, after a time. */
export async function countDeliveries(
  control: Connection,
  addresses: readonly string[],
  after: Date,
): Promise<number> {
  return control.value<number>(sql`
    select count(*) from facteur.mailbox_message
    where lower(rcpt_to) = any(${addresses}::text[]) and received_at > ${after}`);
}

/** Deletes the oldest messages to these addresses, given in lower case, above `most`. Returns their number. */
export async function trimDeliveries(
  control: Connection,
  addresses: readonly string[],
  most: number,
): Promise<number> {
  const isTheirs = sql`lower(rcpt_to) = any(${addresses}::text[])`;
  return control.run(sql`
    delete from facteur.mailbox_message where ${isTheirs} and id <= (
      select id from facteur.mailbox_message where ${isTheirs} order by id desc offset ${most} limit 1)`);
}

/** Deletes messages from before `before`, expired ones, and the oldest above `most`. Returns their number. */
export async function trimMailbox(
  control: Connection,
  of: { readonly before: Date; readonly at: Date; readonly most: number },
): Promise<number> {
  const { before, at, most } = of;
  return control.run(sql`
    delete from facteur.mailbox_message where received_at < ${before} or not ${shownAt(at)}
      or id <= (select id from facteur.mailbox_message order by id desc offset ${most} limit 1)`);
}
