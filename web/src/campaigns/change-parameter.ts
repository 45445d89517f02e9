import { api } from '../api/client.ts';
import { ifMatch, type Outcome, storeOver, type Versioned, versionedOf } from '../api/versions.ts';
import type { Campaign } from './campaign.ts';

/** The parameters that are changed one by one, outside of the draft. */
type Parameter = 'isArchive' | 'idTestTarget';

/**
 * Changes a parameter of a campaign, but never over another value that another person gave it since it was read. Their
 * changes of other parts stay.
 * @param campaign as the user saw it; without a version, it is read first
 */
export function changeParameter<Name extends Parameter>(
  idsite: string,
  campaign: Campaign & { readonly etag?: string },
  name: Name,
  value: NonNullable<Campaign['parameters'][Name]>,
): Promise<Outcome<Campaign, Versioned<Campaign>>> {
  const { id, etag } = campaign;
  return storeOver<Campaign, Versioned<Campaign>>({
    known: etag === undefined ? undefined : { value: campaign, etag },
    read: () =>
      versionedOf(
        api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params: { path: { idsite, idCampaign: id } } }),
      ),
    isSame: ({ parameters }) => [campaign.parameters[name], value].includes(parameters[name]),
    write: async (now) => {
      const stored = await versionedOf(
        api.PUT('/v1/{idsite}/campaigns', {
          params: { path: { idsite }, query: { returnInformations: true }, header: ifMatch(now.etag) },
          body: { id, parameters: { [name]: value } },
        }),
      );
      // With returnInformations the reply is the campaign.
      return { value: stored.value as Campaign, etag: stored.etag };
    },
  });
}
