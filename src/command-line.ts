import { parseArgs } from 'node:util';

/** What `facteur` was told to do. */
export type Command =
  | { readonly name: 'serve' | 'migrate' | 'help' | 'version' | 'site list' | 'token list' }
  | { readonly name: 'demo'; readonly rows: number }
  | { readonly name: 'site create'; readonly site: string }
  | {
      readonly name: 'user create';
      readonly userName: string;
      readonly email: string;
      /** Whether the password comes on the first line of stdin: never as an argument, which others can see. */
      readonly hasPassword: boolean;
    }
  | {
      readonly name: 'token create';
      readonly email: string;
      readonly role: string;
      /** Null for all sites. */
      readonly sites: readonly string[] | null;
      readonly label: string;
      readonly expiresAt: Date | null;
    }
  | { readonly name: 'token revoke'; readonly id: number };

export const helpText = `Usage: npx facteur <command>

  serve                          start the service (what npm start does)
  migrate                        bring the database to this version and end
  demo [rows]                    do the main job over the public interfaces, with 10,000 subscribers
  site create <name>             make a site
  site list
  user create --name <name> --email <email> [--password-stdin]
  token create --user <email> --role <reader|editor|sender|admin>
               (--site <name> … | --all-sites) [--label <text>] [--expires <ISO date-time>]
  token revoke <id>
  token list
  help, version

Settings come from the environment; README.md lists them. Commands may be used while the service runs.
`;

/** A command line that cannot be understood; the message says which part. */
export class UsageError extends Error {}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  name: { type: 'string' },
  email: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  user: { type: 'string' },
  role: { type: 'string' },
  site: { type: 'string', multiple: true },
  'all-sites': { type: 'boolean' },
  label: { type: 'string' },
  expires: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. To specify')[0]!);
  }
}

/** @throws UsageError */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
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
  }
  switch (both) {
    case 'site list':
    case 'token list':
      return onlyThese(positionals, 2, { name: both });
    case 'site create':
      return onlyThese(positionals, 3, { name: both, site: needed(rest[0], 'the name of the site') });
    case 'user create':
      return onlyThese(positionals, 2, {
        name: both,
        userName: needed(values.name, '--name'),
        email: needed(values.email, '--email'),
        hasPassword: values['password-stdin'] ?? false,
      });
    case 'token create':
      return onlyThese(positionals, 2, tokenCommand(values));
    case 'token revoke':
      return onlyThese(positionals, 3, {
        name: both,
        id: wholeNumber(needed(rest[0], 'the id of the token'), 'id'),
      });
  }
  throw new UsageError(`Unknown command '${both}'`);
}

function tokenCommand(values: Values): Command {
  if (Boolean(values['all-sites']) === Boolean(values.site))
    throw new UsageError('Give either --site (once or several times) or --all-sites');
  const expiresAt = values.expires === undefined ? null : new Date(values.expires);
  if (expiresAt && Number.isNaN(expiresAt.getTime()))
    throw new UsageError('--expires must be an ISO date-time, such as 2027-01-31T12:00:00Z');
  return {
    name: 'token create',
    email: needed(values.user, '--user'),
    role: needed(values.role, '--role'),
    sites: values['all-sites'] ? null : (values.site ?? []),
    label: values.label ?? '',
    expiresAt,
  };
}

function onlyThese(positionals: readonly string[], count: number, command: Command): Command {
  if (positionals.length > count) throw new UsageError(`'${positionals[count]}' is one word too many`);
  return command;
}

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Missing: ${what}`);
  return value;
}

function wholeNumber(text: string, what: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${what} must be a whole number from 1`);
  return Number(text);
}
