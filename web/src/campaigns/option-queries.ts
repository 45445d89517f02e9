import { api, dataOf } from '../api/client.ts';

/** A record that a campaign may name. */
interface Named {
  readonly id: number;
  readonly name: string;
}

const page = { 'filter.sortBy': 'Name', 'filter.order': 'ASC', 'filter.limit': 1000 } as const;
const of = (idsite: string) => ({ path: { idsite } });

/** The sending configurations, by name. */
export const configurationsQuery = (idsite: string) => ({
  queryKey: ['sending-configurations', idsite, 'all'],
  queryFn: async () => {
    const { items } = await dataOf(
      api.GET('/v1/{idsite}/sending-configurations', { params: { ...of(idsite), query: page } }),
    );
    return items.map(({ config }) => config);
  },
});

/** Reads what can be chosen for each property of a campaign. */
export const optionQueries = {
  idDirectory: (idsite) =>
    dataOf(
      api.GET('/v1/{idsite}/directories/types/{idType}', {
        params: { path: { idsite, idType: 'Campaign' } },
      }),
    ),
  idThematic: async (idsite) => {
    const { items } = await dataOf(
      api.GET('/v1/{idsite}/thematics', { params: { ...of(idsite), query: page } }),
    );
    return items.map(({ idThematic, name }) => ({ id: idThematic, name }));
  },
  idTemplate: async (idsite) => {
    const query = { ...page, 'filter.mode': 'Dynamic' } as const;
    const { items } = await dataOf(api.GET('/v1/{idsite}/campaigns', { params: { ...of(idsite), query } }));
    return items.map(({ id, parameters }) => ({ id, name: parameters.name }));
  },
  idCommonAdvertiser: async (idsite) => {
    const { items } = await dataOf(
      api.GET('/v1/{idsite}/advertisers', { params: { ...of(idsite), query: page } }),
    );
    return items;
  },
  idCommonAffiliatePlatform: async (idsite) => {
    const { items } = await dataOf(
      api.GET('/v1/{idsite}/affiliations', { params: { ...of(idsite), query: page } }),
    );
    return items;
  },
} satisfies Readonly<Record<string, (idsite: string) => Promise<readonly Named[]>>>;
