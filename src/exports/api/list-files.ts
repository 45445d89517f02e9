import { fileNameFault } from '../../files/file-name.ts';
import { defaultRepository } from '../../files/repository-store.ts';
import { withDefaultRepository } from '../../imports/with-repository.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Line, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
import { FileEntry, fileSorts, pageOfFolder, showEntries } from '../file-list.ts';

export const listFiles = siteOperation({
  id: 'listFiles',
  method: 'GET',
  path: '/files/list',
  right: 'write',
  tag: 'Imports',
  summary: "List the files of the site's default repository",
  description:
    'One folder of the repository that imports read from: the folder of the site on the embedded SFTP server, with ' +
    'uploaded files, exports and rejected rows, or another SFTP account. Folders come first, by name. Links and ' +
    'unfinished uploads are omitted. A folder that does not exist is empty; one of more than 10,000 entries is ' +
    'rejected (422).',
  query: Query({
    folder: Type.Optional(Line(1_024, 'The path of the folder. Default: the root')),
    ...Paging(fileSorts),
  }),
  reply: Paged(FileEntry),
  refusals: [422, 503],
  async handle({ app, db, query }) {
    const folder = (query.folder ?? '').normalize('NFC');
    const fault = folder === '' ? undefined : fileNameFault(folder);
    if (fault) throw invalid(`folder: ${fault}`);
    const range = pageRange(query);
    const idRepository = await defaultRepository(db);
    const { totalCount, entries } = await withDefaultRepository(app, db, (files, signal) =>
      pageOfFolder(files, folder, range, signal),
    );
    return pageOf(await showEntries(db, { folder, idRepository }, entries), totalCount, range.start);
  },
});
