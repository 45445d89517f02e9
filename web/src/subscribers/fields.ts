import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import { useWords, type Words } from '../words/words.tsx';

export type Field = components['schemas']['Field'];

/** Fields that the service itself gives a meaning to. */
export const fieldIds = { id: 0, email: 1, status: 7, clientId: 43, delivery: 44 } as const;

/** All fields of the site's subscribers, by id. */
export function useFields() {
  const site = useSite();
  return useQuery({
    queryKey: ['fields', site.name],
    staleTime: 60_000,
    queryFn: () => dataOf(api.GET('/v1/{idsite}/fields', { params: { path: { idsite: site.name } } })),
  });
}

/** The name of a field in the reader's language; a custom field is called what its owner calls it. */
export const fieldName = (words: Words, { id, name }: Pick<Field, 'id' | 'name'>): string =>
  words.fields.system[id] ?? name;

/** A value that a field may have, with the text for it. */
export interface FieldChoice {
  readonly value: string;
  readonly label: string;
}

/** The values that a field is limited to, as lists, codes of the service, and yes or no; otherwise undefined. */
export function choicesOf(words: Words, field: Field): readonly FieldChoice[] | undefined {
  const codes = words.fields.codes[field.id];
  if (codes) return codes.map((label, value) => ({ value: String(value), label }));
  if (field.list) return field.list.map(({ key, value }) => ({ value: String(key), label: value }));
  if (field.fieldType !== 'Boolean') return undefined;
  return [
    { value: 'true', label: words.fields.yes },
    { value: 'false', label: words.fields.no },
  ];
}

/** Says the value of a field: the text of a list or code, a date of the reader's; empty for none. */
export function useFieldText(): (field: Field, value: unknown) => string {
  const { words, format } = useWords();
  return (field, value) => {
    if (value === null || value === undefined || value === '') return '';
    const key = typeof value === 'boolean' ? String(value) : `${value as string | number}`;
    const choice = choicesOf(words, field)?.find((one) => one.value === key);
    if (choice) return choice.label;
    if (field.fieldType !== 'Date') return key;
    // A date without a time is stored as the midnight of Paris.
    return format.time(key) === '00:00' ? format.day(key) : format.moment(key);
  };
}
