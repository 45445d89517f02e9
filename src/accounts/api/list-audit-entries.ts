import { adminOperation } from '../../platform/http/operation.ts';
import { Query } from '../../platform/http/schema.ts';
import { AuditEntryPage, auditedRequests, auditFilters, SiteOfEntries } from '../audit-entry.ts';
import { auditEntries } from '../audit-entry-store.ts';
import { siteOf } from '../site-administration.ts';

export const listAuditEntries = adminOperation({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/audit-entries',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the audit log',
  description: auditedRequests,
  query: Query({ ...auditFilters, site: SiteOfEntries() }),
  reply: AuditEntryPage,
  refusals: [404],
  async handle({ db, app, query: { site, ...filter } }) {
    const idSite = site === undefined ? undefined : (await siteOf(app, site)).site.id;
    return auditEntries(db, { ...filter, ...(idSite !== undefined && { idSite }) });
  },
});
