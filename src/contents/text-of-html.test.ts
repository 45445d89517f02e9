import { describe, expect, it, test } from 'vitest';
import { compileTags } from './tag-language.ts';
import { textOfHtml } from './text-of-html.ts';

describe('textOfHtml', () => {
  test.each<[string, string, string]>([
    [
      'entities, paragraphs and line breaks',
      '<p>Tea &amp; <b>cake</b></p><p>at<br>noon</p>',
      'Tea & cake\n\nat\nnoon',
    ],
    ['headings as written', '<h1>Spring is here</h1>', 'Spring is here'],
    [
      'links behind their words',
      '<a href="https://a.example/?x=1&amp;y=2">Shop</a>',
      'Shop <https://a.example/?x=1&y=2>',
    ],
    [
      'a link that is its own text once',
      '<a href="https://a.example/">https://a.example/</a>',
      'https://a.example/',
    ],
    ['no address of a place in the page', '<a href="#top">Top</a>', 'Top'],
    [
      'pictures by their alternative text',
      '<a href="https://a.example/"><img src="x.png" alt="Sale"></a>',
      'Sale <https://a.example/>',
    ],
    ['tags as they are', '<p>Dear [[FLD.101|you &amp; me]],</p>', 'Dear [[FLD.101|you & me]],'],
    ['tags in links', '<a href="[[LINK.UNSUB]]">Unsubscribe</a>', 'Unsubscribe <[[LINK.UNSUB]]>'],
    [
      'conditions with their quotes and blanks',
      '[[IF FLD.101 Equal "a  b"]]<p>x</p>[[ELSE]]<p>y</p>[[END]]',
      '[[IF FLD.101 Equal "a  b"]]\n\nx\n\n[[ELSE]]\n\ny\n\n[[END]]',
    ],
    ['no placeholder of an advertisement', '<p>a</p>[[ENCART.1]]<p>b</p>', 'a\n\nb'],
    ['layout tables cell by cell', '<table><tr><td>a</td><td>b</td></tr></table>', 'a\nb'],
    [
      'no head, style, script or comment',
      '<head><title>t</title></head><style>p{}</style><script>1</script><!-- c --><!--[if mso]><p>o</p><![endif]-->a',
      'a',
    ],
    [
      'nothing hidden',
      '<div style="DISPLAY: None">p</div><div style="display:none;max-height:0">q</div><p hidden>r</p>a',
      'a',
    ],
    ['an HTML of pictures only as nothing', '<img src="x.png">', ''],
  ])('shows %s', (_, html, text) => expect(textOfHtml(html)).toEqual({ text }));

  it('is a text whose tags compile, and whose links are found', () => {
    const html = '<p>[[IF FLD.1 Equal "x"]]<b>a</b>[[END]]</p><a href="https://a.example/">Shop</a>';
    const found = textOfHtml(html);
    const seen: string[] = [];
    const linkOf = (url: string) => void seen.push(url);
    const compiled = compileTags('text' in found ? found.text : '', { kind: 'text', linkOf });
    expect([compiled.errors, seen]).toEqual([[], ['https://a.example/']]);
  });

  it('says why there is none when a hidden part holds one end of a condition', () => {
    const html = '<div style="display:none">[[IF FLD.1 Equal "x"]]</div>a[[END]]';
    expect(textOfHtml(html)).toEqual({ problem: expect.stringContaining('only one end of an [[IF …]]') });
  });

  it('says why there is none where elements are nested too deeply, and is not kept busy by them', () => {
    const expected = { problem: 'its elements are nested deeper than 1000' };
    for (const open of ['<div>', '<ul><li>', '<table><tr><td>', '<b>'])
      expect(textOfHtml(open.repeat(50_000))).toEqual(expected);
  });
});
