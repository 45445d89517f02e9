import { createReadStream } from 'node:fs';
import { siteOf } from '../accounts/site-administration.ts';
import { repositoriesOf } from '../files/repository-administration.ts';
import type { App } from '../platform/app.ts';
import type { FilesCommand } from './files-command.ts';
import type { RunOperation } from './run-operation.ts';
import { type Input, readUpTo } from './stdin.ts';
import { UsageError } from './usage.ts';

/** More than the operation's limit for a private key. */
const maxKeyBytes = 100_000;

/** Runs it by the operation that does the same; results go to `print`, one JSON value a line. */
export async function runFilesCommand(
  command: FilesCommand,
  app: App,
  run: RunOperation,
  print: (line: string) => void,
  stdin: Input,
): Promise<void> {
  const site = { idsite: command.site };
  const show = (value: unknown) => print(JSON.stringify(value));
  const showAll = (values: unknown) => (values as unknown[]).forEach(show);
  const repository = () => ({ ...site, idRepository: String('id' in command ? command.id : '') });
  switch (command.name) {
    case 'repository list':
      return showAll(await run('listRegisteredRepositories', { members: site }));
    case 'repository add': {
      const { keyFile, input } = command;
      const secret =
        keyFile === null ? { password: await stdin.firstLine() } : { privateKey: await readKeyFile(keyFile) };
      return show(await run('registerRepository', { members: site, body: { ...input, ...secret } }));
    }
    case 'repository test':
      return show(await run('testRepository', { members: repository() }));
    case 'repository default':
      await run('setDefaultRepository', { members: site, body: { idRepository: command.id } });
      // The default one is first.
      return show((await repositoriesOf(app, await siteOf(app, command.site)))[0]);
    case 'repository delete':
      await run('deleteRepository', { members: repository() });
      return;
    case 'repository accept-key': {
      const { hostKey } = command;
      return show(await run('acceptHostKey', { members: repository(), body: { hostKey } }));
    }
    case 'sftp-key list':
      return showAll(await run('listSftpPublicKeys', { members: site }));
    case 'sftp-key add': {
      const { publicKey } = command;
      return show(await run('addSftpPublicKey', { members: site, body: { publicKey } }));
    }
    case 'sftp-key remove': {
      const { fingerprint } = command;
      await run('removeSftpPublicKey', { members: { ...site, fingerprint } });
      return;
    }
    case 'sftp-password renew': {
      const { login, password } = (await run('renewSftpPassword', { members: site })) as SftpPassword;
      return show({ login, password });
    }
  }
}

interface SftpPassword {
  readonly login: string;
  readonly password: string;
}

async function readKeyFile(path: string): Promise<string> {
  const bytes = await readUpTo(createReadStream(path), maxKeyBytes).catch((error: Error) => {
    throw new UsageError(`--key-file cannot be read: ${error.message}`);
  });
  return bytes.toString();
}
