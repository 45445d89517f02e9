/** The types of a campaign, in the API document's order. */
export const campaignTypes = [
  'Unknown',
  'Newsletter',
  'Dedicated',
  'Other',
  'ExternalGame',
  'InternalGame',
  'Topic',
  'Rent',
  'Transac',
] as const;
export type CampaignType = (typeof campaignTypes)[number];
