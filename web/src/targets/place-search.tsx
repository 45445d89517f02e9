import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { enterChooses } from '../parts/searchable.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { usePart } from './sentence.tsx';

export type FoundPlace = components['schemas']['FoundPlace'];

/** Finds a town by its name; what is chosen gives its postcodes. */
export function PlaceSearch({ choose }: { readonly choose: (place: FoundPlace) => void }) {
  const { words } = useWords();
  const { geolocation } = words.targets.filters;
  const site = useSite();
  const { disabled } = usePart('postcode');
  const [typed, setTyped] = useState('');
  const [name] = useDebouncedValue(typed.trim(), 150);
  const { data, isFetching } = useQuery({
    queryKey: ['places', site.name, name],
    enabled: name.length > 1,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/places', { params: { path: { idsite: site.name }, query: { name } }, signal }),
      ),
  });
  if (disabled) return null;
  const isBusy = typed.trim() !== name || isFetching;
  const places = new Map(
    (name.length > 1 ? (data ?? []) : []).map((place) => {
      const { postcodes, country } = place;
      const [first] = postcodes;
      const last = postcodes.at(-1);
      const codes = first === last ? first : `${first} – ${last}`;
      return [`${place.name} · ${codes} · ${geolocation.countries[country]}`, place];
    }),
  );
  return (
    <Autocomplete
      className="place-search"
      {...enterChooses}
      aria-busy={isBusy}
      error={name.length > 1 && !isBusy && data?.length === 0 && words.shell.noMatch}
      size="xs"
      aria-label={geolocation.find}
      placeholder={geolocation.find}
      leftSection={<IconSearch size={14} aria-hidden />}
      data={[...places.keys()]}
      // The service has found them, ignoring accents.
      filter={({ options }) => options}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={(label) => {
        const place = places.get(label);
        if (place) choose(place);
        // The field writes the option's text first.
        setTimeout(() => setTyped(''));
      }}
    />
  );
}
