import { receiptStates } from '../activity/receipt.ts';
import type { Connection } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import type { Invoice } from './invoice.ts';

/** The invoices of a site, the newest month first. */
export async function listInvoicesOf(
  control: Connection,
  site: { readonly id: number; readonly name: string },
): Promise<Invoice[]> {
  const month = sql`to_char(i.month, 'YYYY-MM')`;
  return control.rows(sql`
    select id, id_site as "companyId", ${site.name}::text as "companyName", ${month} as month,
      ${site.name} || ' ' || ${month} as name, ${isoTime(sql`issued_at`)} as "issueDate",
      ${isoTime(sql`due_at`)} as "dueDate", is_paid as "isPaid", nb_messages as "nbMessages",
      (amount / 100.0)::float8 as amount, currency
    from facteur.invoice i where id_site = ${site.id} order by i.month desc`);
}

/** The months (`yyyy-MM-01`) that a site has invoices for. */
export async function closedMonths(control: Connection, idSite: number): Promise<Set<string>> {
  return new Set(
    await control.values<string>(sql`
      select to_char(month, 'YYYY-MM-DD') from facteur.invoice where id_site = ${idSite}`),
  );
}

export interface ClosedMonth {
  readonly idSite: number;
  readonly month: string;
  readonly nbMessages: number;
  /** In hundredths of the currency. */
  readonly amount: bigint;
  readonly currency: string;
  readonly issuedAt: Date;
  readonly dueAt: Date;
}

/** Adds the invoice of a month; false when another process has added it. */
export async function insertInvoice(control: Connection, of: ClosedMonth): Promise<boolean> {
  return control.touches(sql`
    insert into facteur.invoice (id_site, month, nb_messages, amount, currency, issued_at, due_at)
    values (${of.idSite}, ${of.month}::date, ${of.nbMessages}, ${String(of.amount)}::bigint, ${of.currency},
      ${of.issuedAt}, ${of.dueAt})
    on conflict (id_site, month) do nothing`);
}

/** Notes whether an invoice of a site is paid; false for an unknown one. */
export async function setPaid(
  control: Connection,
  idSite: number,
  idInvoice: number,
  isPaid: boolean,
): Promise<boolean> {
  return control.touches(sql`
    update facteur.invoice set is_paid = ${isPaid} where id = ${idInvoice} and id_site = ${idSite}`);
}

/** Messages that relays accepted in a span of time, without test mailings; takes time with what was sent in it. */
export async function countAccepted(db: SiteDb, from: Date, to: Date): Promise<number> {
  const { jobs } = await db.one<{ jobs: number }>(sql`
    select count(*) as jobs
    from ${db.t.receipt_range} r
      join ${db.t.sent} s on s.id = r.id_sent
      join ${db.t.job} j on j.id = s.id_job,
      lateral unnest(r.states, r.delays) one(state, delay)
    where not j.is_test and j.single_version is null
      and r.first_at >= ${from}::timestamptz - interval '40 days' and r.first_at < ${to}
      and r.last_at >= ${from} and one.state = ${receiptStates.accepted}
      and r.first_at + one.delay * interval '1 millisecond' >= ${from}
      and r.first_at + one.delay * interval '1 millisecond' < ${to}`);
  const { singles } = await db.one<{ singles: number }>(sql`
    select count(*) as singles from ${db.t.single_message}
    where state = ${receiptStates.accepted} and ended_at >= ${from} and ended_at < ${to}`);
  return jobs + singles;
}
