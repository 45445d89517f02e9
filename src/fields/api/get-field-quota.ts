import { siteOperation } from '../../platform/http/operation.ts';
import { FieldQuota, fieldQuota } from '../field.ts';
import { countCustomFields } from '../field-store.ts';

export const getFieldQuota = siteOperation({
  id: 'getFieldQuota',
  method: 'GET',
  path: '/fields/quota',
  right: 'read',
  tag: 'Fields',
  summary: 'Count the custom fields and what is left of the quota',
  reply: FieldQuota,
  async handle({ db }) {
    const used = await countCustomFields(db);
    return { quota: fieldQuota, nbSpecificFields: used, nbRemainingFields: Math.max(0, fieldQuota - used) };
  },
});
