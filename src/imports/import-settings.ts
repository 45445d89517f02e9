import { isWritable } from '../fields/field.ts';
import { encodingOf } from '../files/code-page.ts';
import type { CsvOptions } from '../files/csv-reader.ts';
import { fileNameFault } from '../files/file-name.ts';
import { unreadableName } from '../files/unpacked.ts';
import { invalid } from '../platform/http/refusal.ts';
import { normaliseEmail } from '../subscribers/email-address.ts';
import { type ImportParameters, mappingMode } from './import.ts';

/** Where one field's values come from. */
export type Mapping =
  | { readonly idField: number; readonly mode: 'column'; readonly column: string; readonly format: string }
  | { readonly idField: number; readonly mode: 'fixed'; readonly value: string; readonly format: string }
  | { readonly idField: number; readonly mode: 'time' };

/** An import's parameters with every default filled in. */
export interface ImportSettings {
  readonly filename: string;
  readonly csv: CsvOptions;
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

/** Unique over a site, so that one fixed value cannot be given to many. */
const uniqueFields: ReadonlySet<number> = new Set([1, 43]);

/**
 * Reads an import's parameters; what needs the site's fields or the file is looked at when it runs.
 * @throws 400 that names the member and the rule.
 */
export function importSettings(parameters: ImportParameters): ImportSettings {
  const { filename } = parameters;
  const fault = fileNameFault(filename);
  if (fault) throw invalid(`parameters.filename: the name ${fault}`);
  const unreadable = unreadableName(filename);
  if (unreadable) throw invalid(`parameters.filename: ${unreadable}`);
  const idKeyField = idOf(parameters.keyDbFieldName || 'fld1', 'parameters.keyDbFieldName');
  return {
    filename,
    csv: csvOptions(parameters),
    hasNames: parameters.columnNamesFirstLine ?? true,
    idKeyField,
    mappings: mappingsOf(parameters, idKeyField),
    // Left out, nobody is subscribed again who had left.
    keepStatus: parameters.keepFld7 ?? true,
    insertEnabled: parameters.insertEnabled ?? true,
    safeMode: parameters.safeMode ?? false,
    deleteFile: parameters.deleteFile ?? false,
    notify: addressesOf(parameters.emailNotification ?? ''),
  };
}

function csvOptions(parameters: ImportParameters): CsvOptions {
  const codePage = parameters.codepage || 1252;
  if (!encodingOf(codePage)) throw invalid(`parameters.codepage: the code page ${codePage} is not known`);
  const delimiter = spelledOut(parameters.columnDelimiter || ';');
  const given = parameters.textQualifier ?? '"';
  const qualifier = given === '<none>' ? '' : spelledOut(given);
  const row = spelledOut(parameters.rowDelimiter || '\r\n');
  // LF and CR LF stand for each other: the same file has one or the other by the way it was sent.
  const rowDelimiter = row === '\n' || row === '\r\n' ? 'lines' : row;
  const rowEnd = rowDelimiter === 'lines' ? '\n' : rowDelimiter;
  if (delimiter.includes(rowEnd) || rowEnd.includes(delimiter)) {
    throw invalid('parameters.columnDelimiter: must differ from the row delimiter');
  }
  if (
    qualifier !== '' &&
    [delimiter, rowEnd].some((one) => one.includes(qualifier) || qualifier.includes(one))
  ) {
    throw invalid('parameters.textQualifier: must differ from the delimiters');
  }
  return { codePage, delimiter, qualifier, rowDelimiter, startLine: Math.max(1, parameters.startLine ?? 1) };
}

/** Characters that cannot be typed, in the ways in which they are written: `\t`, `{CR}{LF}`, `Tab`. */
function spelledOut(text: string): string {
  if (/^tab$/i.test(text)) return '\t';
  return text
    .replaceAll(/\{CR\}|\\r/gi, '\r')
    .replaceAll(/\{LF\}|\\n/gi, '\n')
    .replaceAll(/\{t\}|\{tab\}|\\t/gi, '\t');
}

function mappingsOf({ columnMapping }: ImportParameters, idKeyField: number): Mapping[] {
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
    mappings.push(mappingOf(one, idField, member));
  }
  if (!mappings.some((one) => one.idField === idKeyField && one.mode === 'column')) {
    throw invalid(`parameters.keyDbFieldName: fld${idKeyField} must be mapped to a column of the file`);
  }
  return mappings;
}

function mappingOf(one: ImportParameters['columnMapping'][number], idField: number, member: string): Mapping {
  const format = one.format?.trim() ?? '';
  if (one.idMappingMode === mappingMode.time) return { idField, mode: 'time' };
  if (one.idMappingMode === mappingMode.fixed) {
    if (uniqueFields.has(idField))
      throw invalid(`${member}.fixedValue: fld${idField} differs for each subscriber`);
    return { idField, mode: 'fixed', value: one.fixedValue ?? '', format };
  }
  const column = one.fileColumnName?.trim();
  if (!column) throw invalid(`${member}.fileColumnName: a column of the file must be named`);
  return { idField, mode: 'column', column, format };
}

function idOf(name: string, member: string): number {
  const match = /^fld(\d{1,9})$/i.exec(name.trim());
  if (!match) throw invalid(`${member}: must name a field, as fld1`);
  return Number(match[1]);
}

function addressesOf(text: string): string[] {
  const given = text.split(/[;,]/).filter((one) => one.trim() !== '');
  return given.map((one) => {
    const address = normaliseEmail(one);
    if (!address) throw invalid(`parameters.emailNotification: ${one.trim()} is not an email address`);
    return address;
  });
}
