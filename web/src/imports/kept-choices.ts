import type { components } from '../api/schema.d.ts';
import { keep, readKept } from '../parts/kept.ts';
import type { Field } from '../subscribers/fields.ts';
import {
  type Choice,
  type Chosen,
  firstChosen,
  firstRules,
  type ImportParameters,
  type Preview,
  type Rules,
} from './mapping.ts';
import type { Reading } from './use-preview.ts';

/** The user's choices for a file, which survive a reload of the tab. */
interface Kept {
  readonly reading?: Reading;
  readonly chosen?: Chosen;
  /** The columns that `chosen` is for. */
  readonly columns?: string;
}

/** Whose choices they are, and for which file of which site. */
export interface ChoicesOf {
  /** Another user of the browser makes choices of their own. */
  readonly idUser: number;
  readonly site: string;
  readonly file: string;
}

const keyOf = ({ idUser, site, file }: ChoicesOf) => `facteur.import.2.${idUser}.${site}.${file}`;

/** Returns the choices that a user made for a file in this tab; empty if there are none. */
export const keptFor = (of: ChoicesOf): Kept => readKept<Kept>(sessionStorage, keyOf(of)) ?? {};

/** Keeps choices for a file until the tab is closed. */
export function keepFor(of: ChoicesOf, kept: Kept): void {
  keep(sessionStorage, keyOf(of), { ...keptFor(of), ...kept });
}

/** The names of the columns as one text: another reading of a file has others. */
export const columnsOf = ({ columns }: Preview): string => columns.map(({ name }) => name).join('\n');

type Mapping = components['schemas']['ColumnMapping'];
const idOf = ({ dbFieldName }: Mapping): number => Number(dbFieldName?.replace('fld', ''));

/** The choices of an import, for the columns of another file that have the same names; other columns are skipped. */
function choicesLike({ columns }: Preview, { columnMapping }: ImportParameters): Choice[] {
  return columns.map(({ name }) => {
    const mapping = columnMapping.find(({ fileColumnName }) => fileColumnName === name);
    return mapping ? { idField: idOf(mapping), ...(mapping.format && { format: mapping.format }) } : {};
  });
}

/** The rules of an import; one that it does not say has its usual value. */
const rulesOf = ({ insertEnabled, keepFld7, safeMode, deleteFile }: ImportParameters): Rules => ({
  insertEnabled: insertEnabled ?? firstRules.insertEnabled,
  keepFld7: keepFld7 ?? firstRules.keepFld7,
  safeMode: safeMode ?? firstRules.safeMode,
  deleteFile: deleteFile ?? firstRules.deleteFile,
});

/** The choices of an import, for a file with the same columns. */
export function chosenLike(preview: Preview, like: ImportParameters): Chosen {
  return {
    choices: choicesLike(preview, like),
    extras: like.columnMapping
      .filter(({ fileColumnName }) => !fileColumnName)
      .map((one) => ({ idField: idOf(one), value: one.fixedValue ?? '', isTime: one.fixedValue === null })),
    rules: rulesOf(like),
    idKeyField: Number(like.keyDbFieldName?.replace('fld', '') ?? 1),
  };
}

/**
 * The choices that the preparation of a file begins with: those that were made in this tab, those of the import that
 * the file corrects, or guesses. Another reading of the file keeps everything but the columns.
 */
export function beginningFor(
  preview: Preview,
  { chosen, columns }: Kept,
  like: ImportParameters | undefined,
  fields: readonly Field[],
): Chosen {
  const first = like ? chosenLike(preview, like) : firstChosen(preview, fields);
  if (!chosen) return first;
  return columns === columnsOf(preview) ? chosen : { ...chosen, choices: first.choices };
}
