import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Count, Line, Query, Type } from '../../platform/http/schema.ts';
import { storeUpload } from '../store-upload.ts';

export const uploadFile = siteOperation({
  id: 'uploadFile',
  method: 'POST',
  path: '/files',
  right: 'write',
  tag: 'Imports',
  summary: 'Upload a file to the embedded SFTP server',
  description:
    'The body is the file, at most 64 MB that arrive within 30 seconds; larger files go by SFTP. It gets its name in ' +
    "the site's folder once it is complete, and replaces an older file of this name; an interrupted upload " +
    'leaves nothing. A file beyond the quota of the folder is rejected (413). So is every file of a site whose ' +
    'default repository is another SFTP account (409): its imports read from there.',
  query: Query({ name: Line(1_024, 'The name of the file; may name a folder, which is created') }),
  takesFile: true,
  bodyMegabytes: 64,
  reply: Closed('UploadedFile', {
    path: Type.String({ description: 'The name as imports take it' }),
    sizeInBytes: Count(),
  }),
  refusals: [409, 413, 503],
  handle: ({ app, db, query, file, now }) => storeUpload(app, db, { name: query.name, file, now }),
});
