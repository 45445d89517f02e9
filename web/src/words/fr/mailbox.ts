import type { Words } from '../words.tsx';

export const mailbox: Words['mailbox'] = {
  title: 'Boîte',
  text: 'Les messages des sites sans relais. Ils ne partent nulle part et disparaissent après une semaine.',
  to: 'Destinataire',
  empty: 'Aucun message',
  emptyText: 'Ce qu’un site sans relais envoie arrive ici.',
  nothing: (address) => `Aucun message pour « ${address} ».`,
  all: 'Montrer tous les messages',
  choose: 'Choisissez un message pour le lire.',
  from: 'De',
  sentTo: 'à',
  views: { html: 'HTML', text: 'Texte', headers: 'En-têtes', source: 'Source' },
  view: 'Vue',
  pictures: 'Afficher les images',
  picturesText: 'Les images ne sont lues que si vous le demandez. Celles d’autres hôtes ne le sont jamais.',
  noSubject: 'Sans objet',
  noHtml: 'Le message n’a pas de HTML.',
  noText: 'Le message n’a pas de texte brut.',
  message: (subject) => `Message « ${subject} »`,
  gone: 'Ce message n’existe plus.',
  elsewhere: 'La boîte n’est disponible qu’à l’adresse de l’administration.',
  elsewhereText:
    'L’administration de ce service a sa propre adresse. Ouvrez-y la console pour lire les messages.',
  back: 'Tous les messages',
  more: 'Montrer la suite',
};
