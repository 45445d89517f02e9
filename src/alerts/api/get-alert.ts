import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Alert, AlertParams, showAlert } from '../alert.ts';
import { findAlert } from '../alert-store.ts';

export const getAlert = siteOperation({
  id: 'getAlert',
  method: 'GET',
  path: '/alerts/{id}',
  right: 'read',
  tag: 'Alerts',
  summary: 'Get a pre-blocking alert',
  description:
    'Many complaints at one mailbox provider about messages from one sender domain. Level 1 is a warning. At level ' +
    '2 and 3 messages of this domain to this provider wait; those to other providers are sent.',
  params: AlertParams,
  reply: Alert,
  async handle({ app, db, params, now }) {
    const alert = found(await findAlert(app.control, db.site.id, params.id), 'Alert');
    return showAlert(alert, now);
  },
});
