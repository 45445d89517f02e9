import {
  type OperationCommand,
  operationCommand,
  optionsOfOperation,
  repositoryId,
  siteOf,
} from './operation-commands.ts';
import {
  needed,
  noMoreThan,
  type Option,
  options,
  parse,
  UsageError,
  type Values,
  wholeNumber,
} from './usage.ts';

export type Command =
  | {
      readonly name: 'serve' | 'migrate' | 'help' | 'version' | 'postcodes list';
    }
  | { readonly name: 'demo'; readonly rows: number }
  | {
      readonly name: 'token create';
      readonly email: string;
      readonly role: string;
      /** Null for all sites. */
      readonly sites: readonly string[] | null;
      readonly label: string;
      /** Date as given; null for never. */
      readonly expirationDate: string | null;
    }
  | { readonly name: 'token revoke'; readonly id: number }
  | { readonly name: 'postcodes load' | 'backup' | 'restore'; readonly file: string }
  | { readonly name: 'activity reclassify' | 'activity rebuild' }
  | { readonly name: 'installation show' | 'installation hold' | 'installation adopt' }
  | { readonly name: 'repository default'; readonly idsite: string; readonly id: number }
  | OperationCommand;

export const helpText = `Usage: npx facteur <command>

  serve                          start the service (what npm start does)
  migrate                        bring the database to this version and end
  demo [rows]                    do the main job over the public interfaces, with 10,000 subscribers
  backup <file>                  write the embedded database, the secrets and the sites' files to one file; the
                                 service may run
  restore <file>                 fill an empty data directory from a backup, and end
  site create <name>             make a site
  site list
  user create --name <name> --email <email> [--password-stdin]
  token create --user <email> --role <reader|editor|sender|admin>
               (--site <name> … | --all-sites) [--label <text>] [--expires <ISO date-time>]
  token revoke <id>
  token list
  postcodes load <file>          replace the postcodes of its countries by a file of GeoNames
  postcodes list
  activity reclassify            judge the hits of the past by the rules of now, on all sites
  activity rebuild               rebuild the sums of activity from the facts, on all sites
  installation show              whether sending is held, and why
  installation hold              have nothing sent, on any site: before a copy is started, for instance
  installation adopt             end a hold: this database and data directory are the installation from now on
  repository list --site <name>
  repository add --site <name> --host <host> --login <login> [--port <n>] [--subfolder <path>] [--host-key <key>]
                 (--password-stdin | --key-file <path>)
  repository accept-key <id> --site <name> --host-key <key>
  repository test|default|delete <id> --site <name>        0 is the site's own folder
  sftp-key list --site <name>
  sftp-key add <line of authorized_keys> --site <name>
  sftp-key remove <fingerprint> --site <name>
  sftp-password renew --site <name>
  admin <operation> [<member>=<value> …] [--body-stdin]
                                 any operation below /admin/v1 by its name in the reference (routes, sending domains,
                                 providers, …), with the members of its path and query; the body as JSON on stdin
  help, version

Settings come from the environment; README.md lists them. Commands may be used while the service runs.
`;

/** The options of the commands that are not one operation each. */
const optionsOf: Partial<Record<Command['name'], readonly Option[]>> = {
  'token create': ['user', 'role', 'site', 'all-sites', 'label', 'expires'],
  'repository default': ['site'],
  admin: ['body-stdin'],
};

/** @throws UsageError */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals, tokens } = parse(args);
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const command = commandOf(values, positionals);
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name as Option] : []));
  // Passed over, an option would look like one that was followed.
  const known = optionsOf[command.name] ?? optionsOfOperation(command.name);
  const foreign = given.find((name) => !known.includes(name));
  if (foreign) throw new UsageError(`'${command.name}' takes no --${foreign}`);
  const double = given.find((name, i) => !('multiple' in options[name]) && given.indexOf(name) !== i);
  if (double) throw new UsageError(`Give --${double} once`);
  return command;
}

function commandOf(values: Values, positionals: readonly string[]): Command {
  const [first = 'help', second, ...rest] = positionals;
  const both = `${first} ${second ?? ''}`.trim();
  switch (first) {
    case 'serve':
    case 'migrate':
    case 'help':
    case 'version':
      return onlyThese(positionals, 1, { name: first });
    case 'demo':
      return onlyThese(positionals, 2, { name: first, rows: wholeNumber(second ?? '10000', 'rows') });
    case 'backup':
    case 'restore':
      return onlyThese(positionals, 2, { name: first, file: needed(second, 'the file') });
    case 'admin':
      return {
        name: first,
        operation: needed(second, 'the name of the operation'),
        members: membersOf(rest),
        ...(values['body-stdin'] && { input: 'body' }),
      };
  }
  switch (both) {
    case 'postcodes list':
    case 'activity reclassify':
    case 'activity rebuild':
    case 'installation show':
    case 'installation hold':
    case 'installation adopt':
      return onlyThese(positionals, 2, { name: both });
    case 'postcodes load':
      return onlyThese(positionals, 3, { name: both, file: needed(rest[0], 'the file') });
    case 'token create':
      return onlyThese(positionals, 2, tokenCommand(values));
    case 'token revoke':
      return onlyThese(positionals, 3, {
        name: both,
        id: wholeNumber(needed(rest[0], 'the id of the token'), 'id'),
      });
    case 'repository default':
      return onlyThese(positionals, 3, { name: both, ...siteOf(values), id: repositoryId(rest[0], 0) });
  }
  const command = operationCommand(both, values, rest);
  if (command) return command;
  throw new UsageError(`Unknown command '${both}'`);
}

/** `<member>=<value>`, each member once. */
function membersOf(words: readonly string[]): Record<string, string> {
  const members = new Map<string, string>();
  for (const word of words) {
    const [name, ...value] = word.split('=');
    if (!name || value.length === 0) throw new UsageError(`'${word}' must be <member>=<value>`);
    if (members.has(name)) throw new UsageError(`Give ${name} once`);
    members.set(name, value.join('='));
  }
  return Object.fromEntries(members);
}

function tokenCommand(values: Values): Command {
  if (Boolean(values['all-sites']) === Boolean(values.site))
    throw new UsageError('Give either --site (once or several times) or --all-sites');
  return {
    name: 'token create',
    email: needed(values.user, '--user'),
    role: needed(values.role, '--role'),
    sites: values['all-sites'] ? null : (values.site ?? []),
    label: values.label ?? '',
    expirationDate: values.expires ?? null,
  };
}

function onlyThese(positionals: readonly string[], count: number, command: Command): Command {
  noMoreThan(count, positionals);
  return command;
}
