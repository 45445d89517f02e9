import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';

export type Thematic = components['schemas']['Thematic'];

/** The most that a call can bring, for choices that show all. */
const all = { 'filter.sortBy': 'Name', 'filter.order': 'ASC', 'filter.limit': 1000 } as const;

/** The thematics to choose from, by name. */
export function useThematics() {
  const site = useSite();
  return useQuery({
    queryKey: ['thematics', site.name, 'all'],
    queryFn: async () => {
      const params = { path: { idsite: site.name }, query: all };
      return (await dataOf(api.GET('/v1/{idsite}/thematics', { params }))).items;
    },
  });
}

/** The advertisers and affiliation platforms to choose from, by name. */
export function useAdvertiserChoices() {
  const site = useSite();
  const params = { path: { idsite: site.name }, query: all };
  const advertisers = useQuery({
    queryKey: ['advertisers', site.name, 'all'],
    queryFn: async () => (await dataOf(api.GET('/v1/{idsite}/advertisers', { params }))).items,
  }).data;
  const affiliations = useQuery({
    queryKey: ['affiliations', site.name, 'all'],
    queryFn: async () => (await dataOf(api.GET('/v1/{idsite}/affiliations', { params }))).items,
  }).data;
  return { advertisers: advertisers ?? [], affiliations: affiliations ?? [] };
}
