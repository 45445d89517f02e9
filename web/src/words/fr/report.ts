import type { Words } from '../words.tsx';

export const report: Words['report'] = {
  funnel: 'De l’audience aux clics',
  audience: 'Audience',
  sent: 'Envoyés',
  delivered: 'Délivrés',
  opened: 'Ouvreurs',
  clicked: 'Cliqueurs',
  unsubscribed: 'Désabonnés',
  notSent: (count) => `${count} non envoyés`,
  bounced: (count) => `${count} en erreur`,
  machines: (count) => `${count} ouverts par des machines seulement ; non comptés`,
  complaints: (count) => `${count} plaintes`,
  message: 'Message',
  links: 'Liens',
  link: 'Adresse',
  clicks: 'Clics',
  noLinks: 'Le message n’a pas de lien suivi.',
  people: {
    nbHumanOpeners: (people) => `Ouvertures : ${people}`,
    nbClickers: (people) => `Clics : ${people}`,
    nbUnsubs: (people) => `Désabonnements : ${people}`,
  },
  erased: 'effacé',
  more: 'Montrer la suite',
};
