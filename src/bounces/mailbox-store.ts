import type { Connection } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/** One delivery to the built-in mailbox: a message and one of its recipients. */
export interface Delivery {
  readonly receivedAt: Date;
  readonly mailFrom: string;
  readonly rcptTo: string;
  readonly subject: string;
  /** The message as it came, headers and body. */
  readonly raw: Buffer;
}

/**
 * Keeps deliveries, all or none; one statement, so that many wait for one commit.
 * @param again after a commit whose answer was lost: leaves out those that are there.
 */
export async function keepDeliveries(
  control: Connection,
  of: readonly Delivery[],
  again = false,
): Promise<void> {
  await control.run(sql`
    insert into mailbox_message (received_at, mail_from, rcpt_to, subject, raw)
    select * from unnest(
      ${of.map((one) => one.receivedAt)}::timestamptz[], ${of.map((one) => one.mailFrom)}::text[],
      ${of.map((one) => one.rcptTo)}::text[], ${of.map((one) => one.subject)}::text[],
      ${of.map((one) => one.raw)}::bytea[]) as d (received_at, mail_from, rcpt_to, subject, raw)
    where not ${again} or not exists (
      select from mailbox_message m
      where lower(m.rcpt_to) = lower(d.rcpt_to) and m.received_at = d.received_at and m.raw = d.raw)`);
}

export interface MailboxMessage {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  readonly mailFrom: string;
  readonly rcptTo: string;
  readonly subject: string;
  readonly size: number;
}

const listed = sql`id, received_at as "receivedAt", mail_from as "mailFrom", rcpt_to as "rcptTo",
  subject, length(raw) as size`;

/** A page of the mailbox, newest first; `rcptTo` keeps the messages to one address. */
export async function listMailbox(
  control: Connection,
  of: { readonly rcptTo?: string | undefined; readonly start: number; readonly limit: number },
): Promise<{ totalCount: number; items: MailboxMessage[] }> {
  const where: Sql = of.rcptTo === undefined ? sql`true` : sql`lower(rcpt_to) = lower(${of.rcptTo})`;
  const count = await control.one<{ count: number }>(
    sql`select count(*) from mailbox_message where ${where}`,
  );
  const rows = await control.rows<Omit<MailboxMessage, 'receivedAt'> & { receivedAt: Date }>(sql`
    select ${listed} from mailbox_message where ${where} order by id desc limit ${of.limit} offset ${of.start}`);
  const items = rows.map((row) => ({ ...row, receivedAt: row.receivedAt.toISOString() }));
  return { totalCount: count.count, items };
}

/** The raw bytes of a message, or undefined. */
export async function readMailboxMessage(control: Connection, id: number): Promise<Buffer | undefined> {
  const row = await control.first<{ raw: Buffer }>(sql`select raw from mailbox_message where id = ${id}`);
  return row?.raw;
}

/** Drops what is older than `before`, and the oldest beyond `most` messages; returns how many. */
export async function trimMailbox(control: Connection, before: Date, most: number): Promise<number> {
  return control.run(sql`
    delete from mailbox_message where received_at < ${before}
      or id <= (select id from mailbox_message order by id desc offset ${most} limit 1)`);
}
