import { siteOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { embeddedRepository, RepositoryItem } from '../repository.ts';
import { defaultRepository, listRepositories as registered } from '../repository-store.ts';

export const listRepositories = siteOperation({
  id: 'listRepositories',
  method: 'GET',
  path: '/exports/repositories',
  right: 'read',
  tag: 'Exports',
  summary: 'List the repositories (SFTP accounts) that files are read from and written to',
  description:
    "The default one first, then by id. 0 is the site's own folder on the embedded SFTP server; an administrator " +
    'registers others.',
  reply: Type.Array(RepositoryItem),
  async handle({ db, app }) {
    const { hostname: host } = new URL(app.publicUrl);
    const embedded = { idRepository: embeddedRepository, port: app.config.sftpPort, host, subfolder: '' };
    const others = (await registered(db)).map(({ id, port, host, subfolder }) => {
      return { idRepository: id, port, host, subfolder };
    });
    const first = await defaultRepository(db);
    return [embedded, ...others].sort(
      (a, b) => Number(b.idRepository === first) - Number(a.idRepository === first),
    );
  },
});
