import { insertInvoice, listInvoicesOf } from '../invoices/invoice-store.ts';
import type { TestApp } from './app.ts';

/** An invoice of a site for a month of its own; its id. */
export async function makeInvoice({ app }: TestApp, siteName: string, n: number): Promise<number> {
  const { site } = (await app.site(siteName))!;
  const month = `${2000 + n}-01`;
  await insertInvoice(app.control, {
    idSite: site.id,
    month: `${month}-01`,
    nbMessages: 1_000,
    amount: 100n,
    currency: 'EUR',
    issuedAt: app.clock.now(),
    dueAt: app.clock.now(),
  });
  return (await listInvoicesOf(app.control, site)).find((one) => one.month === month)!.id;
}
