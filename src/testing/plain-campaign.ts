import { type Campaign, type CampaignParameters, emptyCampaign } from '../campaigns/campaign.ts';

/** A campaign as a row would say, for tests of what needs no database: named, with a subject, and never scheduled. */
export function plainCampaign(
  parameters: Partial<CampaignParameters> = {},
  values: Partial<Omit<Campaign, 'parameters'>> = {},
): Campaign {
  return {
    ...emptyCampaign,
    id: 7,
    parameters: { ...emptyCampaign.parameters, name: 'Spring', subject: 'It is here', ...parameters },
    preheader: '',
    authorId: 1,
    authorName: 'Ada',
    creationDate: new Date(0),
    lastUpdateDate: new Date(0),
    scheduleType: 'None',
    scheduleState: 'None',
    calendarDates: [],
    isTracked: true,
    autoHostPicturesResult: null,
    ...values,
  };
}
