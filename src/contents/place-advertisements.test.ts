import { describe, expect, it, test } from 'vitest';
import { placeAdvertisements, placeholdersOf } from './place-advertisements.ts';

const placed = (html: string, ...advertisements: string[]) =>
  placeAdvertisements(
    html,
    new Map(advertisements.map((one, index) => [index + 1, { id: 10 * (index + 1), html: one }])),
  );
/** With the problems as texts. */
function place(...given: Parameters<typeof placed>) {
  const made = placed(...given);
  return { ...made, problems: made.problems.map(({ text }) => text) };
}

describe('advertisements', () => {
  it('replace their tags, and are reported with their spans', () => {
    const made = place('a[[ENCART.1]]b[[encart.2]]c[[ ENCART.1 ]]', '<i>1</i>', '[[FLD.1]]');
    expect(made).toMatchObject({
      html: 'a<i>1</i>b[[FLD.1]]c<i>1</i>',
      spans: [
        { start: 1, end: 9, id: 10 },
        { start: 10, end: 19, id: 20 },
        { start: 20, end: 28, id: 10 },
      ],
      placements: [10, 20],
      problems: [],
    });
  });

  it('may hold each other; the inner one interrupts the outer', () => {
    const { html, spans } = place('[[ENCART.1]]', 'a[[ENCART.2]]b', 'x');
    expect(html).toBe('axb');
    expect(spans.map(({ start, end, id }) => [start, end, id])).toEqual([
      [0, 1, 10],
      [1, 2, 20],
      [2, 3, 10],
    ]);
  });

  it('leave a content without their tags as it is', () => {
    const html = '<p>[[FLD.1]] [[nope]] ENCART.1</p>';
    expect(place(html, 'x')).toMatchObject({ html, spans: [], placements: [], problems: [] });
  });

  it('count as placed even when they are empty', () => {
    expect(place('[[ENCART.1]]', '')).toMatchObject({ html: '', spans: [], placements: [10], problems: [] });
  });

  it('that are missing are named, once each, and their tags stay', () => {
    const { html, problems } = placed('[[ENCART.7]][[ENCART.1]][[ENCART.7]]', '[[Encart.8]]');
    expect(html).toBe('[[ENCART.7]][[Encart.8]][[ENCART.7]]');
    expect(problems).toEqual([
      { text: 'no advertisement at [[ENCART.7]]', missing: '[[ENCART.7]]' },
      { text: 'no advertisement at [[Encart.8]]', missing: '[[Encart.8]]' },
    ]);
  });

  it('nest up to four levels deep, and not five', () => {
    const chain = ['1[[ENCART.2]]', '2[[ENCART.3]]', '3[[ENCART.4]]', '4'];
    expect(place('[[ENCART.1]]', ...chain)).toMatchObject({ html: '1234', problems: [] });
    const deeper = [...chain.slice(0, 3), '4[[ENCART.5]]', '5'];
    expect(place('[[ENCART.1]]', ...deeper)).toMatchObject({
      html: '1234[[ENCART.5]]',
      problems: ['advertisements nest at most 4 deep, and [[ENCART.5]] is deeper'],
    });
  });

  it.each([
    ['itself', ['a[[ENCART.1]]'], '[[ENCART.1]]'],
    ['one that holds it', ['[[ENCART.2]]', 'b[[ENCART.1]]'], '[[ENCART.1]]'],
  ])('that hold %s are an error', (_, advertisements, tag) => {
    const { problems } = place('[[ENCART.1]]', ...advertisements);
    expect(problems).toEqual([`the advertisement at ${tag} contains itself`]);
  });
});

describe('hostile contents end at a limit, and bring nothing', () => {
  const many = (n: number) => `[[ENCART.${n}]]`.repeat(9_000);

  test('four levels of thousands of tags', () => {
    const html = many(1);
    for (const last of ['', 'x']) {
      expect(place(html, many(2), many(3), many(4), last)).toMatchObject({
        html,
        spans: [],
        placements: [],
        problems: ['more than 1000 advertisements in one message'],
      });
    }
  });

  test('a few that grow', () => {
    const ten = (n: number) => `[[ENCART.${n}]]`.repeat(10);
    expect(place(ten(1), ten(2), 'x'.repeat(50_000))).toMatchObject({
      html: ten(1),
      problems: ['the HTML with its advertisements has more than 4000000 characters'],
    });
  });

  test('a hundred different tags are named, and no more', () => {
    const tags = Array.from({ length: 5_000 }, (_, n) => `[[ENCART.${n + 1}]]`).join('');
    expect(place(tags)).toMatchObject({ html: tags });
    expect(place(tags).problems).toHaveLength(100);
  });
});

test('placeholders are found once each, as HTML editors write them too', () => {
  expect(placeholdersOf('[[ENCART.3]][[FLD.1]][[&nbsp;ENCART.1]][[ENCART.3]][[ENCART.x]]')).toEqual([3, 1]);
});
