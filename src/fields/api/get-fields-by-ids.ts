import { siteOperation } from '../../platform/http/operation.ts';
import { IdOf, Int32, Nullable, Query, Type } from '../../platform/http/schema.ts';
import { Field } from '../field.ts';
import { findFields } from '../field-store.ts';

export const getFieldsByIds = siteOperation({
  id: 'getFieldsByIds',
  method: 'GET',
  path: '/fields/by-ids',
  right: 'read',
  tag: 'Fields',
  summary: 'Get fields by their ids',
  description: 'In the order of the ids; null for an unknown id.',
  query: Query({ idFields: Type.Array(IdOf('field', Int32()), { maxItems: 1000 }) }),
  reply: Type.Array(Nullable(Field)),
  handle: ({ db, query }) => findFields(db, query.idFields),
});
