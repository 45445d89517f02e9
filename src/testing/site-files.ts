import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { siteFolderPath } from '../files/sftp-server.ts';
import type { TestApp } from './app.ts';

/** The folder of a site's SFTP account. */
export const folderOf = ({ dataDir, db }: TestApp): string => siteFolderPath(dataDir, db.site.id);

/** Puts a file into the folder of a site's SFTP account, in a sub-folder if its name says so. */
export function putFile(t: TestApp, name: string, content: string | Buffer): void {
  const path = join(folderOf(t), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
