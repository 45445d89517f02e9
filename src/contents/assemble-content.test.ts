import { describe, expect, test } from 'vitest';
import { assembleContent, type ContentFrame } from './assemble-content.ts';

const frame: ContentFrame = {
  headerHtml: '<p>H</p>',
  headerTxt: 'H',
  footerHtml: '<p>F</p>',
  footerTxt: 'F',
  unsubHtml: '<p>U</p>',
  unsubTxt: 'U',
};

const html = (source: string, preheader?: string) =>
  assembleContent(frame, { html: source, text: '' }, preheader).html;

describe('header and footer go inside the body', () => {
  test.each<[string, string]>([
    [
      '<html><body class="a>b"><p>C</p></body></html>',
      '<html><body class="a>b"><p>H</p><p>C</p><p>F</p><p>U</p></body></html>',
    ],
    ['<BODY>C</BODY>', '<BODY><p>H</p>C<p>F</p><p>U</p></BODY>'],
    ['C', '<p>H</p>C<p>F</p><p>U</p>'],
    ['<!doctype html><html>C', '<!doctype html><html><p>H</p>C<p>F</p><p>U</p>'],
    ['<head><title>T</title></head>C', '<head><title>T</title></head><p>H</p>C<p>F</p><p>U</p>'],
    ['<body>C', '<body><p>H</p>C<p>F</p><p>U</p>'],
    ['<body><!-- </body> -->C</body>', '<body><p>H</p><!-- </body> -->C<p>F</p><p>U</p></body>'],
    ['<body>[[FLD.1|</body>]]</body>', '<body><p>H</p>[[FLD.1|</body>]]<p>F</p><p>U</p></body>'],
    [
      '<!-- by hand -->\n<!DOCTYPE html>\n<title>T</title>\nC',
      '<!-- by hand -->\n<!DOCTYPE html>\n<title>T</title>\n<p>H</p>C<p>F</p><p>U</p>',
    ],
    ['\ufeff<!doctype html>C', '\ufeff<!doctype html><p>H</p>C<p>F</p><p>U</p>'],
    ['late <!doctype html>C', 'late <!doctype html><p>H</p>C<p>F</p><p>U</p>'],
    [
      '<!--[if mso]><body a><![endif]--><body b>C</body>',
      '<!--[if mso]><body a><![endif]--><body b><p>H</p>C<p>F</p><p>U</p></body>',
    ],
    ['</body><body>C', '</body><body><p>H</p>C<p>F</p><p>U</p>'],
  ])('%s', (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  test('the preheader is first, escaped, its tags kept', () => {
    expect(html('<body>C</body>', 'A & [[FLD.1|x & y]]')).toMatch(
      /^<body><div style="display:none[^"]*">A &amp; \[\[FLD\.1\|x & y]](?:&#847;&zwnj;&nbsp;)+<\/div><p>H<\/p>C/,
    );
  });
});

describe('text', () => {
  test('is header, content, footer and unsubscription text on lines of their own', () => {
    expect(assembleContent(frame, { html: '', text: 'C' }).text).toBe('H\r\nC\r\nF\r\nU');
    expect(assembleContent({ ...frame, headerTxt: ' ', unsubTxt: '' }, { html: '', text: 'C' }).text).toBe(
      'C\r\nF',
    );
  });

  test('a part that the campaign leaves empty stays empty', () => {
    expect(assembleContent(frame, { html: ' \n', text: '' })).toEqual({ html: '', text: '' });
  });

  test('without a configuration the content is as it is', () => {
    expect(assembleContent(undefined, { html: '<b>', text: 'C' })).toEqual({ html: '<b>', text: 'C' });
  });
});
