/** When sendings start that were confirmed in this tab; the service does not say it. */
const starts = new Map<string, number>();

const keyOf = (site: string, idCampaign: number) => `${site} ${idCampaign}`;

export function noteStart(site: string, idCampaign: number, at: number): void {
  starts.set(keyOf(site, idCampaign), at);
}

/** The moment in milliseconds; undefined for a sending that was confirmed elsewhere. */
export const startOf = (site: string, idCampaign: number): number | undefined =>
  starts.get(keyOf(site, idCampaign));
