import { expect, it } from 'vitest';
import { pageLanguages } from '../contents/page-language.ts';
import { type PageName, pageWords } from './page-words.ts';
import { makePage, maskedEmail, wholePage } from './pages.ts';

const names = Object.keys(pageWords) as PageName[];

it.each(names)('the page “%s” is whole in every language', (name) => {
  for (const language of pageLanguages) {
    const { html: bytes, policy } = makePage(name, { language });
    const html = bytes.toString();
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    expect(html).toContain('name="viewport"');
    // Nothing comes from elsewhere, nothing runs.
    expect(html).not.toMatch(/<script|<link|<img|https?:|\son\w+=/);
    expect(html.includes('<form method="post">')).toBe(/^ask|^done$/.test(name));
    expect(policy).not.toContain('unsafe');
  }
});

it('says nothing of the gender of a reader', () => {
  const french = names.map((name) => Object.values(pageWords[name].fr).join(' ')).join(' ');
  expect(french).not.toMatch(/désinscrite?s?\b|inscrit\(e\)|lecteurs?\b/);
});

it('shows the sender, the masked address, the logo and the colour, and lets in nothing else', () => {
  const sender = 'Zoë & <b>Söhne</b> "GmbH"';
  const logo = 'https://cdn.example/a.png?x=1&y=2';
  const { html: bytes, policy } = makePage('ask', {
    language: 'de',
    sender,
    email: maskedEmail('jane.doe@example.com'),
    color: '#ffee00',
    logo,
  });
  const html = bytes.toString();
  expect(html).toContain('Zoë &amp; &lt;b&gt;Söhne&lt;/b&gt; &quot;GmbH&quot;');
  expect(html).toContain('j•••@example.com');
  expect(html).not.toContain('jane');
  expect(html).toContain('<img src="https://cdn.example/a.png?x=1&amp;y=2" alt="">');
  // Black on yellow.
  expect(html).toContain('--color:#ffee00;--on-color:#000');
  expect(policy).toContain('img-src https://cdn.example;');
  expect(makePage('ask', { language: 'de', color: '#222222' }).html.toString()).toContain('--on-color:#fff');
});

it.each([
  ['a@b.example', 'a•••@b.example'],
  ['😀x@b.example', '😀•••@b.example'],
  ['"a@b"@c.example', '"•••@c.example'],
])('%s is shown as %s', (email, shown) => {
  expect(maskedEmail(email)).toBe(shown);
});

it('a page is rebuilt for each sender', () => {
  const one = makePage('done', { language: 'en', sender: 'One' }).html.toString();
  expect(one).toContain('One');
  expect(makePage('done', { language: 'en', sender: 'Two' }).html.toString()).not.toContain('One');
  expect(wholePage({ language: 'en' }, 'T', '<p>x</p>').html.toString()).toContain('<h1>T</h1><p>x</p>');
});
