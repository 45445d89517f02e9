import { expect, test } from 'vitest';
import type { Field } from '../fields/field.ts';
import { customFields } from '../testing/custom-fields.ts';
import { describeTarget } from './description.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import { parametersOf, type StoredTarget } from './target.ts';

const status = { id: 7, name: 'Statut', fieldType: 'Integer', list: null } as Field;
const site = {
  fields: new Map([status, ...customFields].map((field) => [field.id, field])),
  now: new Date('2026-11-20T10:00:00Z'),
};
const subscribed: TargetFilter = {
  idTarget: 1,
  kind: 'field',
  isEnabled: true,
  definition: { filters: [{ idField: 7, operator: 'Equal', value: '0' }] },
};

function describeOne(given: Partial<Parameters<typeof parametersOf>[0]>, filters: TargetFilter[]): string {
  const target: StoredTarget = {
    id: 1,
    author: 'Ada',
    createdAt: site.now,
    updatedAt: site.now,
    isArchived: false,
    filters,
    parameters: parametersOf({ name: 'Actifs', ...given }),
  };
  const names = new Map([[9, '<img src=x onerror="alert(1)"> & fils']]);
  return describeTarget(target, names, site).replaceAll('<p>', '\n<p>');
}

test('descriptions', async () => {
  const texts = [
    describeOne({ name: 'Tous' }, []),
    describeOne({ name: '<b>Actifs</b>' }, [subscribed]),
    describeOne({ pctSelect: 80, isRandomMode: true }, [{ ...subscribed, isEnabled: false }]),
    describeOne({ maxSelect: 500, excludedTargets: [9, 10] }, [subscribed]),
  ];
  await expect(texts.join('\n')).toMatchFileSnapshot('description.golden.html');
});
