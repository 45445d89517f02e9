import { describe, expect, test } from 'vitest';
import type { ContentFrame } from '../contents/assemble-content.ts';
import { type Campaign, emptyCampaign } from './campaign.ts';
import type { Placement } from './placement.ts';
import type { Segment } from './segment.ts';
import { changeParameters, linksInContent, plainParameters } from './tracked-link.ts';

const frame: ContentFrame = {
  headerHtml: '<a href="https://head.fr/">h</a>',
  headerTxt: '',
  footerHtml: '<a href="https://foot.fr/?a=1&amp;b=2">f</a><a href="[[LINK.UNSUB]]">u</a>',
  footerTxt: 'https://foot.fr/text',
  unsubHtml: '',
  unsubTxt: '[[LINK.UNSUB]]',
};

function campaignOf(htmlContent: string, textContent = '', hasTextMessage = false): Campaign {
  const parameters = { ...emptyCampaign.parameters, hasTextMessage };
  // Only what contents are read from matters here.
  return { ...emptyCampaign, parameters, htmlContent, textContent, preheader: '' } as Campaign;
}

const list = (campaign: Campaign, of?: ContentFrame) =>
  linksInContent(campaign, of, [], []).map(({ url, origin, isTrackable }) => [url, origin, isTrackable]);

describe('addresses of a campaign', () => {
  test('come in order of appearance, each once, with their origin', () => {
    const html =
      '<body><a href="https://a.fr/">a</a><a href="mailto:x@y.fr">m</a><a href="https://a.fr/">a</a></body>';
    expect(list(campaignOf(html), frame)).toEqual([
      ['https://head.fr/', 'configuration', true],
      ['https://a.fr/', 'campaign', true],
      ['mailto:x@y.fr', 'campaign', false],
      ['https://foot.fr/?a=1&b=2', 'configuration', true],
    ]);
  });

  test('of the text count when the campaign has one', () => {
    const text = 'https://a.fr/ https://t.fr/[[FLD.1]]';
    expect(list(campaignOf('', text, false), frame)).toEqual([]);
    expect(list(campaignOf('', text, true), frame)).toEqual([
      ['https://a.fr/', 'campaign', true],
      ['https://t.fr/[[FLD.1]]', 'campaign', true],
      ['https://foot.fr/text', 'configuration', true],
    ]);
  });

  test('that the campaign and its configuration share are the campaign’s', () => {
    expect(list(campaignOf('<a href="https://head.fr/">x</a>'), frame)[0]).toEqual([
      'https://head.fr/',
      'campaign',
      true,
    ]);
  });

  test('without a configuration are the campaign’s own', () => {
    expect(list(campaignOf('<a href="https://a.fr/">x</a>'))).toEqual([['https://a.fr/', 'campaign', true]]);
  });
});

test('addresses of advertisements are links of their own, for each place', () => {
  const html = '<a href="https://a.fr/">x</a>[[ENCART.1]][[ENCART.2]]<a href="https://b.fr/">y</a>';
  const segments = [1, 2].map((id) => ({ id, position: id }) as Segment);
  const place = (idSegment: number, position: number, url: string): Placement => ({
    id: 10 * idSegment + position,
    idSegment,
    position,
    idAdvertisement: 7,
    name: '',
    html: `<a href="${url}">ad</a>`,
  });
  const placements = [
    place(1, 1, 'https://a.fr/'),
    place(1, 2, 'https://b.fr/'),
    place(2, 1, 'https://a.fr/'),
    place(2, 2, 'https://c.fr/'),
  ];
  const links = linksInContent(campaignOf(html), undefined, segments, placements);
  expect(links.map(({ url, origin, placement }) => [url, origin, placement?.id])).toEqual([
    ['https://a.fr/', 'campaign', undefined],
    ['https://a.fr/', 'advertisement', 11],
    ['https://b.fr/', 'advertisement', 12],
    ['https://b.fr/', 'campaign', undefined],
    ['https://a.fr/', 'advertisement', 21],
    ['https://c.fr/', 'advertisement', 22],
  ]);
});

test('parameters change where something is given', () => {
  const before = { ...plainParameters, description: 'd', idThematic: 3, idDirectory: 4 };
  expect(changeParameters(before, {})).toEqual(before);
  expect(changeParameters(before, { description: null, isMirrorUrl: true, idThematic: null })).toEqual({
    ...before,
    isMirrorUrl: true,
    idThematic: null,
  });
});
