import { escapeUTF8 } from 'entities';
import { dayInWords, type Language } from '../../fields/period.ts';
import { fileNameFault } from '../../files/file-name.ts';
import { sql } from '../../platform/db/sql.ts';
import { conflict, invalid } from '../../platform/http/refusal.ts';
import { Maybe, Text, Timestamp, Type } from '../../platform/http/schema.ts';
import { parisTimeOf } from '../../platform/paris-time.ts';
import { fieldInWords } from './field-words.ts';
import { comparisonOf, fieldOfColumn, fileKey } from './filter-file.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';

const members = {
  filename: Maybe(
    Text(1024, 'Path of a CSV or XLSX file in the default repository; only its first column is used'),
  ),
  dbFieldName: Maybe(
    Type.String({
      title: 'String',
      maxLength: 13,
      description: 'The field that the values are compared with, for example fld1',
    }),
  ),
  fileAutomaticDeletionDate: Maybe(
    Timestamp(
      'When the file and its values are deleted; from then on the filter selects no one. Required to set the filter',
    ),
  ),
};
type Definition = Given<typeof members>;

/** Selects subscribers with a field whose value is in a file of the repository. */
export const fileFilter = filterKind({
  kind: 'file',
  title: 'FileFilter',
  heading: { fr: 'Filtre sur un fichier', en: 'List in a file' },
  members,
  enabledMember: 'isEnabled',
  refusals: [409, 422, 503],
  flag: 'hasFileFilter',
  example: {
    filename: 'lists/buyers.csv',
    dbFieldName: 'fld1',
    fileAutomaticDeletionDate: '2027-12-31T23:00:00Z',
  },

  needs(definition) {
    const { filename, dbFieldName } = definition;
    const until = dateOf(definition);
    const isReadable = filename && dbFieldName && until && fileNameFault(filename) === undefined;
    return isReadable ? { files: [{ filename, dbFieldName, until }] } : {};
  },

  endsAt: (definition) => dateOf(definition),

  parse(given, site) {
    const { filename, dbFieldName } = given;
    if (!filename && !dbFieldName && !given.fileAutomaticDeletionDate) return undefined;
    if (!filename) throw invalid('filename: is required');
    const fault = fileNameFault(filename);
    if (fault) throw invalid(`filename: the name ${fault}`);
    const field = fieldOfColumn(site.fields, dbFieldName ?? '');
    if (!dbFieldName || !field)
      throw invalid("dbFieldName: must be 'fld' and the id of a field of the site, for example fld1");
    if (!comparisonOf(field)) {
      throw invalid(
        `dbFieldName: ${dbFieldName} is of type ${field.fieldType}; files are compared with Text, Integer, List`,
      );
    }
    const until = dateOf(given);
    if (!until) throw invalid('fileAutomaticDeletionDate: is required, for example 2027-12-31T23:00:00Z');
    if (until <= site.now) throw invalid('fileAutomaticDeletionDate: must be in the future');
    const state = site.files.get(fileKey({ filename, dbFieldName }));
    if (!state) throw new Error('A file filter was read without its file');
    if ('fault' in state) throw invalid(`filename: ${state.fault}`);
    if (state.nbValues === 0) throw invalid(`filename: the file has no value that ${dbFieldName} could hold`);
    return { filename, dbFieldName, fileAutomaticDeletionDate: until.toISOString() };
  },

  compile(definition, site) {
    const until = dateOf(definition);
    if (!until || until <= site.now) return sql`false`;
    const { filename = null, dbFieldName = null } = definition;
    const state = site.files.get(fileKey({ filename: filename ?? '', dbFieldName: dbFieldName ?? '' }));
    if (!state) throw new Error('A file filter was compiled without its file');
    if ('fault' in state) throw conflict(`A file filter cannot be used: ${state.fault}`);
    const field = fieldOfColumn(site.fields, dbFieldName ?? '')!;
    // Joined by hashing when it is alone; looked up in the primary key where a hash would not fit in memory.
    return sql`
      exists (
        select from ${site.t.filter_file_value} listed
        where listed.id_file = ${state.id}::int and listed.value = ${comparisonOf(field)!.column(field)})`;
  },

  describe(definition, site, language) {
    const { filename, dbFieldName } = definition;
    const words = fileWords[language];
    const field = fieldOfColumn(site.fields, dbFieldName ?? '');
    const name = field ? fieldInWords(field, language) : words.goneField(escapeUTF8(dbFieldName ?? ''));
    const sentence = `${name} ${words.isIn} <b>${escapeUTF8(filename ?? '')}</b>`;
    const items = [sentence, endInWords(definition, site, language)];
    const warning = warningOf(definition, site, language);
    if (warning) items.push(`<i>${words.warning}${warning}</i>`);
    return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  },
});

const fileWords = {
  fr: {
    goneField: (column: string) => `Le champ ${column}, qui n’existe plus,`,
    isIn: 'figure dans le fichier',
    warning: 'Attention : ',
    troubles: {
      field: 'ce champ ne peut pas être comparé avec un fichier ; ce filtre ne peut pas être appliqué',
      missing:
        'le fichier n’est plus dans le dépôt ; tant qu’il y manque, ce filtre ne peut pas être appliqué',
      unreadable:
        'le fichier ne peut pas être lu en entier ; tant qu’il est ainsi, ce filtre ne peut pas être appliqué',
      loading:
        'le fichier est en train d’être chargé ; tant qu’il ne l’est pas, ce filtre ne peut pas être appliqué',
      away: 'le dépôt ne peut pas être atteint ; tant qu’il en est ainsi, ce filtre ne peut pas être appliqué',
    },
    empty: 'le fichier n’a aucune valeur que ce champ puisse avoir ; ce filtre ne sélectionne personne',
    bad: (count: number) =>
      count === 1
        ? 'une ligne du fichier n’est pas une valeur de ce champ et ne compte pas'
        : `${count} lignes du fichier ne sont pas des valeurs de ce champ et ne comptent pas`,
    noEnd: 'Sans date de suppression : ne sélectionne personne',
    at: (day: string, time: string) => `<b>${day} à ${time}</b>`,
    willEnd: (at: string) => `Le fichier sera supprimé le ${at}`,
    hasEnded: (at: string) => `Le fichier a été supprimé le ${at} : <i>ne sélectionne plus personne</i>`,
  },
  en: {
    goneField: (column: string) => `The field ${column}, which no longer exists,`,
    isIn: 'is listed in the file',
    warning: 'Warning: ',
    troubles: {
      field: 'this field cannot be compared with a file; this filter cannot be used',
      missing: 'the file is no longer in the repository; this filter cannot be used without it',
      unreadable: 'the file cannot be read to its end; this filter cannot be used until it is replaced',
      loading: 'the file is being loaded; this filter cannot be used until it is',
      away: 'the repository is unavailable; this filter cannot be used until it returns',
    },
    empty: 'the file has no value that this field could have; this filter selects no one',
    bad: (count: number) =>
      count === 1
        ? 'one line of the file is not a value of this field and is ignored'
        : `${count} lines of the file are not values of this field and are ignored`,
    noEnd: 'Without a date of deletion: selects no one',
    at: (day: string, time: string) => `<b>${day} at ${time}</b>`,
    willEnd: (at: string) => `The file will be deleted on ${at}`,
    hasEnded: (at: string) => `The file was deleted on ${at}: <i>no longer selects anyone</i>`,
  },
};

/** Why the file cannot be used, or what it lacks; undefined when its state was not read. */
function warningOf({ filename, dbFieldName }: Definition, site: FilterSite, language: Language) {
  const words = fileWords[language];
  const state = site.files.get(fileKey({ filename: filename ?? '', dbFieldName: dbFieldName ?? '' }));
  if (!state) return undefined;
  if ('fault' in state) return words.troubles[state.trouble];
  if (state.nbValues === 0) return words.empty;
  return state.nbBad > 0 ? words.bad(state.nbBad) : undefined;
}

function dateOf({ fileAutomaticDeletionDate }: Definition): Date | undefined {
  return fileAutomaticDeletionDate ? new Date(fileAutomaticDeletionDate) : undefined;
}

function endInWords(definition: Definition, { now }: FilterSite, language: Language): string {
  const words = fileWords[language];
  const until = dateOf(definition);
  if (!until) return `<i>${words.noEnd}</i>`;
  const time = parisTimeOf(until);
  const at = words.at(dayInWords(time, language), time.toPlainTime().toString({ smallestUnit: 'minute' }));
  return until > now ? words.willEnd(at) : words.hasEnded(at);
}
