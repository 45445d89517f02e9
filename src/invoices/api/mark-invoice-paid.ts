import { siteAdministration } from '../../accounts/site-administration.ts';
import { found } from '../../platform/http/refusal.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { setPaid } from '../invoice-store.ts';

export const markInvoicePaid = siteAdministration({
  id: 'markInvoicePaid',
  method: 'PUT',
  path: '/invoices/{idInvoice}/paid',
  summary: 'Mark an invoice as paid or unpaid',
  params: { idInvoice: Id('invoice') },
  body: Bool(),
  example: true,
  reply: Bool(),
  handle: async ({ db, idSite, params, body }) =>
    found(await setPaid(db, idSite, params.idInvoice, body), 'Invoice'),
});
