import { useQueries } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useFields } from '../subscribers/fields.ts';
import { listedFields } from '../subscribers/listed-fields.ts';
import { fieldValue } from '../subscribers/subscriber.ts';
import type { ListedPerson } from './people-figure.ts';

/** People described by one request. */
const atOnce = 50;

/** The name and city of a person; empty where they have none. */
export interface PersonDescription {
  readonly name: string;
  readonly city: string;
}

/** Returns the name and city of each person of a list, as far as the site has fields for them. */
export function useDescriptions(
  people: readonly ListedPerson[],
): (person: ListedPerson) => PersonDescription | undefined {
  const site = useSite();
  const fields = useFields().data;
  const { name, city } = listedFields(fields ?? []);
  const idFields = [...name, ...(city ? [city] : [])].map(({ id }) => id);
  const shown = idFields.length === 0 ? [] : people;
  const known = [...new Set(shown.filter(({ email }) => email !== null).map((one) => one.idSubscriber))];
  const parts = Array.from({ length: Math.ceil(known.length / atOnce) }, (_, index) =>
    known.slice(index * atOnce, (index + 1) * atOnce),
  );
  const described = useQueries({
    queries: parts.map((ids) => ({
      queryKey: ['subscribers', site.name, 'described', idFields, ids],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
        const query = {
          ...{ 'filter.by': 'IdSubscriber' as const, 'filter.values': ids.map(String) },
          'filter.idFields': idFields,
        };
        return dataOf(
          api.GET('/v1/{idsite}/subscribers', { params: { path: { idsite: site.name }, query }, signal }),
        );
      },
    })),
    combine: (results) =>
      new Map(
        results
          .flatMap(({ data }) => data ?? [])
          .flatMap((one) => {
            if (one === null) return [];
            const textOf = ({ id }: { readonly id: number }) => String(fieldValue(one, id) ?? '');
            const description = { name: name.map(textOf).join(' ').trim(), city: city ? textOf(city) : '' };
            return [[one.id, description] as const];
          }),
      ),
  });
  return ({ idSubscriber }) => described.get(idSubscriber);
}
