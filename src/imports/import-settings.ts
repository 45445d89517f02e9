import { isWritable } from '../fields/field.ts';
import { encodingOf } from '../files/code-page.ts';
import type { CsvOptions } from '../files/csv-reader.ts';
import { areAlike, spelledOut } from '../files/delimiters.ts';
import { fileNameFault } from '../files/file-name.ts';
import { maxWidth } from '../files/table.ts';
import type { TableFormat } from '../files/table-reader.ts';
import { unreadableName } from '../files/unpacked.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { invalid } from '../platform/http/refusal.ts';
import { type ImportParameters, inFull, mappingMode } from './import.ts';

export type Mapping =
  | { readonly idField: number; readonly mode: 'column'; readonly column: string; readonly format: string }
  | { readonly idField: number; readonly mode: 'fixed'; readonly value: string; readonly format: string }
  | { readonly idField: number; readonly mode: 'time' };

/** An import's parameters with every default filled in. */
export interface ImportSettings {
  readonly filename: string;
  readonly table: TableFormat & { readonly leastColumns: number };
  /** Whether the first line read holds the names of the columns. */
  readonly hasNames: boolean;
  /** The field that finds the subscriber of a row. */
  readonly idKeyField: number;
  readonly mappings: readonly Mapping[];
  /** Nobody's status changes. */
  readonly keepStatus: boolean;
  readonly insertEnabled: boolean;
  readonly safeMode: boolean;
  readonly deleteFile: boolean;
  readonly notify: readonly string[];
}

/** Where the rows that an import refuses are written. */
export const errorFileName = (filename: string): string => `${filename}.errors.csv`;

/** Unique over a site, so that one fixed value cannot be given to many. */
const uniqueFields: ReadonlySet<number> = new Set([1, 43]);

/** Reads an import's parameters; fields and file are checked by the run. @throws 400 that names property and rule */
export function importSettings(parameters: ImportParameters): ImportSettings {
  const full = inFull(parameters);
  const { filename, columnNamesFirstLine: hasNames } = full;
  // The file of its bad rows must have a name too.
  const fault = fileNameFault(filename) ?? fileNameFault(errorFileName(filename));
  if (fault) throw invalid(`parameters.filename: the name ${fault}`);
  const unreadable = unreadableName(filename);
  if (unreadable) throw invalid(`parameters.filename: ${unreadable}`);
  const idKeyField = idOf(full.keyDbFieldName, 'parameters.keyDbFieldName');
  const mappings = mappingsOf(parameters, idKeyField, hasNames);
  return {
    filename,
    table: {
      csv: csvOptions(full),
      sheetName: full.sheetName?.trim() ?? '',
      // A sheet does not keep the empty cells at the end of its rows: without names, the mappings determine its
      // columns.
      leastColumns: hasNames ? 0 : highestColumn(mappings),
    },
    hasNames,
    idKeyField,
    mappings,
    keepStatus: full.keepFld7,
    insertEnabled: full.insertEnabled,
    safeMode: full.safeMode,
    deleteFile: full.deleteFile,
    notify: addressesOf(full.emailNotification ?? ''),
  };
}

function csvOptions(parameters: ReturnType<typeof inFull>): CsvOptions {
  const { codepage: codePage, startLine } = parameters;
  if (!encodingOf(codePage))
    throw invalid(
      `parameters.codepage: the code page ${codePage} is not supported; use 1252 (Western European) or 65001 (UTF-8)`,
    );
  if (parameters.columnDelimiter === '') throw invalid('parameters.columnDelimiter: is empty; omit it for ;');
  if (parameters.rowDelimiter === '')
    throw invalid('parameters.rowDelimiter: is empty; omit it for line ends of either kind');
  const delimiter = spelledOut(parameters.columnDelimiter);
  const given = parameters.textQualifier;
  const isNone = given.toLowerCase() === '<none>';
  const qualifier = isNone ? '' : spelledOut(given);
  if (!isNone && qualifier.length !== 1)
    throw invalid('parameters.textQualifier: must be one character, or <none> for no such character');
  const row = spelledOut(parameters.rowDelimiter);
  // LF and CR LF stand for each other: the same file has one or the other by the way it was sent.
  const rowDelimiter = row === '\n' || row === '\r\n' ? 'lines' : row;
  const rowEnds = rowDelimiter === 'lines' ? ['\r', '\n'] : [rowDelimiter];
  if (rowEnds.some((one) => areAlike(one, delimiter))) {
    throw invalid('parameters.columnDelimiter: must differ from the row delimiter');
  }
  if (qualifier !== '' && [delimiter, ...rowEnds].some((one) => areAlike(one, qualifier))) {
    throw invalid('parameters.textQualifier: must differ from the delimiters');
  }
  return { codePage, delimiter, qualifier, rowDelimiter, startLine };
}

function mappingsOf(
  { columnMapping, keyDbFieldName }: ImportParameters,
  idKeyField: number,
  hasNames: boolean,
): Mapping[] {
  const mappings: Mapping[] = [];
  for (const [i, one] of columnMapping.entries()) {
    const member = `parameters.columnMapping[${i}]`;
    if (one.idMappingMode === mappingMode.none) continue;
    const idField = idOf(one.dbFieldName, `${member}.dbFieldName`);
    if (mappings.some((known) => known.idField === idField)) {
      throw invalid(`${member}.dbFieldName: fld${idField} is mapped twice`);
    }
    if (!isWritable({ id: idField }) && !(idField === 0 && idKeyField === 0)) {
      throw invalid(`${member}.dbFieldName: fld${idField} is filled by the service and cannot be imported`);
    }
    const mapping = mappingOf(one, idField, member);
    if (!hasNames && mapping.mode === 'column' && !/^(?!0+$)\d{1,4}$/.test(mapping.column)) {
      throw invalid(
        `${member}.fileColumnName: must be the number of a column, from 1, because columnNamesFirstLine is false`,
      );
    }
    mappings.push(mapping);
  }
  if (!mappings.some((one) => one.idField === idKeyField && one.mode === 'column')) {
    // The default key was used: then the mapping must be fixed.
    const fault =
      keyDbFieldName == null
        ? 'parameters.columnMapping: the key, fld1 unless keyDbFieldName names another,'
        : `parameters.keyDbFieldName: fld${idKeyField}`;
    throw invalid(`${fault} must be mapped to a column of the file`);
  }
  return mappings;
}

function mappingOf(one: ImportParameters['columnMapping'][number], idField: number, member: string): Mapping {
  const format = one.format?.trim() ?? '';
  const onlyOf = (name: 'fileColumnName' | 'fixedValue' | 'format', ...modes: readonly number[]) => {
    if (one[name] && !modes.includes(one.idMappingMode))
      throw invalid(`${member}.${name}: is for idMappingMode ${modes.join(' and ')} only`);
  };
  onlyOf('fileColumnName', mappingMode.column);
  onlyOf('fixedValue', mappingMode.fixed);
  onlyOf('format', mappingMode.column, mappingMode.fixed);
  if (one.idMappingMode === mappingMode.time) return { idField, mode: 'time' };
  if (one.idMappingMode === mappingMode.fixed) {
    if (uniqueFields.has(idField))
      throw invalid(`${member}.fixedValue: fld${idField} differs for each subscriber`);
    // An empty text empties the field of everybody, which must not happen by leaving something out.
    if (one.fixedValue == null)
      throw invalid(`${member}.fixedValue: is required for idMappingMode 2; '' empties`);
    return { idField, mode: 'fixed', value: one.fixedValue, format };
  }
  const column = one.fileColumnName?.trim();
  if (!column) throw invalid(`${member}.fileColumnName: a column of the file must be named`);
  return { idField, mode: 'column', column, format };
}

function highestColumn(mappings: readonly Mapping[]): number {
  const numbers = mappings.map((one) => (one.mode === 'column' ? Number(one.column) : 0));
  return Math.max(0, ...numbers.filter((number) => number <= maxWidth));
}

function idOf(name: string | null | undefined, member: string): number {
  if (name == null) throw invalid(`${member}: is required`);
  const match = /^fld(\d{1,9})$/i.exec(name.trim());
  if (!match) throw invalid(`${member}: must name a field, for example fld1`);
  return Number(match[1]);
}

/** Returns the addresses of `emailNotification`. @throws 400 that names an invalid one */
export function addressesOf(text: string): string[] {
  const given = text.split(/[;,]/).filter((one) => one.trim() !== '');
  return given.map((one) => {
    const address = normaliseEmail(one);
    if (!address) throw invalid(`parameters.emailNotification: ${one.trim()} is not an email address`);
    return address;
  });
}
