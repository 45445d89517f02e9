import { describe, expect, it } from 'vitest';
import { type CampaignInput, emptyCampaign, mergeCampaign } from './campaign.ts';

const spring: CampaignInput = {
  parameters: { name: 'Spring', subject: 'It is here', sendingSpeed: 100, idConfiguration: 3 },
  htmlContent: '<p>Hello</p>',
};

describe('mergeCampaign', () => {
  it('fills a new campaign with the defaults', () => {
    const made = mergeCampaign(emptyCampaign, spring);
    expect(made.parameters).toEqual({ ...emptyCampaign.parameters, ...spring.parameters });
    expect(made).toMatchObject({ htmlContent: '<p>Hello</p>', textContent: '', idDirectory: null });
    expect(made.parameters).toMatchObject({
      mode: 'Simple',
      type: 'Newsletter',
      useListUnsubscribeHeader: true,
    });
  });

  it('keeps what is omitted or null', () => {
    const before = mergeCampaign(emptyCampaign, spring);
    const after = mergeCampaign(before, { parameters: { name: 'Summer', subject: null }, htmlContent: null });
    expect(after).toEqual({ ...before, parameters: { ...before.parameters, name: 'Summer' } });
  });

  it('treats a null reference as none, which 0 becomes', () => {
    const named = { idCampDynamic: 4, autoHostPicturesIdDirectory: 5, idDirectory: 6 };
    const before = mergeCampaign(emptyCampaign, { ...spring, ...named });
    expect(before).toMatchObject({ ...named, parameters: { idConfiguration: 3 } });
    expect(mergeCampaign(before, { parameters: {} })).toEqual(before);
    const none = { idCampDynamic: null, autoHostPicturesIdDirectory: null, idDirectory: null };
    expect(mergeCampaign(before, { ...none, parameters: { idConfiguration: null } })).toEqual({
      ...before,
      ...none,
      parameters: { ...before.parameters, idConfiguration: null },
    });
  });

  it('takes what empties: an empty text, zero, false', () => {
    const before = mergeCampaign(emptyCampaign, spring);
    const input = {
      parameters: { subject: '', sendingSpeed: 0, useListUnsubscribeHeader: false },
      htmlContent: '',
    };
    expect(mergeCampaign(before, input)).toMatchObject(input);
  });
});
