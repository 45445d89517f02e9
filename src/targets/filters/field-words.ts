import { escapeUTF8 } from 'entities';
import type { Field } from '../../fields/field.ts';
import type { Language } from '../../fields/period.ts';

/** French names of the system fields, whose own names are English. */
const frenchNames: ReadonlyMap<number, string> = new Map([
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
const codes: Readonly<Record<Language, ReadonlyMap<number, readonly string[]>>> = {
  fr: new Map([
    [7, ['inscrit', 'désinscrit']],
    [44, ['joignable', 'rebonds temporaires', 'adresse en échec', 'plainte']],
  ]),
  en: new Map([
    [7, ['subscribed', 'unsubscribed']],
    [44, ['reachable', 'soft bounces', 'failed address', 'complaint']],
  ]),
};

/** A field's name in bold, escaped, for a description. */
export function fieldInWords({ id, name }: Pick<Field, 'id' | 'name'>, language: Language): string {
  return `<b>${escapeUTF8((language === 'fr' ? frenchNames.get(id) : undefined) ?? name)}</b>`;
}

/** The meaning of a code; the value itself if it has none. */
export function codeInWords(value: string, { id }: Pick<Field, 'id'>, language: Language): string {
  return codes[language].get(id)?.[Number(value)] ?? value;
}
