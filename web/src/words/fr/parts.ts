import type { parts as english } from '../en/parts.ts';

export const parts: typeof english = {
  save: 'Enregistrer',
  cancel: 'Annuler',
  keep: 'Garder',
  copy: 'Copier',
  copyOf: (what) => `Copier : ${what}`,
  copied: 'Copié',
  notCopied: 'Le navigateur ne permet pas de copier. Sélectionnez le texte.',
  actions: (name) => `Actions : ${name}`,
  edit: 'Modifier',
  editOf: (name) => `Modifier ${name}`,
  remove: 'Retirer',
  more: 'Plus',
  none: 'Aucun',
  all: 'Tous',
  show: 'Afficher',
  hide: 'Masquer',
  shownOnce: 'Il n’est affiché que maintenant. Gardez-le en lieu sûr.',
  done: 'Je l’ai gardé',
  pages: 'Pages',
};
