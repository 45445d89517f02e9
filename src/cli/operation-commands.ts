import { createReadStream } from 'node:fs';
import { largeBodyMegabytes } from '../platform/http/operation.ts';
import type { RunOperation } from './run-operation.ts';
import { type Input, readUpTo } from './stdin.ts';
import { needed, noMoreThan, type Option, UsageError, type Values, wholeNumber } from './usage.ts';

/** A command that is one operation of administration. */
export interface OperationCommand {
  readonly name: keyof typeof forms | 'admin';
  /** The operation's id in the reference. */
  readonly operation: string;
  /** Parameters of its path and query. */
  readonly members?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A further source of the body: all of stdin, a password on its first line, or the private key in a file. */
  readonly input?: 'body' | 'password' | { readonly keyFile: string };
  /** The parts of the answer that are printed, each element, some properties or nothing. Default: all in one. */
  readonly shows?: 'each' | 'nothing' | readonly string[];
}

interface Form {
  /** Words that may follow the command's own; omitted: none. */
  readonly words?: number;
  readonly options?: readonly Option[];
  call(values: Values, words: readonly string[]): Omit<OperationCommand, 'name'>;
}

const forms = {
  'site list': { call: () => ({ operation: 'listSites', shows: 'each' }) },
  'site create': {
    words: 1,
    call: (_, [name]) => ({ operation: 'createSite', body: { name: needed(name, 'the name of the site') } }),
  },
  'user create': {
    options: ['name', 'email', 'password-stdin'],
    call: ({ name, email, 'password-stdin': hasPassword }) => ({
      operation: 'createUser',
      body: { name: needed(name, '--name'), email: needed(email, '--email') },
      ...(hasPassword && { input: 'password' }),
    }),
  },
  'token list': { call: () => ({ operation: 'listTokens', shows: 'each' }) },
  'repository list': {
    options: ['site'],
    call: (values) => ({ operation: 'listRegisteredRepositories', members: siteOf(values), shows: 'each' }),
  },
  'repository add': {
    options: ['site', 'host', 'port', 'login', 'subfolder', 'host-key', 'password-stdin', 'key-file'],
    call: newRepository,
  },
  'repository test': {
    words: 1,
    options: ['site'],
    call: (values, [id]) => ({ operation: 'testRepository', members: repositoryOf(values, id, 0) }),
  },
  'repository delete': {
    words: 1,
    options: ['site'],
    call: (values, [id]) => ({
      operation: 'deleteRepository',
      members: repositoryOf(values, id, 1),
      shows: 'nothing',
    }),
  },
  'repository accept-key': {
    words: 1,
    options: ['site', 'host-key'],
    call: (values, [id]) => ({
      operation: 'acceptHostKey',
      members: repositoryOf(values, id, 1),
      body: { hostKey: needed(values['host-key'], '--host-key') },
    }),
  },
  'sftp-key list': {
    options: ['site'],
    call: (values) => ({ operation: 'listSftpPublicKeys', members: siteOf(values), shows: 'each' }),
  },
  'sftp-key add': {
    words: Number.POSITIVE_INFINITY,
    options: ['site'],
    // With or without quotation marks around its three words.
    call: (values, words) => ({
      operation: 'addSftpPublicKey',
      members: siteOf(values),
      body: { publicKey: needed(words.join(' '), 'the public key') },
    }),
  },
  'sftp-key remove': {
    words: 1,
    options: ['site'],
    call: (values, [key]) => ({
      operation: 'removeSftpPublicKey',
      members: { ...siteOf(values), fingerprint: needed(key, 'the fingerprint of the key') },
      shows: 'nothing',
    }),
  },
  'sftp-password renew': {
    options: ['site'],
    call: (values) => ({
      operation: 'renewSftpPassword',
      members: siteOf(values),
      shows: ['login', 'password'],
    }),
  },
} as const satisfies Record<string, Form>;

const isOperation = (name: string): name is keyof typeof forms => Object.hasOwn(forms, name);

export const optionsOfOperation = (name: string): readonly Option[] =>
  (isOperation(name) && (forms[name] as Form).options) || [];

/** Reads the words of a command that is an operation; undefined for other ones. @throws UsageError */
export function operationCommand(
  name: string,
  values: Values,
  words: readonly string[],
): OperationCommand | undefined {
  if (!isOperation(name)) return undefined;
  const form: Form = forms[name];
  noMoreThan(form.words ?? 0, words);
  return { name, ...form.call(values, words) };
}

/** The site that a command names. @throws UsageError */
export function siteOf({ site }: Values): { idsite: string } {
  if ((site?.length ?? 0) > 1) throw new UsageError('Give --site once');
  return { idsite: needed(site?.[0], '--site') };
}

/** The number of a repository. @param from 0 where the site's own folder counts as one. @throws UsageError */
export const repositoryId = (id: string | undefined, from: 0 | 1): number =>
  wholeNumber(needed(id, 'the id of the repository'), 'id', from);

const repositoryOf = (values: Values, id: string | undefined, from: 0 | 1) => ({
  ...siteOf(values),
  idRepository: String(repositoryId(id, from)),
});

function newRepository(values: Values): Omit<OperationCommand, 'name'> {
  const keyFile = values['key-file'];
  if (Boolean(values['password-stdin']) === (keyFile !== undefined))
    throw new UsageError('Give either --password-stdin or --key-file');
  const body = {
    host: needed(values.host, '--host'),
    port: wholeNumber(values.port ?? '22', '--port'),
    subfolder: values.subfolder ?? '',
    login: needed(values.login, '--login'),
    hostKey: values['host-key'] ?? null,
  };
  const input = keyFile === undefined ? 'password' : { keyFile };
  return { operation: 'registerRepository', members: siteOf(values), body, input };
}

/** Runs a command's operation and prints its answer. @throws UsageError for a wrong command line, Refusal */
export async function runOperationCommand(
  { operation, members = {}, body, input, shows }: OperationCommand,
  run: RunOperation,
  print: (line: string) => void,
  stdin: Input,
): Promise<void> {
  const answer = await run(operation, { members, body: await bodyWith(body, input, stdin) });
  if (shows === 'nothing') return;
  if (shows === 'each') for (const one of answer as unknown[]) print(JSON.stringify(one));
  // A list of names has JSON write these properties alone.
  else print(JSON.stringify(answer, shows && [...shows]));
}

/** Maximum bytes of a key file: more than the operation accepts. */
const maxKeyBytes = 100_000;

async function bodyWith(
  body: object | undefined,
  input: OperationCommand['input'],
  stdin: Input,
): Promise<object | Buffer | undefined> {
  // One byte more than any operation takes, so that it is the operation that refuses what is too large.
  if (input === 'body') return stdin.upTo(largeBodyMegabytes * 1024 ** 2 + 1);
  if (input === 'password') return { ...body, password: await stdin.firstLine() };
  if (input === undefined) return body;
  const key = await readUpTo(createReadStream(input.keyFile), maxKeyBytes).catch((error: Error) => {
    throw new UsageError(`--key-file cannot be read: ${error.message}`);
  });
  return { ...body, privateKey: key.toString() };
}
