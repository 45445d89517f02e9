import { siteOperation } from '../../platform/http/operation.ts';
import { NewPreview, Preview, previewFile } from '../preview.ts';

export const previewImport = siteOperation({
  id: 'previewImport',
  method: 'POST',
  path: '/imports/preview',
  right: 'write',
  unaudited: 'read',
  tag: 'Imports',
  summary: 'Preview a file before its import',
  description:
    'Returns the first 20 rows, how the file is read, and the field that each column probably belongs to. Settings ' +
    'that the request omits are guessed from the first megabyte. Nothing is imported. A file that cannot ' +
    'be read as a table, or takes longer than 10 seconds, is rejected (422).',
  body: NewPreview,
  example: { filename: 'subscribers.csv' },
  reply: Preview,
  refusals: [404, 422, 503],
  // A workbook is brought to the disk as a whole.
  atOnce: 4,
  handle: ({ app, db, body }) => previewFile(app, db, body),
});
