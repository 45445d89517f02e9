import { describe, expect, test } from 'vitest';
import { hasUnsubscriptionLink } from './unsubscription-link.ts';

const marked = new Set(['https://a.fr/out?x=1&y=2']);

describe('the unsubscribe link', () => {
  test.each<[string, boolean]>([
    ['<a href="[[LINK.UNSUB]]">x</a>', true],
    ['<a href="https://a.fr/out?x=1&amp;y=2">x</a>', true],
    ['<a href="https://a.fr/out">x</a>', false],
    ['<p>https://a.fr/out?x=1&amp;y=2</p>', false],
    ['[[IF FLD.1 HasValue]]<a href="[[LINK.UNSUB]]">x</a>[[END]]', false],
    [
      '[[IF FLD.1 HasValue]]<a href="[[LINK.UNSUB]]">x</a>[[ELSE]]<a href="[[LINK.UNSUB]]">y</a>[[END]]',
      true,
    ],
    ['[[IF FLD.1 HasValue]]<a href="[[LINK.UNSUB]]">x</a>[[ELSE]][[LINK.UNSUB]][[END]]', false],
    ['<a href="[[IF FLD.1 HasValue]][[LINK.UNSUB]][[ELSE]]http://[[LINK.UNSUB]][[END]]">x</a>', true],
    ['<a href="[[IF FLD.1 HasValue]]https://a.fr[[ELSE]][[LINK.UNSUB]][[END]]">x</a>', false],
    ['<a href="https://a.fr/[[IF FLD.1 HasValue]][[LINK.UNSUB]][[ELSE]][[LINK.UNSUB]][[END]]">x</a>', false],
    ['<a href="http://[[LINK.UNSUB]]">x</a>', true],
    ['<!-- preheader --><a href="[[LINK.UNSUB]]">x</a>', true],
    [
      '<!-- a --><!--[if mso]><table><![endif]--><!--[if !mso]><!--><a href="[[LINK.UNSUB]]">x</a><!--<![endif]-->',
      true,
    ],
    ['<![if !mso]><a href="[[LINK.UNSUB]]">x</a><![endif]>', true],
    ['<a href="[[LINK.UNSUB]]" style="display : NONE !important; display:block">x</a>', false],
    ['<div style="display:none"><p><a href="[[LINK.UNSUB]]">x</a></p></div>', false],
    ['<div hidden><a href="[[LINK.UNSUB]]">x</a></div>', false],
    ['<table><td style="font-size:0px"><a href="[[LINK.UNSUB]]">x</a></td></table>', false],
    ['<table><td style="font-size:0"><a href="[[LINK.UNSUB]]"><img src="x.png"></a></td>', true],
    ['<div style="font-size:0"><p style="font-size:13px"><a href="[[LINK.UNSUB]]">x</a></p></div>', true],
    ['<div style="font-size:0"><p style="font-size:2em"><a href="[[LINK.UNSUB]]">x</a></p></div>', false],
    ['<div style="font:0/0 a"><a href="[[LINK.UNSUB]]">x</a></div>', false],
    ['<div style="visibility:hidden"><a href="[[LINK.UNSUB]]">x</a></div>', false],
    ['<div style="visibility:hidden"><a href="[[LINK.UNSUB]]" style="visibility:visible">x</a></div>', true],
    ['<div style="max-height:0;overflow:hidden"><a href="[[LINK.UNSUB]]">x</a></div>', false],
    ['<div style="opacity:0"><a href="[[LINK.UNSUB]]">x</a></div>', false],
    ['<textarea><a href="[[LINK.UNSUB]]">x</a>', false],
    ['<p>x</p><noscript><a href="[[LINK.UNSUB]]">x</a></noscript>', false],
    ['<p class="x>y</p><a href="[[LINK.UNSUB]]">x</a>', false],
    ['<a title=" href="[[LINK.UNSUB]]">x</a>', false],
    ['<svg><title/></svg><a href="[[LINK.UNSUB]]">x</a>', true],
    ['<a href="[[LINK.UNSUB]]">&nbsp;&zwnj;</a>', false],
    ['<table><tr><td>cell<a href="[[LINK.UNSUB]]">x</table>', true],
    ['<A HREF=[[LINK.UNSUB]]>x</A>', true],
    ['<!-- [[LINK.UNSUB]] -->', false],
    // Only Outlook shows it.
    ['<!--[if mso]><a href="[[LINK.UNSUB]]">x</a><![endif]-->', false],
    ['<title>[[LINK.UNSUB]]</title>', false],
    ['<head><title>x</title></head><a href="[[LINK.UNSUB]]">x</a>', true],
    ['<style>a { color: red } [[LINK.UNSUB]]</style>', false],
    ['<script>[[LINK.UNSUB]]</script>', false],
    ['<template>[[LINK.UNSUB]]<p title="x"></p></template>', false],
    ['<img src="[[LINK.UNSUB]]">', false],
    ['<p title="[[LINK.UNSUB]]">x</p>', false],
    ['<a href="[[LINK.UNSUB]]"></a>', false],
    ['<a href="[[LINK.UNSUB]]"> <b> </b> </a>x', false],
    ['<a href="[[LINK.UNSUB]]"><img src="out.png"></a>', true],
    ['<a href="[[LINK.UNSUB]]">[[FLD.101|out]]</a>', true],
    ['<a href="[[LINK.UNSUB]]">out', true],
    ['<img src="a.png" usemap="#m"><map name="m"><area href="[[LINK.UNSUB]]"></map>', true],
    ['<map name="m"><area href="[[LINK.UNSUB]]"></map>', false],
    ['<a href="https://a.fr/out?x=1&amp;y=2"></a>', false],
    ['<a href=""></a><a href="[[LINK.UNSUB]]">x</a>', true],
    ['<a href="https://x.fr/?r=[[LINK.UNSUB]]">x</a>', false],
    ['<p>Out: [[LINK.UNSUB]]</p>', false],
    ['', false],
  ])('of HTML: %s', (html, expected) => {
    expect(hasUnsubscriptionLink(html, { kind: 'html' }, marked)).toBe(expected);
  });

  test('of text', () => {
    expect(hasUnsubscriptionLink('Out: https://a.fr/out?x=1&y=2.', { kind: 'text' }, marked)).toBe(true);
    expect(hasUnsubscriptionLink('Out: [[LINK.UNSUB]]', { kind: 'text' }, new Set())).toBe(true);
    expect(hasUnsubscriptionLink('Out', { kind: 'text' }, marked)).toBe(false);
  });
});
