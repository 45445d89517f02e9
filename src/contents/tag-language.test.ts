import { describe, expect, test } from 'vitest';
import type { FieldValue, RecipientLink, TagField } from './tag.ts';
import { fillTags } from './tag-filler.ts';
import { compileTags, type SourceKind, type TagOptions } from './tag-language.ts';

const fields: TagField[] = [
  { id: 1, fieldType: 'Text' },
  { id: 8, fieldType: 'Boolean' },
  { id: 101, fieldType: 'Text' },
  { id: 102, fieldType: 'Date' },
  { id: 103, fieldType: 'List', list: [{ key: 7, value: 'Été' }] },
  { id: 104, fieldType: 'Integer' },
];

function fill(
  source: string,
  kind: SourceKind,
  values: Record<number, FieldValue> = {},
  options: Partial<TagOptions> = {},
): string {
  const compiled = compileTags(source, { kind, fields, ...options });
  expect(compiled.errors).toEqual([]);
  return fillTags(compiled.nodes, {
    field: (id) => values[id],
    conf: (number) => `conf${number}&`,
    link: (link: RecipientLink, idLink) => `https://t.fr/${link}/${idLink ?? ''}`,
    data: (name) => (name === 'order' ? '<42>' : undefined),
    now: new Date('2026-07-01T22:30:00Z'),
  });
}

const errorsOf = (source: string, kind: SourceKind = 'text', options: Partial<TagOptions> = {}) =>
  compileTags(source, { kind, fields, ...options }).errors.map(
    ({ position, message }) => `${position} ${message}`,
  );

describe('values', () => {
  test.each<[string, Record<number, FieldValue>, string]>([
    ['Bonjour [[FLD.101]]!', { 101: 'Zoé' }, 'Bonjour Zoé!'],
    ['[[fld.101]][[Fld.101]]', { 101: 'a' }, 'aa'],
    ['[[ FLD.101 ]]', { 101: 'a' }, 'a'],
    ['[[FLD.101|vous]]', { 101: '' }, 'vous'],
    ['[[FLD.101|vous]]', { 101: null }, 'vous'],
    ['[[FLD.101|vous]]', { 101: 'toi' }, 'toi'],
    ['[[FLD.101| a|b ]]', {}, ' a|b '],
    ['[[FLD.101|]]', {}, ''],
    ['[[FLD.102]]', { 102: new Date('2026-03-28T23:00:00Z') }, '29/03/2026'],
    ['[[FLD.102]]', { 102: new Date('2026-03-29T22:00:00Z') }, '30/03/2026'],
    ['[[FLD.103]]', { 103: 7 }, 'Été'],
    ['[[FLD.103|rien]]', { 103: 99 }, 'rien'],
    ['[[FLD.104]]', { 104: 9007199254740993n }, '9007199254740993'],
    ['[[FLD.104]]', { 104: 0 }, '0'],
    ['[[FLD.8]]', { 8: true }, '1'],
    ['[[FLD.8]]', { 8: 0 }, '0'],
    ['[[CONF.7]]', {}, 'conf7&'],
    ['[[link.mirror]] [[LINK.UNSUB]]', {}, 'https://t.fr/mirror/ https://t.fr/unsub/'],
    ['[[Link.Forward]]', {}, 'https://t.fr/forward/'],
    ['a [b] [[[FLD.101]]] ]]', { 101: 'x' }, 'a [b] [x] ]]'],
    ['[[ [[FLD.101]]', { 101: 'x' }, '[[ x'],
    ['[[1, 2], [3, 4', {}, '[[1, 2], [3, 4'],
  ])('%s with %o is %s', (source, values, expected) => {
    expect(fill(source, 'text', values)).toBe(expected);
  });

  test('are never read as tags', () => {
    expect(fill('[[FLD.101]]', 'text', { 101: '[[FLD.1]]' })).toBe('[[FLD.1]]');
    expect(fill('[[[[FLD.101]]NAME]]', 'text', { 101: '[[' })).toBe('[[[[NAME]]');
  });

  test('an empty field keeps the no-break spaces of its default', () => {
    expect(fill('[[&nbsp;FLD.101|Cher&nbsp;client]]', 'html', { 101: '' })).toBe('Cher\u00a0client');
  });

  test.each<[SourceKind, string, string, string]>([
    ['html', '<a href="http://[[FLD.101]]">', 'https://a.fr/?b=1&c', '<a href="https://a.fr/?b=1&amp;c">'],
    ['html', '<a href=" https://[[FLD.101]]/x">', 'a.fr', '<a href=" https://a.fr/x">'],
    ['html', '<a href="http://[[FLD.101]]?x=1">', 'HTTPS://a.fr', '<a href="HTTPS://a.fr?x=1">'],
    ['html', '<a href="http://[[FLD.101]].a.fr/">', 'b.fr/', '<a href="http://b.fr%2F.a.fr/">'],
    ['html', '<a href="http://[[FLD.101]]">', 'javascript:x', '<a href="http://javascript:x">'],
    ['html', '<a href="http://[[FLD.101]]">', '', '<a href="">'],
    ['html', '<p title="http://[[FLD.101]]">', 'https://a.fr', '<p title="http://https://a.fr">'],
    ['text', 'See http://[[FLD.101]].', 'https://a.fr/b', 'See https://a.fr/b.'],
    ['url', 'http://[[FLD.101]]', 'https://a.fr/b', 'https://a.fr/b'],
    ['url', 'https://a.fr/?u=http://[[FLD.101]]', 'b.fr', 'https://a.fr/?u=http://b.fr'],
    [
      'html',
      '<img srcset="https://a.fr/[[FLD.101]].png 2x">',
      'b c, d',
      '<img srcset="https://a.fr/b%20c%2C%20d.png 2x">',
    ],
    [
      'html',
      '<img srcset="a.png, [[FLD.101]] 2x">',
      'https://a.fr/b c',
      '<img srcset="a.png, https://a.fr/b%20c 2x">',
    ],
  ])(
    'a scheme in front of a whole address, and lists of addresses: %s %s with %j',
    (kind, source, value, made) => {
      expect(fill(source, kind, { 101: value })).toBe(made);
    },
  );

  test('a single send fills DATA.name', () => {
    expect(fill('[[DATA.order]][[DATA.none]]', 'html', {}, { hasData: true })).toBe('&lt;42&gt;');
  });
});

describe('the position of a value decides how it is escaped', () => {
  const nasty = `"'<b>&x=1 javascript:a()//`;
  test.each<[SourceKind, string, string]>([
    ['text', '[[FLD.101]]', nasty],
    ['html', '<p>[[FLD.101]]</p>', '<p>&quot;&#39;&lt;b&gt;&amp;x=1 javascript:a()//</p>'],
    ['html', '<p title="[[FLD.101]]">', '<p title="&quot;&#39;&lt;b&gt;&amp;x=1 javascript:a()//">'],
    ['html', "<p title='[[FLD.101]]'>", "<p title='&quot;&#39;&lt;b&gt;&amp;x=1 javascript:a()//'>"],
    [
      'html',
      '<p title=[[FLD.101]]>',
      '<p title=&#34;&#39;&#60;b&#62;&#38;x&#61;1&#32;javascript&#58;a&#40;&#41;&#47;&#47;>',
    ],
    [
      'html',
      '<p [[FLD.101]]>',
      '<p &#34;&#39;&#60;b&#62;&#38;x&#61;1&#32;javascript&#58;a&#40;&#41;&#47;&#47;>',
    ],
    [
      'html',
      '<a href="https://a.fr/?e=[[FLD.101]]">',
      '<a href="https://a.fr/?e=%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F">',
    ],
    [
      'html',
      '<a href=https://a.fr/[[FLD.101]]>',
      '<a href=https://a.fr/%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F>',
    ],
    ['html', '<a href="[[FLD.101]]">', '<a href="%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F">'],
    [
      'html',
      '<img src="https://i.fr/[[FLD.101]].png">',
      '<img src="https://i.fr/%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F.png">',
    ],
    ['html', '<!-- [[FLD.101]] -->', '<!-- &quot;&#39;&lt;b&gt;&amp;x=1 javascript:a()// -->'],
    [
      'text',
      'https://a.fr/?e=[[FLD.101]] x',
      'https://a.fr/?e=%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F x',
    ],
    ['url', 'https://a.fr/?e=[[FLD.101]]', 'https://a.fr/?e=%22%27%3Cb%3E%26x%3D1%20javascript%3Aa()%2F%2F'],
  ])('%s %s', (kind, source, expected) => {
    expect(fill(source, kind, { 101: nasty })).toBe(expected);
  });

  test('a field may hold a whole web address, and no other', () => {
    const href = (value: string) => fill('<a href="[[FLD.101]]">', 'html', { 101: value });
    expect(href('https://a.fr/é?x=1&y="2"')).toBe('<a href="https://a.fr/%C3%A9?x=1&amp;y=%222%22">');
    expect(href('javascript:alert(1)')).toBe('<a href="javascript%3Aalert(1)">');
    expect(href('data:text/html,x')).toBe('<a href="data%3Atext%2Fhtml%2Cx">');
    expect(href('//evil.test')).toBe('<a href="%2F%2Fevil.test">');
    expect(href(' \tjavascript:x')).toBe('<a href="javascript%3Ax">');
  });

  test('a header value is one line', () => {
    expect(fill('a [[FLD.101|x\ny]]', 'header', { 101: 'b\r\nBcc: c\0\u2028d' })).toBe('a b Bcc: c d');
    expect(fill('a [[FLD.101|x\ny]]', 'header', {})).toBe('a x y');
  });

  test('NUL and lone surrogates do not reach a message', () => {
    expect(fill('[[FLD.101]]', 'text', { 101: 'a\0b' })).toBe('ab');
    expect(fill('https://a.fr/[[FLD.101]]', 'url', { 101: '\ud83d' })).toBe('https://a.fr/%EF%BF%BD');
  });

  test('tags as HTML editors write them', () => {
    expect(fill('<p>[[FLD.101|Caf&eacute; &amp; th&eacute;]]</p>', 'html')).toBe('<p>Café &amp; thé</p>');
    expect(fill('[[IF&nbsp;FLD.101 Equal &quot;Zo&eacute;&quot;]]1[[END]]', 'html', { 101: 'Zoé' })).toBe(
      '1',
    );
    expect(fill('<a title="[[IF FLD.101 Equal "a > b"]]1[[ELSE]]2[[END]]">', 'html', { 101: 'a > b' })).toBe(
      '<a title="1">',
    );
  });
});

describe('conditions', () => {
  test.each<[string, Record<number, FieldValue>, string]>([
    ['[[IF FLD.101 HasValue]]a[[END]]', { 101: 'x' }, 'a'],
    ['[[if fld.101 hasvalue]]a[[else]]b[[end]]', { 101: '' }, 'b'],
    [
      '[[IF FLD.101 HasValue]]a[[IF FLD.104 Greater "3"]]b[[ELSE]]c[[END]]d[[END]]e',
      { 101: 'x', 104: 3 },
      'acde',
    ],
    ['[[IF FLD.101 Equal "zoe"]][[FLD.104]][[ELSE]][[FLD.103]][[END]]', { 101: 'Zoé', 104: 5, 103: 7 }, '5'],
    ['[[IF FLD.104 Greater "1"]][[IF FLD.104 Less "3"]]2[[END]][[END]]', { 104: 2 }, '2'],
    ['[[IF FLD.101 HasValue]][[ELSE]]no[[END]]', {}, 'no'],
  ])('%s with %o is %s', (source, values, expected) => {
    expect(fill(source, 'text', values)).toBe(expected);
  });

  test('may be in comments, which links may not', () => {
    const source = '<!-- [[IF FLD.1 HasValue]] -->a<!-- [[LINK.UNSUB]][[END]] -->';
    expect(fill(source, 'html', { 1: 'x' })).toBe('<!--  -->a<!--  -->');
    expect(fill(source, 'html')).toBe('<!--  -->');
  });

  test('needs the fields that it tests and those of both sides', () => {
    const source = '[[IF FLD.101 HasValue]][[FLD.104]][[ELSE]][[FLD.1]][[END]]';
    expect(compileTags(source, { kind: 'text', fields }).fields).toEqual([1, 101, 104]);
  });

  test('a link counts for everyone only when both sides have it', () => {
    const links = (source: string) => [...compileTags(source, { kind: 'html', fields }).links];
    expect(links('<a href="[[LINK.UNSUB]]">x</a>')).toEqual(['unsub']);
    expect(links('[[IF FLD.1 HasValue]][[LINK.UNSUB]][[END]]')).toEqual([]);
    expect(links('[[IF FLD.1 HasValue]][[LINK.UNSUB]][[ELSE]]x[[LINK.UNSUB]][[END]]')).toEqual(['unsub']);
  });
});

describe('mistakes are named with their places', () => {
  test.each<[string, string[]]>([
    ['ab [[NOPE]] [[FLD.x]]', ['3 [[NOPE]]: unknown tag', '12 [[FLD.x]]: unknown tag']],
    ['[[CONF.0]][[CONF.11]]', ['0 [[CONF.0]]: unknown tag', '10 [[CONF.11]]: unknown tag']],
    ['[[]]', ['0 [[]]: unknown tag']],
    ['[[FLD.999]]', ['0 [[FLD.999]]: there is no field 999']],
    ['[[NOPE|x]]', ['0 [[NOPE|x]]: unknown tag']],
    ['[[ENCART.2]]', ['0 [[ENCART.2]]: advertisements are allowed in HTML only']],
    ['[[BLOC.promo]]', ["0 [[BLOC.promo]]: there is no content block 'promo'"]],
    ['[[DATA.shops.fld40]]', ["0 [[DATA.shops.fld40]]: there is no content data 'shops'"]],
    ['[[DATA.name]]', ['0 [[DATA.name]]: there is no data of a single send to take it from']],
    ['[[ELSE]][[END]]', ['0 [[ELSE]]: there is no IF before it', '8 [[END]]: there is no IF before it']],
    ['[[IF FLD.1 HasValue]]', ['0 [[IF FLD.1 HasValue]]: no END follows it']],
    ['[[IF FLD.1 HasValue]][[ELSE]][[ELSE]][[END]]', ['29 [[ELSE]]: there is no IF before it']],
    ['[[IF FLD.1 Like "a"]][[ELSE]][[END]]', ['0 [[IF FLD.1 Like "a"]]: there is no operator \'Like\'']],
    [
      '[[IF FLD.1 Equal]][[END]]',
      ['0 [[IF FLD.1 Equal]]: Equal needs a value; HasNoValue finds empty fields'],
    ],
    [
      '[[IF FLD.1 Equal "a]][[END]]',
      ['0 [[IF FLD.1 Equal "a]]: unknown tag', '21 [[END]]: there is no IF before it'],
    ],
    [
      '[[IF FLD.104 Equal "a"]][[END]]',
      ['0 [[IF FLD.104 Equal "a"]]: \'a\' does not fit field 104: it must be a whole number of 64 bits'],
    ],
    ['Bonjour [[FLD.101, ça va', ['8 [[FLD.101,: the tag does not end with ]]']],
  ])('%s', (source, errors) => {
    expect(errorsOf(source)).toEqual(errors);
  });

  test('an advertisement that was not placed is named in HTML', () => {
    expect(errorsOf('[[ENCART.2]]', 'html')).toEqual(['0 [[ENCART.2]]: no advertisement is placed at 2']);
  });

  test('conditions nest eight deep and not nine', () => {
    const nested = (depth: number) => `${'[[IF FLD.1 HasValue]]'.repeat(depth)}x${'[[END]]'.repeat(depth)}`;
    expect(errorsOf(nested(8))).toEqual([]);
    expect(fill(nested(8), 'text', { 1: 'a' })).toBe('x');
    expect(errorsOf(nested(9))).toEqual(['168 [[IF FLD.1 HasValue]]: conditions nest at most 8 deep']);
  });

  test('all together compare with ten thousand values and not one more', () => {
    const many = (count: number) => `[[IF FLD.1 In "${'a;'.repeat(count - 1)}a"]][[END]]`;
    const almost = many(400).repeat(24) + many(399);
    expect(errorsOf(almost + many(1))).toEqual([]);
    const [error, ...others] = errorsOf(almost + many(2));
    expect(error).toMatch(/"a;a"\]\]: the conditions compare with more than 10000 values$/);
    expect(others).toEqual([]);
  });

  test('at most a hundred are reported', () => {
    expect(errorsOf('[[NOPE]]'.repeat(5000)).length).toBe(100);
  });
});

test('more tags than any content needs are an error', () => {
  expect(errorsOf('[[FLD.1]]'.repeat(10_001))).toEqual(['90000 [[: more than 10000 tags']);
});
