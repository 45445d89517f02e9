import type { Operation } from '../platform/http/operation.ts';
import { createField } from './api/create-field.ts';
import { getFieldQuota } from './api/get-field-quota.ts';
import { getFieldsByIds } from './api/get-fields-by-ids.ts';
import { listFields } from './api/list-fields.ts';
import { modifyField } from './api/modify-field.ts';

export const fieldsOperations: readonly Operation[] = [
  listFields,
  getFieldQuota,
  getFieldsByIds,
  modifyField,
  createField,
];
