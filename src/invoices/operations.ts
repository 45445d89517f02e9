import type { Operation } from '../platform/http/operation.ts';
import { getPrices } from './api/get-prices.ts';
import { listInvoices } from './api/list-invoices.ts';
import { markInvoicePaid } from './api/mark-invoice-paid.ts';
import { setPrices } from './api/set-prices.ts';

export const invoicesOperations: readonly Operation[] = [listInvoices];
export const invoicesAdministration: readonly Operation[] = [getPrices, setPrices, markInvoicePaid];
