import { api, dataOf } from '../api/client.ts';
import type { Campaign } from './campaign.ts';

/** The parts of a campaign that the composer edits. */
export interface Content {
  readonly name: string;
  readonly subject: string;
  readonly preheader: string;
  readonly html: string;
  readonly idConfiguration: number | null;
}

export const contentOf = ({ parameters, preheader, htmlContent }: Campaign): Content => ({
  name: parameters.name,
  subject: parameters.subject,
  preheader,
  html: htmlContent ?? '',
  idConfiguration: parameters.idConfiguration,
});

export const isSameContent = (one: Content, other: Content): boolean =>
  (Object.keys(one) as (keyof Content)[]).every((name) => one[name] === other[name]);

/** Saves what differs from the stored content. */
export async function saveContent(
  idsite: string,
  id: number,
  content: Content,
  stored: Content,
): Promise<Campaign> {
  const { name, subject, preheader, html, idConfiguration } = content;
  const saved = await dataOf(
    api.PUT('/v1/{idsite}/campaigns', {
      params: { path: { idsite }, query: { returnInformations: true, trackAllLinks: true } },
      body: {
        id,
        parameters: { name, subject, idConfiguration },
        preheader,
        ...(html !== stored.html && { htmlContent: html }),
      },
    }),
  );
  if (typeof saved === 'boolean') throw new Error('The service returned no campaign');
  return saved;
}
