import { SiteName } from '../../accounts/site.ts';
import { siteNamed } from '../../accounts/site-store.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setPaid } from '../invoice-store.ts';

export const markInvoicePaid = adminOperation({
  id: 'markInvoicePaid',
  method: 'PUT',
  path: '/sites/{idsite}/invoices/{idInvoice}/paid',
  right: 'admin',
  tag: 'Administration',
  summary: 'Mark an invoice as paid or unpaid',
  params: Params({ idsite: SiteName(), idInvoice: Id('invoice') }),
  body: Bool(),
  example: true,
  reply: Bool(),
  handle: async ({ db, params, body }) => {
    const site = await siteNamed(db, params.idsite);
    if (!(await setPaid(db, site.id, params.idInvoice, body))) throw notFound('Invoice');
    return true;
  },
});
