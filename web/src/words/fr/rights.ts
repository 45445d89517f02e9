import type { rights as english } from '../en/rights.ts';

export const rights: typeof english = {
  campaigns: 'Vous pouvez lire les campagnes, pas en créer.',
  imports: 'Vous pouvez lire les imports, pas en lancer.',
  mailbox: (site) =>
    `Vous pouvez travailler sur ${site}, pas lire la boîte intégrée : elle contient les messages de tous les sites.`,
  settings: (section) =>
    `Vous pouvez lire les champs et les configurations d’envoi, pas « ${section} », réservé aux administrateurs.`,
  sending: 'Vous pouvez écrire cette campagne, pas l’envoyer.',
};
