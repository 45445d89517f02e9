import { readFile } from 'node:fs/promises';
import { accountOf, allowPublicKey, forbidPublicKey, renewSftpAccount } from './accounts/sftp-keys.ts';
import { showPublicKey } from './accounts/site.ts';
import {
  acceptHostKey,
  chooseDefaultRepository,
  registerRepository,
  removeRepository,
  repositoriesOf,
  tryRepository,
} from './files/repository-administration.ts';
import { listRepositories } from './files/repository-store.ts';
import { siteOf } from './files/site-of.ts';
import type { FilesCommand } from './files-command.ts';
import type { App } from './platform/app.ts';

/** Runs it; results go to `print`, one JSON value a line. `firstLine` reads the password. */
export async function runFilesCommand(
  command: FilesCommand,
  app: App,
  print: (line: string) => void,
  firstLine: () => Promise<string>,
): Promise<void> {
  const db = await siteOf(app, command.site);
  const { control, secrets } = app;
  const show = (value: unknown) => print(JSON.stringify(value));
  switch (command.name) {
    case 'repository list':
      return (await listRepositories(db)).forEach(show);
    case 'repository add': {
      const { keyFile, input } = command;
      const secret =
        keyFile === null ? { password: await firstLine() } : { privateKey: await readFile(keyFile, 'utf8') };
      return show(await registerRepository(app, db, { ...input, ...secret }));
    }
    case 'repository test':
      return show(await tryRepository(app, db, command.id));
    case 'repository default':
      await chooseDefaultRepository(db, command.id);
      // The default one stands first.
      return show((await repositoriesOf(app, db))[0]);
    case 'repository delete':
      return removeRepository(app, db, command.id);
    case 'repository accept-key':
      return show(await acceptHostKey(app, db, command.id, command.hostKey));
    case 'sftp-key list':
      return (await accountOf(control, secrets, db.site.id)).publicKeys.map(showPublicKey).forEach(show);
    case 'sftp-key add':
      return show(await allowPublicKey(control, db.site.id, command.publicKey));
    case 'sftp-key remove':
      return forbidPublicKey(control, secrets, db.site.id, command.fingerprint);
    case 'sftp-password renew': {
      const { login, password } = await renewSftpAccount(control, secrets, db.site.id);
      return show({ login, password });
    }
  }
}
