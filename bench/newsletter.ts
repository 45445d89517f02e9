/** The newsletter of the benchmarks: 20 kB of personalised HTML with 20 tracked links, and a text part. */
export const urls = Array.from(
  { length: 20 },
  (_, i) => `https://shop.example.com/p/${i}?utm_source=news&utm_campaign=ete`,
);

const filler = '<p style="margin:0">Lorem ipsum dolor sit amet consectetur, élégance à la française.</p>\n';

const rows = urls.map(
  (url, i) =>
    `<table><tr><td style="padding:10px;font-family:Arial">Bonjour [[FLD.5|cher client]], voici l'offre ${i} choisie ` +
    `pour vous à [[FLD.40]]</td></tr><tr><td><a href="${url.replaceAll('&', '&amp;')}">Voir</a></td></tr></table>\n` +
    filler.repeat(8),
);

export const subject = '[[FLD.5]], nos offres d’été';
export const html = `<html><body>${rows.join('')}<a href="[[LINK.MIRROR]]">Voir en ligne</a></body></html>`;
export const text = `Bonjour [[FLD.5]]\n${urls.slice(0, 5).join('\n')}\n${'Du texte simple.\n'.repeat(60)}`;
