import { adminOperation } from '../../platform/http/operation.ts';
import { Bool, Query, Type } from '../../platform/http/schema.ts';
import { Alert, showAlert } from '../alert.ts';
import { listAlertsOf } from '../alert-store.ts';

const most = 1_000;

export const listAlerts = adminOperation({
  id: 'listAlerts',
  method: 'GET',
  path: '/alerts',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the pre-blocking alerts of all sites',
  description: 'The newest first, at most 1,000.',
  query: Query({ isOpen: Type.Optional(Bool('Only alerts that have not ended. Default: true')) }),
  reply: Type.Array(Alert),
  handle: async ({ db, query, now }) => {
    const alerts = await listAlertsOf(db, { isOpen: query.isOpen ?? true, most });
    return alerts.map((one) => showAlert(one, now));
  },
});
