import type { Words } from '../words.tsx';

export const fields: Words['fields'] = {
  system: {
    0: 'Identifiant',
    1: 'Adresse e-mail',
    2: 'Première inscription',
    3: 'Dernière inscription',
    4: 'Désinscription',
    5: 'Première provenance',
    6: 'Dernière provenance',
    7: 'Statut',
    8: 'Offres des partenaires',
    10: 'Accord partenaires depuis',
    21: 'Premier mode de collecte',
    22: 'Premier type de collecte',
    37: 'Domaine de l’adresse',
    40: 'Code postal',
    41: 'Pays',
    42: 'Département',
    43: 'Numéro client',
    44: 'Remise',
    45: 'État de remise depuis',
  },
  codes: {
    7: ['Abonné', 'Désabonné'],
    8: ['Refusées', 'Acceptées'],
    44: ['Joignable', 'Rebonds temporaires', 'Rebond définitif', 'Plainte'],
  },
  types: { Text: 'Texte', Integer: 'Nombre entier', Date: 'Date', List: 'Liste', Boolean: 'Oui ou non' },
  sameName: (name, id) =>
    `Un champ s’appelle déjà « ${name} » (numéro ${id}). Les listes montrent les deux sous un même nom, et les ` +
    'imports n’en proposent qu’un pour une colonne de ce nom.',
  noSuchField: 'Aucun champ n’a ce nom, ce numéro ni ce type.',
  yes: 'Oui',
  no: 'Non',
};
