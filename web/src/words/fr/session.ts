import type { Words } from '../words.tsx';

export const session: Words['session'] = {
  signIn: 'Se connecter',
  to: (host) => `à ${host}`,
  email: 'E-mail',
  password: 'Mot de passe',
  showPassword: 'Afficher le mot de passe',
  wrong: 'L’e-mail ou le mot de passe n’est pas bon.',
  limited: (minutes) => `Trop d’essais. Réessayez dans ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  forgotten: 'Mot de passe oublié ?',
  sendLink: 'Envoyer un lien',
  linkTo: 'Un lien pour choisir un nouveau mot de passe part à cette adresse :',
  linkSent:
    'Si l’adresse est connue et que le service peut écrire, un lien est en route. Il sert pendant une heure.',
  noLink:
    'Pas de message ? Un administrateur de cette installation peut vous donner un nouveau mot de passe.',
  back: 'Retour à la connexion',
  choose: 'Choisir un nouveau mot de passe',
  newPassword: 'Nouveau mot de passe',
  save: 'Enregistrer le mot de passe',
  saved: 'Le nouveau mot de passe est enregistré. Connectez-vous avec lui.',
  currentPassword: 'Mot de passe actuel',
  changePassword: 'Changer le mot de passe',
  changed: 'Votre mot de passe est changé. Vos autres sessions ont pris fin.',
  wrongCurrent: 'Le mot de passe actuel n’est pas bon.',
  ended: 'Votre session a pris fin.',
  kept: 'Ce que vous avez saisi est gardé. Saisissez votre mot de passe pour continuer.',
  signOut: 'Se déconnecter',
  other: 'Se connecter avec un autre compte',
  offline: 'Le service ne répond pas. Nouvel essai en cours.',
  free: 'Facteur est un logiciel libre. Cette console ne contacte aucun autre hôte.',
  language: 'Langue',
  noSite:
    'Votre compte n’a pas encore de site. Un administrateur de cette installation peut vous en ouvrir un.',
};
