import { describe, expect, test } from 'vitest';
import { hasUnsubscriptionLink } from './unsubscription-link.ts';

const marked = new Set(['https://a.fr/out?x=1&y=2']);

describe('the way out', () => {
  test.each<[string, boolean]>([
    ['<a href="[[LINK.UNSUB]]">x</a>', true],
    ['<a href="https://a.fr/out?x=1&amp;y=2">x</a>', true],
    ['<a href="https://a.fr/out">x</a>', false],
    ['<p>https://a.fr/out?x=1&amp;y=2</p>', false],
    ['[[IF FLD.1 HasValue]]<a href="[[LINK.UNSUB]]">x</a>[[END]]', false],
    ['[[IF FLD.1 HasValue]]<a href="[[LINK.UNSUB]]">x</a>[[ELSE]][[LINK.UNSUB]][[END]]', true],
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
    ['<map><area href="[[LINK.UNSUB]]"></map>', true],
    ['<a href="https://a.fr/out?x=1&amp;y=2"></a>', false],
    ['<a href=""></a><a href="[[LINK.UNSUB]]">x</a>', true],
    ['<a href="https://x.fr/?r=[[LINK.UNSUB]]">x</a>', false],
    ['<p>Out: [[LINK.UNSUB]]</p>', true],
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
