import { siteOperation } from '../../platform/http/operation.ts';
import { Query } from '../../platform/http/schema.ts';
import { AuditEntryPage, auditedRequests, auditFilters } from '../audit-entry.ts';
import { auditEntries } from '../audit-entry-store.ts';

export const listSiteAuditEntries = siteOperation({
  id: 'listSiteAuditEntries',
  method: 'GET',
  path: '/audit-entries',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the audit log of a site',
  description: auditedRequests,
  query: Query(auditFilters),
  reply: AuditEntryPage,
  handle: ({ app, db, query }) => auditEntries(app.control, { ...query, idSite: db.site.id }),
});
