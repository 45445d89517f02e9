import { areAlike, spelledOut } from '../files/delimiters.ts';
import { invalid } from '../platform/http/refusal.ts';
import { Closed, Count, Instant, Line, Maybe, type Static, Text } from '../platform/http/schema.ts';
import { ContentKey, keyPattern, keyRule } from './content-block.ts';

/** The body of createContentData: rows with a content for each value of a field. */
export const ContentDataInput = Closed('ContentData', {
  key: Line(
    200,
    `Key of the data, alone or as in the tag: prices, DATA.prices, [[DATA.prices.fld1]]; ${keyRule}`,
  ),
  dataFilePath: Line(
    1024,
    'A file of the default repository of the site, from its root; in UTF-8, plain, in .gz, or alone in a .zip',
  ),
  dataFieldTerminator: Maybe(
    Text(20, 'The separator of the two columns; {TAB} means a tab. Default: ;. Must not occur in the data'),
  ),
  dataRowTerminator: Maybe(
    Text(
      20,
      'The end of a row; {CR} and {LF} mean these characters. Default: CR LF, which accepts LF alone too',
    ),
  ),
});
export type ContentDataInput = Static<typeof ContentDataInput>;

/** Content data in a list, without their rows. */
export const ListedContentData = Closed('ListedContentData', {
  key: ContentKey('The key that the tag names'),
  nbRows: Count('Different values of the file'),
  loadDate: Instant('When the file was loaded'),
});
export type ListedContentData = Static<typeof ListedContentData>;

/** A row of content data in a list. */
export const ContentDataRow = Closed('ContentDataRow', {
  value: Text(500, 'The first column, in lower case: the value of a reader’s field'),
  content: Text(1_000, 'The beginning of the second column: what these readers see'),
  size: Count('Bytes of the whole content in UTF-8'),
});
export type ContentDataRow = Static<typeof ContentDataRow>;

const tagForm = /^(?:\[\[)?\s*(?:DATA\.)?(.+?)(?:\.fld(\d{1,9}))?\s*(?:\]\])?$/i;
const keyForm = new RegExp(keyPattern);
const utf8 = 65_001;

/** @throws 400 naming the property */
export function contentDataSource(input: ContentDataInput) {
  const [, key = '', idField = 'N'] = tagForm.exec(input.key.trim()) ?? [];
  if (!keyForm.test(key)) throw invalid(`key: must be ${keyRule}; for example prices`);
  const delimiter = spelledOut(input.dataFieldTerminator ?? ';');
  if (delimiter === '') throw invalid('dataFieldTerminator: must not be empty; omit it for ;');
  const row = spelledOut(input.dataRowTerminator ?? '\r\n');
  if (row === '') throw invalid('dataRowTerminator: must not be empty; omit it for CR LF');
  const rowDelimiter = row === '\r\n' || row === '\n' ? 'lines' : row;
  const rowEnds = rowDelimiter === 'lines' ? ['\r', '\n'] : [rowDelimiter];
  if (rowEnds.some((one) => areAlike(one, delimiter)))
    throw invalid('dataFieldTerminator: must differ from dataRowTerminator');
  const csv = { delimiter, qualifier: '', rowDelimiter, codePage: utf8, startLine: 1 };
  return {
    key,
    tag: `[[DATA.${key}.fld${idField}]]`,
    filename: input.dataFilePath.replace(/^\/+/, ''),
    format: { csv, sheetName: '', leastColumns: null },
  };
}

/** A value of the first column, or of a reader's field, in the form in which they are compared. */
export const foldValue = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Maximum length of a value; longer ones do not fit into the index. */
export const maxValueLength = 500;
/** Maximum length of the content that replaces a tag. */
export const maxContentLength = 100_000;
