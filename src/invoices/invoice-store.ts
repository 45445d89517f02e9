import { receiptStates } from '../activity/receipt.ts';
import type { Connection } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Invoice } from './invoice.ts';

/** The invoices of a site, the newest month first. */
export async function listInvoicesOf(
  control: Connection,
  site: { readonly id: number; readonly name: string },
): Promise<Invoice[]> {
  const rows = await control.rows<InvoiceRow>(sql`
    select id, to_char(month, 'YYYY-MM') as month, nb_messages as "nbMessages", amount::text, currency,
      issued_at as "issuedAt", due_at as "dueAt", is_paid as "isPaid"
    from facteur.invoice where id_site = ${site.id} order by facteur.invoice.month desc`);
  return rows.map((row) => ({
    id: row.id,
    companyId: site.id,
    companyName: site.name,
    month: row.month,
    name: `${site.name} ${row.month}`,
    issueDate: row.issuedAt.toISOString(),
    dueDate: row.dueAt.toISOString(),
    isPaid: row.isPaid,
    nbMessages: row.nbMessages,
    amount: Number(row.amount) / 100,
    currency: row.currency,
  }));
}

interface InvoiceRow {
  readonly id: number;
  readonly month: string;
  readonly nbMessages: number;
  readonly amount: string;
  readonly currency: string;
  readonly issuedAt: Date;
  readonly dueAt: Date;
  readonly isPaid: boolean;
}

/** The months (`yyyy-MM-01`) that a site has invoices for. */
export async function closedMonths(control: Connection, idSite: number): Promise<Set<string>> {
  const rows = await control.rows<{ month: string }>(sql`
    select to_char(month, 'YYYY-MM-DD') as month from facteur.invoice where id_site = ${idSite}`);
  return new Set(rows.map(({ month }) => month));
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
