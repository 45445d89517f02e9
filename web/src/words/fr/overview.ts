import type { Words } from '../words.tsx';

export const overview: Words['overview'] = {
  title: 'Aperçu',
  welcome: (site) => `Bienvenue chez ${site}`,
  steps: (count) =>
    count === 0
      ? 'Toutes les étapes sont faites.'
      : `${count} ${count < 2 ? 'étape' : 'étapes'} avant de lire votre premier message.`,
  firstSteps: 'Premiers pas',
  hideSteps: 'Masquer ces étapes',
  sender: {
    title: 'Indiquer l’expéditeur',
    text: 'Un expéditeur, une adresse de réponse, un pied de page avec le lien de désinscription. Ce sont des propositions.',
    done: (from) => `Les messages viennent de ${from}.`,
    name: 'Expéditeur',
    address: 'Adresse',
    replies: 'Réponses à',
    keep: 'Garder',
    configuration: 'Lettre d’information',
    footer: 'Vous recevez ce message parce que vous vous êtes inscrit.',
    unsubscribe: 'Se désinscrire',
  },
  people: {
    title: 'Ajouter des personnes',
    text: 'Saisissez quelques adresses, une par ligne. La vôtre suffit pour un premier essai.',
    done: (people) => `Vous pouvez écrire à ${people}.`,
    addresses: 'Adresses',
    add: 'Ajouter des personnes',
    origin: 'Console',
    target: 'Toutes les personnes abonnées',
    added: (people) => `Ajout : ${people}.`,
    none: 'Saisissez au moins une adresse.',
    imports: 'Autres façons d’importer',
  },
  write: {
    title: 'Écrire un message',
    text: 'Partez d’un message simple et adaptez-le.',
    button: 'Écrire',
    done: (name) => `« ${name} » est un brouillon.`,
    open: 'Ouvrir',
  },
  send: {
    title: 'L’envoyer et le lire',
    text: 'Les messages restent dans la boîte intégrée tant qu’aucun relais n’est configuré.',
    button: 'Ouvrir',
  },
  real: {
    title: 'Avant un vrai envoi',
    relay: 'Un relais',
    noRelay: 'Aucun : les messages restent dans la boîte intégrée',
    relays: (count) => `${count} en place`,
    domain: 'SPF, DKIM et DMARC',
    domainText: 'À publier pour le domaine de l’expéditeur',
    address: 'Adresse publique',
  },
  keys: ['montre toutes les touches', 'mène partout'],
};
