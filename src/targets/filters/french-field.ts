import { escapeUTF8 } from 'entities';
import type { Field } from '../../fields/field.ts';

/** French names of the system fields, whose own names are English. */
const names: ReadonlyMap<number, string> = new Map([
  [0, 'Identifiant'],
  [1, 'Adresse e-mail'],
  [2, 'Date de première inscription'],
  [3, 'Date de dernière inscription'],
  [4, 'Date de désinscription'],
  [5, 'Première provenance'],
  [6, 'Dernière provenance'],
  [7, 'Statut'],
  [8, 'Offres des partenaires'],
  [10, 'Date d’accord pour les partenaires'],
  [21, 'Premier mode de collecte'],
  [22, 'Premier type de collecte'],
  [37, 'Domaine de l’adresse'],
  [40, 'Code postal'],
  [41, 'Pays'],
  [42, 'Département'],
  [43, 'Identifiant client'],
  [44, 'État de remise'],
  [45, 'Date de l’état de remise'],
]);

/** The meanings of the codes in system fields. */
const codes = new Map<number, Readonly<Record<string, string>>>([
  [7, { 0: 'inscrit', 1: 'désinscrit' }],
  [44, { 0: 'joignable', 1: 'rebonds temporaires', 2: 'adresse en échec', 3: 'plainte' }],
]);

/** A field's name in bold, escaped, for a description. */
export function frenchField({ id, name }: Pick<Field, 'id' | 'name'>): string {
  return `<b>${escapeUTF8(names.get(id) ?? name)}</b>`;
}

/** `0 (inscrit)` for a code with a meaning; otherwise the value. */
export function frenchCode(value: string, { id }: Pick<Field, 'id'>): string {
  const meaning = codes.get(id)?.[value];
  return meaning === undefined ? value : `${value} (${meaning})`;
}
