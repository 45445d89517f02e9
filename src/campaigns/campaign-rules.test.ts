import { describe, expect, it } from 'vitest';
import { plainCampaign } from '../testing/plain-campaign.ts';
import type { Campaign } from './campaign.ts';
import { filledFrom } from './campaign-rules.ts';

interface Own {
  readonly subject?: string;
  readonly html?: string;
  readonly text?: string;
  readonly preheader?: string;
  readonly mode?: 'Simple' | 'Dynamic';
}

function campaign({ subject = '', html = '', text = '', preheader = '', mode = 'Simple' }: Own): Campaign {
  return plainCampaign({ subject, mode }, { htmlContent: html, textContent: text, preheader });
}

const template = campaign({ subject: 'S', html: 'H', text: 'T', preheader: 'P', mode: 'Dynamic' });

describe('a campaign made from a template', () => {
  it.each<[string, Own, string[]]>([
    ['all when it has nothing of its own', {}, ['S', 'H', 'T', 'P']],
    [
      'nothing when it has all of its own',
      { subject: 's', html: 'h', text: 't', preheader: 'p' },
      ['s', 'h', 't', 'p'],
    ],
    ['the content, with a subject of its own', { subject: 's' }, ['s', 'H', 'T', 'P']],
    ['the subject, with a content of its own, which has no text', { html: 'h' }, ['S', 'h', '', '']],
    ['the HTML, with a text of its own', { text: 't' }, ['S', 'H', 't', 'P']],
    ['what is blank in it', { subject: ' ', html: ' \n', text: '\t' }, ['S', 'H', 'T', 'P']],
  ])('takes %s', (_what, own, expected) => {
    const { parameters, htmlContent, textContent, preheader } = filledFrom(campaign(own), template);
    expect([parameters.subject, htmlContent, textContent, preheader]).toEqual(expected);
  });

  it('takes nothing else', () => {
    const { parameters, ...rest } = filledFrom(campaign({}), { ...template, id: 8, authorId: 2 });
    expect(parameters).toEqual({ ...campaign({}).parameters, subject: 'S' });
    expect(rest).toMatchObject({ id: 7, authorId: 1 });
  });

  it('is as it is without one, and when that is of mode Dynamic no more', () => {
    expect(filledFrom(campaign({}), undefined)).toEqual(campaign({}));
    const changed = campaign({ subject: 'S', html: 'H', mode: 'Simple' });
    expect(filledFrom(campaign({}), changed)).toEqual(campaign({}));
  });
});
