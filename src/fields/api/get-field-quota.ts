import { siteOperation } from '../../platform/http/operation.ts';
import { FieldQuota } from '../field.ts';
import { countCustomFields } from '../field-store.ts';

export const getFieldQuota = siteOperation({
  id: 'getFieldQuota',
  method: 'GET',
  path: '/fields/quota',
  right: 'read',
  tag: 'Fields',
  summary: 'Get the quota of custom fields',
  reply: FieldQuota,
  async handle({ app, db }) {
    const { fieldQuota: quota } = app.config;
    const used = await countCustomFields(db);
    return { quota, nbSpecificFields: used, nbRemainingFields: Math.max(0, quota - used) };
  },
});
