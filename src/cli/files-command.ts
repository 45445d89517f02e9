import type { RepositoryInput } from '../files/repository.ts';
import { needed, UsageError, wholeNumber } from './usage.ts';

/** A command about the repositories of a site, or its account on the embedded SFTP server. */
export type FilesCommand = { readonly site: string } & (
  | { readonly name: 'repository list' | 'sftp-key list' | 'sftp-password renew' }
  | {
      readonly name: 'repository add';
      readonly input: RepositoryInput;
      /** The file of the private key; null for a password on the first line of stdin. */
      readonly keyFile: string | null;
    }
  | { readonly name: 'repository test' | 'repository default' | 'repository delete'; readonly id: number }
  | { readonly name: 'repository accept-key'; readonly id: number; readonly hostKey: string }
  | { readonly name: 'sftp-key add'; readonly publicKey: string }
  | { readonly name: 'sftp-key remove'; readonly fingerprint: string }
);

interface Values {
  readonly site?: readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly login?: string | undefined;
  readonly subfolder?: string | undefined;
  readonly 'host-key'?: string | undefined;
  readonly 'key-file'?: string | undefined;
  readonly 'password-stdin'?: boolean | undefined;
}

/** Parses a files command, or returns undefined for other words. @throws UsageError */
export function filesCommand(
  words: string,
  values: Values,
  rest: readonly string[],
): FilesCommand | undefined {
  const site = () => {
    if ((values.site?.length ?? 0) > 1) throw new UsageError('Give --site once');
    return needed(values.site?.[0], '--site');
  };
  const only = (count: number) => {
    if (rest.length > count) throw new UsageError(`'${rest[count]}' is one word too many`);
  };
  const id = (from: 0 | 1) => {
    only(1);
    return wholeNumber(needed(rest[0], 'the id of the repository'), 'id', from);
  };
  switch (words) {
    case 'repository list':
    case 'sftp-key list':
    case 'sftp-password renew':
      only(0);
      return { name: words, site: site() };
    case 'repository add':
      only(0);
      return { name: words, site: site(), ...newRepository(values) };
    case 'repository test':
    case 'repository default':
      return { name: words, site: site(), id: id(0) };
    case 'repository delete':
      return { name: words, site: site(), id: id(1) };
    case 'repository accept-key':
      return { name: words, site: site(), id: id(1), hostKey: needed(values['host-key'], '--host-key') };
    case 'sftp-key add':
      // With or without quotation marks around its three words.
      return { name: words, site: site(), publicKey: needed(rest.join(' '), 'the public key') };
    case 'sftp-key remove':
      only(1);
      return { name: words, site: site(), fingerprint: needed(rest[0], 'the fingerprint of the key') };
  }
  return undefined;
}

function newRepository(values: Values): { input: RepositoryInput; keyFile: string | null } {
  const keyFile = values['key-file'] ?? null;
  if (Boolean(values['password-stdin']) === (keyFile !== null))
    throw new UsageError('Give either --password-stdin or --key-file');
  const input = {
    host: needed(values.host, '--host'),
    port: wholeNumber(values.port ?? '22', '--port'),
    subfolder: values.subfolder ?? '',
    login: needed(values.login, '--login'),
    hostKey: values['host-key'] ?? null,
  };
  return { input, keyFile };
}
