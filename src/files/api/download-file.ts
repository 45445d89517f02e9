import { FileBytes, siteOperation } from '../../platform/http/operation.ts';
import { Line, Query } from '../../platform/http/schema.ts';
import { openDownload } from '../open-download.ts';

export const downloadFile = siteOperation({
  id: 'downloadFile',
  method: 'GET',
  path: '/files',
  right: 'write',
  tag: 'Imports',
  summary: 'Download a file from the embedded SFTP server',
  description:
    "Returns the bytes of a file in the site's folder, as an attachment. The file of an export is at its `filepath` " +
    '(getExportState). The rejected rows of an import are at the `filename` of its log, followed by ' +
    '`.errors.csv`. Such a file is there once it is complete, and until a later one of the same name replaces it. If ' +
    'the default repository of the site is another SFTP account, imports and exports write there: a missing file ' +
    'then returns 409 instead of 404. A file that is still being uploaded returns 503.',
  query: Query({
    name: Line(1_024, 'The path of the file below the folder, for example `exports/people.csv`'),
  }),
  givesFile: true,
  reply: FileBytes,
  refusals: [404, 409, 503],
  handle: ({ app, db, query }) => openDownload(app, db, query.name),
});
