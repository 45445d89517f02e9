import type { ApiClient } from './api-client.ts';
import type { DemoRow, SubscriberFile } from './subscriber-file.ts';

/** The custom fields of the demo, by their name; a second run finds them again. */
export interface DemoFields {
  readonly firstName: number;
  readonly city: number;
  readonly points: number;
}

interface Field {
  readonly id: number;
  readonly name: string;
}

const definitions = {
  firstName: { name: 'Demo first name', fieldType: 'Text', length: 60 },
  city: { name: 'Demo city', fieldType: 'Text', length: 60 },
  points: { name: 'Demo points', fieldType: 'Integer' },
} as const;

/** Creates the missing custom fields. */
export async function makeFields(site: ApiClient): Promise<DemoFields> {
  const known = await site.get<Field[]>('/fields');
  const made = async (definition: (typeof definitions)[keyof typeof definitions]) => {
    const found = known.find((field) => field.name === definition.name);
    return (found ?? (await site.post<Field>('/fields', definition))).id;
  };
  return {
    firstName: await made(definitions.firstName),
    city: await made(definitions.city),
    points: await made(definitions.points),
  };
}

/** Creates the target of subscribed people with at least `points`, except those who bounced before. */
export async function makeTarget(site: ApiClient, fields: DemoFields, points: number): Promise<number> {
  return filteredTarget(site, { name: `Demo: ${points} points or more` }, [
    { idField: 7, operator: 'Equal', value: '0' },
    { idField: 44, operator: 'LessOrEqual', value: '1' },
    { idField: fields.points, operator: 'GreaterOrEqual', value: String(points) },
  ]);
}

async function filteredTarget(
  site: ApiClient,
  parameters: object,
  filters: readonly object[],
): Promise<number> {
  const { id: idTarget } = await site.post<{ id: number }>('/targets', parameters);
  await site.put('/targets/filters/field', { idTarget, isEnabled: true, filters });
  return idTarget;
}

/** A target of two of our own people, for the test mailing. */
export async function makeTestTarget(site: ApiClient): Promise<number> {
  const emails = ['tester-1@facteur.example', 'tester-2@facteur.example'];
  const found = await site.get<({ id: number } | null)[]>('/subscribers', {
    'filter.by': 'Email',
    'filter.idFields': '0',
    'filter.emailEncoding': 'None',
    'filter.values': emails.join(','),
  });
  const known = found.filter((one) => one !== null).length;
  if (known === 0)
    await site.post(
      '/subscribers',
      emails.map((value) => ({ fields: [{ idField: 1, value }] })),
    );
  const filter = { idField: 1, operator: 'In', value: emails.join(';') };
  return filteredTarget(site, { name: 'Demo: testers', isTestTarget: true }, [filter]);
}

/** Returns the file's subscribers that the target must hold. */
export function expectedPeople(file: SubscriberFile, points: number): DemoRow[] {
  return [...file.subscribers.values()].filter((row) => row.status === 0 && row.points >= points);
}
