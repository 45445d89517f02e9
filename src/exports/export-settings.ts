import { fileNameFault } from '../files/file-name.ts';
import { invalid } from '../platform/http/refusal.ts';
import { parisTimeOf } from '../platform/paris-time.ts';
import type { Compression, Encoding, ExportRequest, StoredExport } from './export.ts';
import type { StatisticsRequest } from './statistics-export.ts';

export interface FileSettings {
  /** Undefined for the service's own name. The extension of a compression may be missing. */
  readonly fileName: string | undefined;
  /** The beginning of the service's own name. */
  readonly ownName: 'export' | 'statistics';
  /** '' for the root of the repository. */
  readonly folder: string;
  readonly compression: Compression | undefined;
  readonly codePage: 1252 | 65001;
  readonly separator: string;
  readonly lineEnd: '\r\n' | '\n';
}

/** A file of statistics, which has what the document calls the default output. */
export interface StatisticsSettings extends FileSettings {
  readonly statistics: StatisticsRequest;
}

/** The settings of an export of either kind. */
export function settingsOf(request: StoredExport['request']): ExportSettings | StatisticsSettings {
  if (!('statType' in request)) return exportSettings(request);
  return { statistics: request, ownName: 'statistics', ...defaultPlace, ...defaultForm };
}

const defaultPlace = { fileName: undefined, folder: '', compression: undefined } as const;
const defaultForm = { codePage: 1252, separator: ';', lineEnd: '\r\n' } as const;

/** Settings of an export with every default filled in, except the repository, which the site decides on. */
export interface ExportSettings extends FileSettings {
  readonly idTarget: number;
  readonly idsFields: readonly number[];
  readonly idsEncodeFields: readonly number[];
  readonly encoding: Encoding;
  readonly listsAsText: boolean;
  /** Null for all. */
  readonly quantity: number | null;
  readonly escapesFormulas: boolean;
}

/** Reads a request, without looking up its records. @throws 400 that names the property and the rule */
export function exportSettings(request: ExportRequest): ExportSettings {
  const idsFields = idsOf(request.idsFields, 'idsFields');
  const idsEncodeFields = idsOf(request.idsEncodeFields, 'idsEncodeFields');
  if (idsFields.length + idsEncodeFields.length === 0)
    throw invalid('idsFields: the file needs at least one column');
  // The last column is what a caller may compare with hashes of their own, and never changed: as None it holds texts.
  if (request.escapeFormulas && request.encoding === 'None' && idsEncodeFields.length > 0)
    throw invalid(
      'escapeFormulas: not with encoding None and idsEncodeFields, whose column holds the texts as they are',
    );
  return {
    idTarget: request.idTarget,
    idsFields,
    idsEncodeFields,
    encoding: request.encoding,
    ownName: 'export',
    listsAsText: request.typeList === 'VALUE',
    ...placeOf(request),
    compression: request.compress ?? undefined,
    codePage: request.codePage === 65001 ? 65001 : 1252,
    separator: separatorOf(request.columnSeparator || ';'),
    lineEnd: request.idNewLineCharacter === 2 ? '\n' : '\r\n',
    quantity: request.quantity || null,
    escapesFormulas: request.escapeFormulas ?? false,
  };
}

const endings: Readonly<Record<Compression, string>> = { GZip: '.gz', Zip: '.zip' };

/** The name of an export's file, in its folder. */
export function fileNameOf(
  { fileName, ownName, compression }: FileSettings,
  site: string,
  { id, createdAt }: Pick<StoredExport, 'id' | 'createdAt'>,
): string {
  const at = parisTimeOf(createdAt).toString().replaceAll(/\D/g, '').slice(0, 14);
  return withEnding(fileName ?? `${ownName}_${site}_${id}_${at}.csv`, compression);
}

/** Returns the path of an export's file, with its folder. */
export function filePathOf(settings: FileSettings, site: string, of: Pick<StoredExport, 'id' | 'createdAt'>) {
  const name = fileNameOf(settings, site, of);
  return settings.folder === '' ? name : `${settings.folder}/${name}`;
}

/** Adds the extension of a compression, by which imports recognise packed files. */
function withEnding(name: string, compression: Compression | undefined): string {
  if (!compression) return name;
  const ending = endings[compression];
  return name.toLowerCase().endsWith(ending) ? name : name + ending;
}

function idsOf(names: readonly string[], member: string): number[] {
  const ids: number[] = [];
  for (const [i, name] of names.entries()) {
    const digits = /^(?:fld)?(\d{1,9})$/i.exec(name)?.[1];
    if (!digits) throw invalid(`${member}[${i}]: must be the id of a field, for example 1 or fld1`);
    if (ids.includes(Number(digits))) throw invalid(`${member}[${i}]: ${name} is listed twice`);
    ids.push(Number(digits));
  }
  return ids;
}

function placeOf(request: ExportRequest): Pick<ExportSettings, 'fileName' | 'folder'> {
  const fileName = request.filename?.trim() || undefined;
  if (fileName?.includes('/')) throw invalid('filename: exportSubFolder names the folder, not filename');
  const folder = request.exportSubFolder?.trim().replace(/\/$/, '') ?? '';
  const folderFault = folder === '' ? undefined : (tooDeep(folder) ?? nameFault(folder));
  if (folderFault) throw invalid(`exportSubFolder: the name ${folderFault}`);
  const named = fileName && withEnding(fileName, request.compress ?? undefined);
  const fault = named && nameFault(folder === '' ? named : `${folder}/${named}`);
  if (fault) throw invalid(`filename: the name ${fault}`);
  return { fileName, folder };
}

/** Leaves room for the names of temporary files. */
function tooDeep(folder: string): string | undefined {
  return Buffer.byteLength(folder) > maxFolderBytes ? `is longer than ${maxFolderBytes} bytes` : undefined;
}
const maxFolderBytes = 900;

/** Returns the rule that a name breaks, stricter than for reading: names must be safe on other systems too. */
function nameFault(path: string): string | undefined {
  const fault = fileNameFault(path);
  if (fault) return fault;
  if (/[:<>"|?*]/.test(path)) return 'holds one of : < > " | ? *';
  if (/[\u2044\u2215\u29f8\uff0f\uff3c\u29f5\ufe68]/.test(path))
    return 'holds a character that looks like a slash';
  const parts = path.split('/');
  if (parts.some((part) => /[. ]$/.test(part))) return 'ends with a dot or a space';
  if (parts.some((part) => part.startsWith('.'))) return 'begins with a dot';
  return undefined;
}

/** Reads a separator: an ASCII mark that COPY accepts. Not `?`, which replaces characters that code page 1252 lacks. */
function separatorOf(text: string): string {
  const separator = /^(tab|\{t\}|\{tab\}|\\t)$/i.test(text) ? '\t' : text;
  if (!/^[\t !#$%&'()*+,\-./:;<=>@[\\\]^_`{|}~]$/.test(separator))
    throw invalid('columnSeparator: must be a tab or one ASCII mark other than " and ?');
  return separator;
}
