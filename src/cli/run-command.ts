import type { Logger } from 'pino';
import { siteOf } from '../accounts/site-administration.ts';
import { listSites } from '../accounts/site-store.ts';
import { findToken } from '../accounts/token-store.ts';
import { findUserByEmail } from '../accounts/user-store.ts';
import { rebuildSums, reclassifyHits } from '../activity/reclassify-store.ts';
import type { Config } from '../config.ts';
import { repositoriesOf } from '../files/repository-administration.ts';
import { checkSecret, makeFirstThings } from '../first-start.ts';
import { backUp } from '../installation/backup.ts';
import { adoptInstallation, holdInstallation } from '../installation/check-installation.ts';
import { currentHold } from '../installation/installation-store.ts';
import type { App } from '../platform/app.ts';
import { found } from '../platform/http/refusal.ts';
import { openApp } from '../platform/open-app.ts';
import { pauseHeldJobs } from '../sending/control-jobs.ts';
import { loadPostcodeFile } from '../targets/places/postcode-file.ts';
import { listPostcodeLoads } from '../targets/places/postcode-store.ts';
import type { Command } from './command-line.ts';
import { runOperationCommand } from './operation-commands.ts';
import { type RunOperation, runnerOf } from './run-operation.ts';
import { type Input, inputOf } from './stdin.ts';

type Print = (line: string) => void;

/**
 * Runs one of the commands that work on the installation and end. They share the embedded database with a service that
 * runs, or start it for as long as they take. Results go to `print`, one JSON value a line; a new token alone,
 * and its id, which scripts must not take for a part of it, to `note`.
 */
export async function runCommand(
  command: Command,
  config: Config,
  log: Logger,
  { print, note }: { readonly print: Print; readonly note: Print },
): Promise<void> {
  const opened = await openApp(config, log);
  try {
    // What a command makes under another secret, the service could not read.
    await checkSecret(opened.app);
    if (command.name === 'backup') return print(JSON.stringify(await backUp(opened, command.file)));
    await runOn(opened.app, command, { print, note, stdin: inputOf(process.stdin) });
  } finally {
    await opened.close();
  }
}

interface Ends {
  readonly print: Print;
  readonly note: Print;
  readonly stdin: Input;
}

/** Runs a command on an app. Commands that match an operation call it, so each rule exists once. */
export async function runOn(app: App, command: Command, { print, note, stdin }: Ends): Promise<void> {
  const operation = runnerOf(app);
  const show = (value: unknown) => print(JSON.stringify(value));
  switch (command.name) {
    case 'migrate':
      await makeFirstThings(app);
      return;
    case 'token create':
      return makeToken(command, app, operation, print, note);
    case 'token revoke':
      await operation('revokeToken', { members: { idToken: String(command.id) } });
      return show(await findToken(app.control, command.id));
    case 'postcodes load':
      return show(await loadPostcodeFile(app.control, command.file, app.clock.now()));
    case 'postcodes list':
      return (await listPostcodeLoads(app.control)).forEach(show);
    case 'activity reclassify':
    case 'activity rebuild':
      return workOnActivity(command.name, app, print);
    case 'installation show':
    case 'installation hold':
    case 'installation adopt':
      return workOnInstallation(command.name, app, print);
    case 'repository default': {
      const { idsite, id } = command;
      await operation('setDefaultRepository', { members: { idsite }, body: { idRepository: id } });
      // The default one is first.
      return show((await repositoriesOf(app, await siteOf(app, idsite)))[0]);
    }
    case 'serve':
    case 'help':
    case 'version':
    case 'demo':
    case 'backup':
    case 'restore':
      throw new Error(`'${command.name}' is no command on the installation`);
    default:
      return runOperationCommand(command, operation, print, stdin);
  }
}

/** @throws Refusal 404 when no user has the email, and whatever the operation refuses. */
async function makeToken(
  { email, expirationDate, ...given }: Extract<Command, { name: 'token create' }>,
  app: App,
  operation: RunOperation,
  print: Print,
  note: Print,
): Promise<void> {
  const user = found(await findUserByEmail(app.control, email), 'User', '--user');
  const { label, role, sites } = given;
  const body = { idUser: user.id, label, role, sites, ...(expirationDate !== null && { expirationDate }) };
  const made = await operation('createToken', { body });
  const { token, details } = made as { readonly token: string; readonly details: { readonly id: number } };
  // The id is printed first: if stdout cannot take the token, it can be revoked.
  note(`Token ${details.id}; npx facteur token revoke ${details.id} ends it`);
  print(token);
}

async function workOnActivity(
  command: 'activity reclassify' | 'activity rebuild',
  app: App,
  print: Print,
): Promise<void> {
  for (const { name } of await listSites(app.control)) {
    const db = await app.site(name);
    if (!db) continue;
    if (command === 'activity rebuild') await rebuildSums(db);
    const reclassified = command === 'activity reclassify' ? { reclassified: await reclassifyHits(db) } : {};
    print(JSON.stringify({ site: name, ...reclassified }));
  }
}

async function workOnInstallation(
  command: 'installation show' | 'installation hold' | 'installation adopt',
  app: App,
  print: Print,
): Promise<void> {
  if (command !== 'installation show') {
    // The secret first: nobody adopts a database that they cannot read.
    await makeFirstThings(app);
    if (command === 'installation adopt') await adoptInstallation(app);
    else await holdInstallation(app, 'an operator held it');
    await pauseHeldJobs(app);
  }
  const hold = await currentHold(app.control);
  print(JSON.stringify({ sending: hold ? 'held' : 'free', ...hold }));
}
