import { Closed, Count, Id, Instant, Maybe, OneOf, type Static } from '../platform/http/schema.ts';
import { type CampaignValues, emptyCampaign } from './campaign.ts';

export const SampleData = Closed('SampleData', {
  creationDate: Instant(),
  nbSubscribers: Count('Made-up people that are left, archived ones included'),
  idTarget: Id('target'),
  idCampaign: Id('campaign'),
});
export type SampleData = Static<typeof SampleData>;

export const SampleDataInput = Closed('SampleDataInput', {
  language: Maybe(OneOf(['en', 'fr'], 'Language of the texts. Default: en')),
});

export const RemovedSampleData = Closed('RemovedSampleData', {
  nbSubscribers: Count('Removed people'),
  nbTargets: Count('Removed targets'),
  nbCampaigns: Count(
    'Removed campaigns; 0 for a campaign that was sent: it is archived, with its statistics',
  ),
});
export type RemovedSampleData = Static<typeof RemovedSampleData>;

export interface SampleTexts {
  readonly origin: string;
  readonly target: string;
  readonly campaign: string;
  readonly subject: string;
  readonly preheader: string;
  readonly title: string;
  readonly text: string;
}

export const sampleTexts: Readonly<Record<'en' | 'fr', SampleTexts>> = {
  en: {
    origin: 'Sample data',
    target: 'Sample people',
    campaign: 'Sample newsletter',
    subject: 'A first look around',
    preheader: 'A message to try things with',
    title: 'A first look around',
    text: 'This is a sample message to made-up people. Change anything, send it, and read it in the mailbox.',
  },
  fr: {
    origin: 'Données d’exemple',
    target: 'Personnes fictives',
    campaign: 'Newsletter d’exemple',
    subject: 'Premier tour d’horizon',
    preheader: 'Un message pour essayer',
    title: 'Premier tour d’horizon',
    text: 'Ceci est un message d’exemple à des personnes fictives. Modifiez-le, envoyez-le et lisez-le dans la boîte.',
  },
};

const style = 'max-width:600px;margin:0 auto;padding:24px;font:16px/24px sans-serif;color:#1f1d1a';

/** The draft of sample data. @param idConfiguration the sender; null if the site has none yet */
export function sampleCampaign(texts: SampleTexts, idConfiguration: number | null): CampaignValues {
  const { campaign: name, subject, preheader, title, text } = texts;
  return {
    ...emptyCampaign,
    parameters: { ...emptyCampaign.parameters, name, subject, idConfiguration },
    preheader,
    htmlContent: `<html><body><div style="${style}"><h1>${title}</h1><p>${text}</p></div></body></html>`,
    textContent: `${title}\n\n${text}\n`,
  };
}
