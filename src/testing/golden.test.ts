import { expect, test } from 'vitest';
import { htmlFault } from './golden.ts';

test.each([
  ['<p>Cible <b>« a &amp; b »</b></p>', undefined],
  ['<p>a', 'p stays open'],
  ['<p>a</b></p>', '</b> closes nothing'],
  ['<p><script></script></p>', '<script> is not a tag'],
  ['<p><b onclick="a()">a</b></p>', 'is not a tag'],
  ['<p>1 < 2</p>', 'not'],
  ["<p>l'été</p>", "' is not escaped"],
  ['<p>a & b</p>', '& is not escaped'],
])('%s: %s', (html, fault) => {
  const told = htmlFault(html);
  if (fault === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(fault);
});
