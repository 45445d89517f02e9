import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Field, firstCustomId, makeField, NewField } from '../field.ts';
import { insertField } from '../field-store.ts';

export const createField = siteOperation({
  id: 'createField',
  method: 'POST',
  path: '/fields',
  right: 'write',
  tag: 'Fields',
  summary: 'Create a custom field',
  description: 'Its id is the highest one plus 1, from 101. Text needs a length, List its allowed values.',
  body: NewField,
  bodyMegabytes: largeBodyMegabytes,
  example: { name: 'City', fieldType: 'Text', length: 100, description: 'Where the subscriber lives' },
  reply: Field,
  refusals: [409, 422],
  async handle({ app, db, body }) {
    // A bad definition is refused before anything is locked.
    makeField(firstCustomId, body);
    return insertField(db, app.config.fieldQuota, (id) => makeField(id, body));
  },
});
