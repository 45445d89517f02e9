import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Nullable } from '../../platform/http/schema.ts';
import { changeField, Field, FieldChange } from '../field.ts';
import { updateField } from '../field-store.ts';

export const modifyField = siteOperation({
  id: 'modifyField',
  method: 'PUT',
  path: '/fields',
  right: 'write',
  tag: 'Fields',
  summary: 'Modify a custom field',
  description:
    'Send only the changes: null, a length of 0 and an empty list change nothing. A new type empties ' +
    'the values of all subscribers. A system field can only be sent as it is. Null for an unknown id.',
  body: FieldChange,
  bodyMegabytes: largeBodyMegabytes,
  example: { id: 101, description: 'Where the subscriber lives' },
  reply: Nullable(Field),
  refusals: [409, 422],
  handle: async ({ db, body }) =>
    (await updateField(db, body.id, (field) => changeField(field, body))) ?? null,
});
