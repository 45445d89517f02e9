import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import { roleNames } from './accounts/role.ts';
import { siteNamePattern } from './accounts/site.ts';
import { createSite, listSites, siteNamed } from './accounts/site-store.ts';
import { createToken, findToken, listTokens, revokeToken } from './accounts/token-store.ts';
import { createUser, findUserByEmail } from './accounts/user-store.ts';
import { rebuildSums, reclassifyHits } from './activity/reclassify-store.ts';
import type { Command } from './command-line.ts';
import type { Config } from './config.ts';
import { makeFirstThings } from './first-start.ts';
import type { App } from './platform/app.ts';
import { adoptInstallation, holdInstallation } from './platform/installation/check-installation.ts';
import { currentHold } from './platform/installation/installation-store.ts';
import { openApp } from './platform/open-app.ts';
import { runAdminCommand } from './run-admin-command.ts';
import { runFilesCommand } from './run-files-command.ts';
import { pauseHeldJobs } from './sending/hold-jobs.ts';
import { loadPostcodeFile } from './targets/places/postcode-file.ts';
import { listPostcodeLoads } from './targets/places/postcode-store.ts';
import { UsageError } from './usage.ts';

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
    await run(command, opened.app, print, note);
  } finally {
    await opened.close();
  }
}

async function run(command: Command, app: App, print: Print, note: Print): Promise<void> {
  const { control, secrets } = app;
  const at = app.clock.now();
  switch (command.name) {
    case 'migrate':
      await makeFirstThings(app);
      return;
    case 'site list':
      for (const site of await listSites(control)) print(JSON.stringify(site));
      return;
    case 'site create': {
      if (!new RegExp(siteNamePattern).test(command.site))
        throw new UsageError('The name of a site has 2 to 31 of a-z, 0-9 and -, and no - in front');
      print(JSON.stringify(await createSite(control, secrets, command.site, at)));
      return;
    }
    case 'user create': {
      const password = command.hasPassword ? await firstLine(process.stdin) : null;
      if (password !== null && password.length < 12)
        throw new UsageError('A password needs 12 characters or more');
      const { userName: name, email } = command;
      print(JSON.stringify(await createUser(control, { name, email, password }, at)));
      return;
    }
    case 'token create': {
      const { id, text } = await makeToken(command, app, at);
      print(text);
      note(`Token ${id}; npx facteur token revoke ${id} ends it`);
      return;
    }
    case 'token revoke':
      if (!(await revokeToken(control, command.id, at))) throw new UsageError(`No token ${command.id}`);
      print(JSON.stringify(await findToken(control, command.id)));
      return;
    case 'postcodes load':
      print(JSON.stringify(await loadPostcodeFile(control, command.file, at)));
      return;
    case 'postcodes list':
      for (const load of await listPostcodeLoads(control)) print(JSON.stringify(load));
      return;
    case 'activity reclassify':
    case 'activity rebuild':
      await workOnActivity(command.name, app, print);
      return;
    case 'installation show':
    case 'installation hold':
    case 'installation adopt':
      await workOnInstallation(command.name, app, print);
      return;
    case 'token list':
      for (const token of await listTokens(control)) print(JSON.stringify(token));
      return;
    case 'admin':
      await runAdminCommand(command, app, print, () => text(process.stdin));
      return;
    case 'serve':
    case 'help':
    case 'version':
    case 'demo':
      throw new Error(`'${command.name}' is no command on the installation`);
    default:
      await runFilesCommand(command, app, print, () => firstLine(process.stdin));
  }
}

async function makeToken(
  command: Extract<Command, { name: 'token create' }>,
  app: App,
  at: Date,
): Promise<{ id: number; text: string }> {
  const role = roleNames.find((name) => name === command.role);
  if (!role) throw new UsageError(`--role must be one of ${roleNames.join(', ')}`);
  const user = await findUserByEmail(app.control, command.email);
  if (!user) throw new UsageError(`No user has the email ${command.email}`);
  if (user.isDisabled) throw new UsageError('The user is disabled; a token of his would be refused');
  return app.control.transaction(async (tx) => {
    const idsSite: number[] = [];
    for (const name of new Set(command.sites)) idsSite.push((await siteNamed(tx, name)).id);
    const { label, expiresAt, sites } = command;
    const token = { idUser: user.id, label, role, idsSite: sites && idsSite, expiresAt };
    return createToken(tx, token, at);
  });
}

async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  return '';
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
    // The secret first: nobody adopts a database that he cannot read.
    await makeFirstThings(app);
    if (command === 'installation adopt') await adoptInstallation(app);
    else await holdInstallation(app, 'an operator held it');
    await pauseHeldJobs(app);
  }
  const hold = await currentHold(app.control);
  print(JSON.stringify({ sending: hold ? 'held' : 'free', ...hold }));
}
