import { siteOperation } from '../../platform/http/operation.ts';
import { OneOf, Query, Type } from '../../platform/http/schema.ts';
import { Field, fieldTypes } from '../field.ts';
import { listFields as readFields } from '../field-store.ts';

export const listFields = siteOperation({
  id: 'listFields',
  method: 'GET',
  path: '/fields',
  right: 'read',
  tag: 'Fields',
  summary: 'List the fields of the subscribers, by id',
  query: Query({ type: Type.Optional(OneOf(['Unspecified', ...fieldTypes] as const)) }),
  reply: Type.Array(Field),
  async handle({ db, query: { type = 'Unspecified' } }) {
    const fields = await readFields(db);
    return type === 'Unspecified' ? fields : fields.filter((field) => field.fieldType === type);
  },
});
