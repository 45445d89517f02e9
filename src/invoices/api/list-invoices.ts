import { siteOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { Invoice } from '../invoice.ts';
import { listInvoicesOf } from '../invoice-store.ts';

export const listInvoices = siteOperation({
  id: 'listInvoices',
  method: 'GET',
  path: '/invoices',
  right: 'admin',
  tag: 'Invoices',
  summary: 'List the invoices of a site',
  description:
    'The newest month first. A month of Paris time is closed two days after its end, once the site has prices ' +
    '(setPrices); its figures do not change afterwards.',
  reply: Type.Array(Invoice),
  handle: ({ app, db }) => listInvoicesOf(app.control, db.site),
});
