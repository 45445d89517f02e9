import type { report as english } from '../en/report.ts';
import { counted } from './counted.ts';

export const report: typeof english = {
  funnel: 'De l’audience aux clics',
  audience: 'Audience',
  sent: 'Envoyés',
  delivered: 'Délivrés',
  opened: 'Ouvreurs',
  clicked: 'Cliqueurs',
  unsubscribed: 'Désabonnés',
  notSent: (count) => counted(count, 'non envoyé', 'non envoyés'),
  bounced: (count) => `${count} en erreur :`,
  hard: 'définitives',
  soft: 'temporaires',
  spam: 'refusés comme indésirables',
  noServer: 'sans serveur de messagerie',
  opens: (count, isOne) => `${count} ${isOne ? 'ouverture' : 'ouvertures'}`,
  clickCount: (count, isOne) => `${count} ${isOne ? 'clic' : 'clics'}`,
  complained: 'plaintes',
  shares:
    'Les pourcentages portent sur les messages délivrés ; pour « Envoyés » et « Délivrés », sur l’étape précédente.',
  who: 'Qui compte',
  onlyPeople: 'Personnes',
  withMachines: 'Avec les machines',
  leftOut: (people, clicks) =>
    `Laissés de côté : ${people} dont seules des machines ont ouvert le message, et ${clicks} de machines.`,
  included: (people, clicks) =>
    `Compris : ${people} dont seules des machines ont ouvert le message, et ${clicks} de machines.`,
  noMachines: 'Aucune machine n’a ouvert ni cliqué.',
  which: 'Segments et envois',
  all: 'Tous les envois',
  countedAt: (time) => `Compté à ${time}`,
  young: (minutes) =>
    `Envoyé ${minutes === 0 ? 'à l’instant' : `il y a ${minutes} ${minutes > 1 ? 'minutes' : 'minute'}`}. La plupart des ouvertures arrivent le premier jour.`,
  uncertain: (people) =>
    `Pour ${people}, on ne sait pas si le message est arrivé. Rien n’est renvoyé tout seul.`,
  unreached: (people) => `Sans message : ${people}.`,
  rejected: 'refusés',
  expired: 'différés jusqu’à la limite de temps',
  showPeople: 'Les montrer',
  sendAgain: 'Envoyer à nouveau…',
  resend: 'Leur renvoyer',
  atLeast: (people) => `au moins ${people}`,
  resendTitle: (people, isPartial) =>
    isPartial ? `Renvoyer à tous, au moins ${people} ?` : `Renvoyer à ${people} au plus ?`,
  resendText:
    'Les boîtes inexistantes, les désabonnés et les personnes atteintes depuis sont laissés de côté. Les cas incertains ne sont pas renvoyés.',
  resent: 'L’envoi aux personnes sans message commence dans un instant.',
  message: 'Message',
  links: 'Liens',
  link: 'Adresse',
  share: 'Part',
  clicks: 'Clics',
  peopleColumn: 'Personnes',
  noLinks: 'Le message n’a pas de lien suivi.',
  map: {
    number: 'N°',
    numbers: 'À chaque lien : son numéro dans la liste, et sa part de tous les clics.',
    several: (count) =>
      count === 1
        ? 'Une adresse est à plusieurs endroits : son chiffre vaut pour tous.'
        : `${count} adresses sont à plusieurs endroits : leurs chiffres valent pour tous.`,
    elsewhere: (count) =>
      count === 1
        ? 'Un lien n’est pas dans ce HTML : il est dans le texte brut, une publicité ou une autre version.'
        : `${count} liens ne sont pas dans ce HTML : ils sont dans le texte brut, des publicités ou d’autres versions.`,
  },
  ab: {
    title: 'Test A/B',
    types: { Subject: 'Objets', Sender: 'Noms d’expéditeur', Content: 'Publicités' },
    variant: 'Variante',
    atChoice: 'Au moment du choix',
    alwaysPeople:
      'Au moment du choix, seules les personnes comptent : les machines ne choisissent pas le gagnant.',
    winner: 'Gagnante',
    remainder: 'Les autres',
    gets: (what) => `Reçoivent « ${what} ».`,
    waits: 'Attendent la gagnante.',
    by: { opens: 'ouvertures humaines', clicks: 'clics humains' },
    due: (time, by) => `La gagnante est choisie le ${time}, d’après les ${by}.`,
    later: (by) =>
      `La gagnante est choisie quatre heures après le dernier essai des variantes, d’après les ${by}.`,
    none: 'L’envoi s’est terminé avant le choix d’une gagnante.',
    chosen: {
      best: (time, by) => `Choisie le ${time} : la plus grande part de ses messages remis a des ${by}.`,
      tie: (time, by) =>
        `Choisie le ${time} : plusieurs variantes sont à égalité d’après les ${by} ; les autres reçoivent la première.`,
      tooFew: (time, _by) =>
        `Choisie le ${time} : une variante a moins de 50 messages remis ; les autres reçoivent la première.`,
    },
  },
  time: 'Dans le temps',
  noTime: 'Personne n’a encore ouvert ni cliqué.',
  unit: 'Unité de temps',
  hour: 'Heures',
  day: 'Jours',
  lineOpens: 'ouvertures',
  lineClicks: 'clics',
  half: (length) => `La moitié des ouvertures est arrivée dans les ${length} après la première.`,
  providers: 'Par fournisseur',
  provider: 'Fournisseur',
  others: 'Autres',
  far: 'loin au-dessous des autres',
  newestOnly: (count) => `Des ${count} derniers envois.`,
  segments: 'Par segment',
  eachSending: 'Une personne figure une fois pour chaque envoi.',
  changesEachSecond: 'Tant que l’envoi est en cours, cette liste change à chaque seconde.',
  growthListed: ({ counted, listed }, count) => {
    if (listed === counted) return 'D’après les dates de leurs fiches.';
    return listed < counted
      ? `Personnes listées : ${count(listed)} sur ${count(counted)}, d’après les dates de leurs fiches. Manquent : les personnes supprimées, celles dont l’état a de nouveau changé, et celles dont la fiche n’a pas cette date.`
      : `${count(listed)} personnes ont une telle date dans leur fiche ; le chiffre en compte ${count(counted)}. Un import ou un programme peut écrire une autre date que le jour du changement.`;
  },
  people: {
    nbOpeners: (people) => `Ouvertures, machines comprises : ${people}`,
    nbHumanOpeners: (people) => `Ouvertures : ${people}`,
    nbClickers: (people) => `Clics, machines comprises : ${people}`,
    nbHumanClickers: (people) => `Clics : ${people}`,
    nbUnsubs: (people) => `Désabonnements : ${people}`,
    nbHardBounces: (people) => `Boîte inexistante : ${people}`,
    nbSoftBounces: (people) => `Boîte qui n’a pas pu accepter le message : ${people}`,
    nbSpamBounces: (people) => `Refus comme indésirable : ${people}`,
    nbDnsErrorsBounces: (people) => `Sans serveur de messagerie : ${people}`,
    nbSpamComplaints: (people) => `Plaintes : ${people}`,
    nbAddressToSend: (people) => `${people} dans l’audience`,
    nbAddressSent: (people) => `${people} : message accepté`,
    nbDelivered: (people) => `${people} : accepté, sans retour`,
    nbReturned: (people) => `${people} : accepté, puis revenu`,
    refused: (people) => `Message refusé : ${people}`,
    expired: (people) => `Différés jusqu’à la limite de temps : ${people}`,
    deferred: (people) => `Différés, réessayés : ${people}`,
    uncertain: (people) => `Incertain : ${people}`,
    nbWaiting: (people) => `Sans résultat, différés compris : ${people}`,
    nbUntried: (people) => `Envoi pas encore tenté : ${people}`,
  },
  happened: 'Ce qui s’est passé',
  events: {
    requested: (who) => `${who} a demandé l’envoi.`,
    freezing: 'Gel de l’audience en cours.',
    started: (people) => `L’audience est figée : ${people}.`,
    deferred: (code, people) =>
      `Premier message différé avec ${code} ; l’envoi a continué. Jusqu’ici : ${people}.`,
    rejected: (code, people) => `Premier refus avec ${code} ; l’envoi a continué. Jusqu’ici : ${people}.`,
    expired: (code, people) =>
      `Premier message abandonné après des reports avec ${code}. Jusqu’ici : ${people}.`,
    paused: (who) => `${who} a mis l’envoi en pause.`,
    resumed: (who) => `${who} a repris l’envoi.`,
    stopped: (who) => `${who} a arrêté pour de bon.`,
    alone: {
      requested: 'L’envoi a été demandé.',
      paused: 'Mise en pause automatique.',
      resumed: 'Envoi repris.',
      stopped: 'Arrêté pour de bon.',
    },
    relaysAway: 'Aucun relais ne pouvait plus servir.',
    relaysBack: 'Un relais pouvait servir à nouveau.',
    finished: 'Chaque message a son résultat : l’envoi est fini.',
    failed: 'L’envoi a fini sur une erreur.',
  },
  replies: 'Réponses des serveurs de messagerie',
  reply: 'Réponse',
  noCode: 'sans code',
  noReplies: 'Aucun serveur de ce fournisseur n’a encore refusé ou différé de message.',
  repliedTo: (people, reply) => `${people} avec la réponse ${reply}`,
  find: 'Partie de l’adresse ou d’un champ',
  noneFound: (text) => `Personne ici n’a « ${text} » dans son adresse ou un champ de texte.`,
  noPeople: 'Personne dans cette liste.',
  notRecorded:
    'Les personnes de cet import n’ont pas été enregistrées : il date d’une version antérieure ou de plus de 400 jours, ou n’a rien changé.',
  deletedSince: (count, isOne) =>
    isOne
      ? `${count} personne supprimée depuis n’est pas affichée.`
      : `${count} personnes supprimées depuis ne sont pas affichées.`,
  erased: 'effacé',
  more: 'Montrer la suite',
  shown: (from, of) => `Affichées : ${from} sur ${of}.`,
  shownLimited: (count) => `${counted(count, 'est affichée', 'sont affichées')}.`,
  limits: {
    ids: { label: 'Seulement les personnes d’un segment', any: 'Tous les segments' },
    idFai: { label: 'Seulement les personnes d’un fournisseur', any: 'Tous les fournisseurs' },
    idLink: { label: 'Seulement les personnes qui ont cliqué sur un lien', any: 'Tous les liens' },
  },
  reading: (count) => `${counted(count, 'lu', 'lus')} jusqu’ici`,
  csvName: 'personnes',
  csvDays: (days) => `${days}-jours`,
  csvHead: ['Numéro', 'E-mail', 'Motif'],
  target: 'En faire une cible',
  targetName: 'Nom de la cible',
  targetText: 'Elle retient les personnes abonnées parmi elles.',
  makeTarget: 'Créer la cible',
  tooManyForTarget: (most) =>
    `Il y a maintenant plus de ${most} personnes. Une cible ne peut pas en énumérer davantage.`,
  targetLimit: (most) => `Trop de personnes pour une cible : elle peut en énumérer ${most} au plus.`,
  targetMade: (name, people) => `La cible « ${name} » a ${people}.`,
  writeOthers: 'Écrire à ceux qui n’ont pas ouvert',
  othersName: (name) => `N’ont pas ouvert : ${name}`,
  export: 'Exporter',
  exportDrawn:
    'Ces personnes sont tirées à nouveau pour chaque page : un fichier créé ici mêlerait plusieurs tirages.',
  exportLimit: (most) =>
    `Un fichier créé ici contient ${most} personnes au plus. Un export peut les contenir toutes.`,
  exportWhat: 'Ce que contient le fichier',
  exports: {
    1: 'Toutes les personnes, avec le sort de leur message',
    2: 'Les personnes qui ont ouvert',
    3: 'Les personnes qui ont cliqué',
    4: 'Les clics par lien',
    5: 'Les désabonnements',
    6: 'Les erreurs définitives',
    7: 'Les erreurs temporaires',
    8: 'Les plaintes',
    9: 'Les chiffres par fournisseur',
  },
  exported: (email) => `Le fichier se prépare. Vous recevrez un e-mail à ${email}.`,
  page: 'Page à partager',
  makePage: 'Créer la page',
  pageText: 'Elle montre les chiffres de cet instant à qui a l’adresse, pendant 30 jours.',
};
