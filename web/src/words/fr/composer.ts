import type { Words } from '../words.tsx';

export const composer: Words['composer'] = {
  starter: {
    name: 'Nouvelle campagne',
    segment: 'Toutes les personnes abonnées',
    html: `<!doctype html>
<html lang="fr">
<body style="margin:0;background:#ffffff;color:#1f1d1a;font:16px/24px sans-serif">
<div style="max-width:600px;margin:0 auto;padding:24px">
<h1 style="font-size:24px;line-height:32px">Bonjour</h1>
<p>Écrivez votre message ici.</p>
</div>
</body>
</html>
`,
  },
  name: 'Nom',
  subject: 'Objet',
  preheader: 'Texte d’aperçu',
  preheaderHint: 'Affiché après l’objet dans la liste d’une messagerie',
  characters: (count) => `${count} caractères`,
  html: 'HTML',
  byteExact: 'Gardé à l’octet près',
  parts: { write: 'Écrire', preview: 'Aperçu' },
  part: 'Partie',
  saved: (time) => `Enregistré à ${time}`,
  saving: 'Enregistrement',
  unsaved: 'Pas encore enregistré',
  keptHere: 'Gardé dans ce navigateur',
  notSaved: 'L’enregistrement n’a pas pu se faire. Tout est gardé dans ce navigateur.',
  restored:
    'Des modifications gardées dans ce navigateur sont affichées. Elles ne sont pas encore enregistrées.',
  discard: 'Les abandonner',
  readOnly: 'Vous pouvez lire les campagnes, pas les modifier.',
  changedElsewhere: (author) =>
    `${author} a enregistré pendant que vous écriviez. Rien de ce que vous avez saisi n’est perdu.`,
  theirs: 'Version enregistrée',
  yours: 'Votre version',
  keepYours: 'Enregistrer la vôtre',
  takeTheirs: 'Prendre l’autre',
  previewAs: (email) => `pour ${email}`,
  previewTitle: 'Aperçu du message',
  previewNobody: 'Un aperçu demande un segment avec au moins une personne.',
  asWritten: 'Tel qu’il est écrit ; les balises se remplissent à l’enregistrement',
  saveNow: 'Enregistrer maintenant',
  desktop: 'Largeur d’ordinateur',
  phone: 'Largeur de téléphone',
  width: 'Largeur de l’aperçu',
  checklist: 'Vérification',
  ready: 'Tout est en ordre',
  missing: (count) => (count === 1 ? 'Il manque un élément' : `Il manque ${count} éléments`),
  items: {
    hasConfig: ['Expéditeur et pied de page', 'Choisissez une configuration d’envoi'],
    hasSubject: ['Objet', 'Écrivez un objet'],
    hasHtml: ['Contenu', 'Écrivez un message'],
    hasUnsub: ['Lien de désinscription', 'Ajoutez [[LINK.UNSUB]] au message ou à son pied de page'],
    hasSendingFilter: ['Segments', 'Choisissez qui reçoit le message'],
    hasSegmentNotExcluded: ['Des destinataires', 'Un segment au moins ne doit pas être exclu'],
    isTargetSafe: ['Cibles sûres', 'Une cible contient des personnes à qui il ne faut pas écrire'],
    isTracked: ['Liens suivis', 'Les liens ne sont pas suivis'],
  },
  sender: 'Expéditeur',
  noSender: 'Pas encore de configuration d’envoi',
  audience: 'Audience',
  people: 'personnes le reçoivent, une seule fois',
  person: 'personne le reçoit',
  counting: 'Comptage',
  noSegment: 'Aucun segment',
  addSegment: 'Ajouter un segment',
  chooseTarget: 'Choisir une cible',
  noTargets: 'Il n’y a pas encore de cible.',
  notSafe: 'Pas sûre',
  excluded: 'exclu',
  remove: (name) => `Retirer le segment « ${name} »`,
  removed: (name) => `Le segment « ${name} » est retiré.`,
  inTarget: (count) => `${count} dans la cible`,
  review: 'Vérifier et envoyer',
  confirm: {
    title: (name, people) => `Envoyer « ${name} » à ${people} ?`,
    text: (seconds) =>
      `L’envoi commence ${seconds} après. Vous pouvez le mettre en pause à tout moment ; ceux qui ont reçu le message le gardent.`,
    field: 'Pour confirmer, saisissez le nombre de personnes',
    back: 'Revenir',
    send: (people) => `Envoyer à ${people}`,
    subject: 'Objet',
    nobody: 'Les segments ne contiennent personne à qui écrire.',
  },
  test: {
    button: 'Envoyer un test',
    title: (name) => `Envoyer un test de « ${name} »`,
    target: 'Cible de test',
    other: 'Nouvelle cible de test…',
    none: 'Il n’y a pas encore de cible de test. Créez-en une avec les adresses de vos relecteurs.',
    addresses: 'Adresses des relecteurs',
    addressesHint: 'Une par ligne, ou séparées par des virgules',
    tooMany: (most) => `Saisissez au maximum ${most} adresses.`,
    unknown: (addresses) =>
      `Pas encore dans vos abonnés : ${addresses}. Ces personnes seront ajoutées et abonnées ; elles recevront donc aussi vos campagnes.`,
    unreachable: (addresses) =>
      `Ces personnes sont désabonnées ou injoignables et ne recevront pas le test : ${addresses}.`,
    create: 'Créer la cible de test',
    addAndCreate: (people) => `Ajouter ${people} et créer la cible de test`,
    targetName: 'Relecteurs',
    origin: 'Envoi de test',
    nobody: 'Cette cible ne contient personne à qui écrire.',
    more: (count) => `${count} de plus`,
    sent: (people) => `Le test part vers ${people}.`,
    toMailbox: 'Ouvrir la boîte',
  },
  countdown: (name, seconds) => `« ${name} » part dans ${seconds} s.`,
  undone: (name) => `« ${name} » ne part pas.`,
};
