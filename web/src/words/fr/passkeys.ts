import type { passkeys as english } from '../en/passkeys.ts';

export const passkeys: typeof english = {
  about:
    'Une clé d’accès vous connecte sans mot de passe, par l’empreinte, le visage ou le code d’un appareil.',
  none: 'Vous n’avez pas encore de clé d’accès.',
  notHere:
    'Les clés d’accès ne fonctionnent pas à cette adresse : ouvrez la console par https et le nom de son hôte.',
  lastUse: (moment) => `Dernière utilisation : ${moment}`,
  neverUsed: (day) => `Pas utilisée depuis son ajout (${day})`,
  add: 'Ajouter une clé d’accès',
  create: 'Continuer',
  name: 'Nom de l’appareil',
  nameHint: 'Par exemple : mon portable',
  passwordText: 'Vide si vous n’avez pas de mot de passe ici.',
  known: 'Cet appareil a déjà une clé d’accès pour votre compte.',
  declined: 'Le navigateur n’a créé aucune clé d’accès. Réessayez.',
  added: (name) => `La clé d’accès « ${name} » est ajoutée.`,
  removeTitle: (name) => `Retirer la clé d’accès « ${name} » ?`,
  removeText:
    'Elle ne vous connecte plus. Les sessions ouvertes le restent. L’appareil peut encore la proposer.',
  removed: (name) => `La clé d’accès « ${name} » est retirée.`,
};
