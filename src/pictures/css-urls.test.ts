import { expect, test } from 'vitest';
import { cssUrls } from './css-urls.ts';

function urls(css: string): string[] {
  const found: string[] = [];
  cssUrls(css, (start, end) => found.push(css.slice(start, end)) > 0);
  return found;
}

test.each<[string, string, string[]]>([
  ['without quotes', 'a{background:url(http://a.fr/x.png)}', ['http://a.fr/x.png']],
  ['with quotes and blanks', `a{b: URL( "x" ) , url(\n'y'\t)}`, ['x', 'y']],
  ['brackets and ends in quotes', 'a{b:url("x)};.png") url(z)}', ['x)};.png', 'z']],
  ['several', 'background: url(a) no-repeat, url(b); list-style: url(c)', ['a', 'b', 'c']],
  ['in media rules', '@media (x){a{b:url(a)}}c{d:url(b)}', ['a', 'b']],
  ['none in comments', '/* url(a) */ url(b) /* url(c)', ['b']],
  ['none in strings', `a{content:"url(a)";b:'\\' url(b)';c:url(c)}`, ['c']],
  ['a string that ends with its line', 'a{content:"x\n;b:url(a)}', ['a']],
  ['no style sheets', '@import url(a.css); @import "b;url(c)"; a{b:url(d)}', ['d']],
  ['no fonts', '@font-face{src:url(a.woff),url("b;.woff")}a{b:url(c)}', ['c']],
  ['none with escapes', 'a{b:url(a\\29 b);c:url("a\\"b");d:url(e)}', ['e']],
  ['none that is not closed', 'a{b:url(a b) url("c" d) url(e', []],
  ['none that is empty', 'a{b:url() url("")}', []],
  ['no other functions', 'a{b:curl(a) urls(b)}', []],
])('%s', (_what, css, expected) => {
  expect(urls(css)).toEqual(expected);
});

test('it ends when no more are wanted', () => {
  let count = 0;
  cssUrls('url(a) url(b) url(c)', () => ++count < 2);
  expect(count).toBe(2);
});
