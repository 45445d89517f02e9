/** Texts of a size, each made of one piece over and over. */
export const repeated = (pieces: readonly string[]) => (size: number) =>
  pieces.map((piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size));

const contentPieces = [
  ...['a@a@a', '@', 'a.', 'xn--', '=?utf-8?', '"', ' ', '\n'],
  ...['[', '[[', '[[[[', '[[]]', ']][[', '[[a]]', '[[a ', '\t [', '[[ELSE]]', '[[END]]', '[[BLOC.a]]'],
  ...['[[ENCART.1]]', '[[ENCART.1]][[ENCART.2]]x'],
  ...['[[FLD.1]]', '[[FLD.1|', '[[IF FLD.1 Equal "a"]]', '[[IF FLD.1 Equal "a"]][[END]]'],
  ...['[[DATA.a.fld1.fld1]]', '<', '<a\n', '<a href="', '<a href=http://x.fr>', '<a href="[[FLD.1]]">'],
  ...["<a a='", '<body>', '</body>', '<!--', '<!--[if ', '<!--[if x]>'],
  ...['<!--[if x]><a href="http://x"><![endif]-->', '<style>', '<script>', '&', '&amp;', '&#', 'http://'],
  ...['url(', 'url( ', 'url("', 'url(http://a)', '/*', "url('a' ", '@import ', '@font-face{', '{', '&quot;'],
  ...['<img src="http://a">', '<p style="', '<p style="a:url(http://a)">', 'http://a,', ', ', '</style>'],
  ...["'"],
  ...['<p a=b c=d>', '<p a b c>', '<p style=a>', '<p background="&#1;">', '<a href=x>', '<!-->'],
  ...['<style></style>'],
  ...['url(a)', 'a, ', 'h, ', 'x, ', 'x&lt;, ', '&lt;', '&a;', '<img srcset="a, a">', '<img src="&lt;">'],
  ...['<a href="&lt;">', '<img src=a>'],
  ...['http://a ', 'http://a(', 'http://)))', 'http://a.b/[[FLD.1]] ', 'http://é% ', 'https://é.fr/é '],
];

/** Markup that browsers must repair most: elements that are never closed, that are repeated, moved or looked for. */
export const markupTexts = (size: number): readonly string[] => [
  ...repeated([
    ...['<div>', '<p><b>', '<b><p>', '<a><p>', '<table><b>', '<table>a<b>', '<table><td>', '<svg>'],
    ...['<svg><p>', '</p>'],
    ...['<b></p>', '<font a><p></p>', '<form><template>', '<select><option>', '<li><ul>', '<td>'],
    ...['</br>', '<!--a-->'],
    ...['<p style="font-size:0;">a', '<a href=x hidden>', '<svg><title/>', '<math><mi><p>', '<ruby><rt>'],
    ...['<body a>'],
  ])(size),
  // Formatting elements that differ are all repeated in every paragraph.
  `${Array.from({ length: 300 }, (_, i) => `<font a=${i}>`).join('')}${'<p>a</p>'.repeat(size / 8)}`,
  `${Array.from({ length: 500 }, (_, i) => `<b a=${i}>`).join('')}${'</i></b><b>'.repeat(size / 11)}`,
  `<p ${Array.from({ length: size / 8 }, (_, i) => `a${i} `).join('')}>`,
  `<p style="${'a:b;'.repeat(size / 4)}">a`,
  `${'<div>'.repeat(500)}${'</p>'.repeat(size / 4)}`,
  `${'<div>'.repeat(500)}${'</x>'.repeat(size / 4)}`,
];

/** Texts in which tags, addresses and markup are most expensive to find. */
export const contentTexts = (size: number): readonly string[] => [
  ...repeated(contentPieces)(size),
  `https://a.fr/${')'.repeat(size)}`,
  `<a href="https://a.fr/${' '.repeat(size)}b">x</a>`,
  `<a href="https://a.fr/${'\n'.repeat(size)}b">x</a>`,
  `<a href="${' '.repeat(size / 2)}[[FLD.1]]${' '.repeat(size / 2)}b">x</a>`,
  `<a href="${' '.repeat(0.9 * size)}${'[[FLD.1]]'.repeat(size / 90)}">x</a>`,
  ...['img src', 'a href', 'p style'].map((place) => `<${place}="${'&lt;a'.repeat(size / 5)}">`),
  `[[IF FLD.1${' '.repeat(size)}x]]`,
  `${'['.repeat(size)}]]`,
];
