import type { Socket } from 'node:net';
import type { Client, SFTPWrapper } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { Refusal, refused } from '../platform/http/refusal.ts';
import { fingerprintOf, keyOfBlob, lineOf, parsePublicKey, type SshPublicKey } from '../platform/ssh-key.ts';
import type { Repository, SftpAccess } from './repository.ts';
import { algorithmsOf, type ExpectedKey, expectedKeyOf, kindsToAsk, shownKey } from './server-key.ts';

export interface Patience {
  /** To let us in, and then to start SFTP. */
  readonly connectMs: number;
  /** For one answer; a store behind a server may copy a large file to rename it. */
  readonly answerMs: number;
  /** To close its side of the connection. */
  readonly endMs: number;
}
const ourPatience: Patience = { connectMs: 20_000, answerMs: 300_000, endMs: 5_000 };
/** A server that says nothing for three of these no longer exists. */
const keepAliveMs = 15_000;

/** 503: the server cannot be used. A caller who is configuring it gets the name of the faulty property. */
export class CannotConnect extends Refusal {
  readonly member: 'host' | 'port' | 'password' | 'privateKey';

  constructor({ host, password }: SftpAccess, error: NodeJS.ErrnoException) {
    super(503, 'unavailable', `The SFTP server ${host} cannot be used: ${reasonOf(error)}`);
    if (isLoginRefusal(error)) this.member = password === null ? 'privateKey' : 'password';
    else this.member = error.code === 'ECONNREFUSED' ? 'port' : 'host';
  }
}

/** 503: a server with which we are connected no longer exists, or says nothing. */
export class SftpLost extends Refusal {
  constructor(host: string, why: string, cause?: unknown) {
    super(503, 'unavailable', `The SFTP server ${host} cannot be used: ${why}`, { cause });
  }
}

export interface SftpConnection {
  readonly host: string;
  readonly client: SftpClient;
  readonly sftp: SFTPWrapper;
  /** The key that the server has shown, as OpenSSH writes it. */
  readonly hostKey: string;
  /** Ends the connection, whether the server closes its side or not. */
  end(): Promise<void>;
}

/** Connects to an address of egressAddress and signs in. @throws 503 if unavailable, refused, or with another key */
export async function connectPinned(of: Repository, address: string): Promise<SftpConnection> {
  const pinned = parsePublicKey(of.hostKey);
  if (!pinned) throw new Error(`Repository ${of.id} has a host key that cannot be read`);
  const asked = await tryToConnect(of, address, [pinned.type], expectedKeyOf(pinned), ourPatience);
  if ('client' in asked) return asked;
  throw new Refusal(
    503,
    'host_key_changed',
    `The SFTP server ${of.host} shows ${asked.refusedKey ? `the key ${shownKey(asked.refusedKey)}` : noSuchKey}, ` +
      `not the known one, ${shownKey(pinned)}: the connection may be intercepted. If the server has really changed ` +
      'its key, an administrator can accept it',
  );
}

/**
 * Connects to a server that is being registered and signs in. An expected key is searched for among all kinds of keys
 * that the server has; without one, what it shows is taken.
 * @throws 422 when it shows another key than the one expected, 503 when it is unavailable or refuses the login.
 */
export async function connectFirst(
  access: SftpAccess,
  address: string,
  expected: ExpectedKey | undefined,
  patience = ourPatience,
): Promise<SftpConnection> {
  const shown: SshPublicKey[] = [];
  for (const kinds of kindsToAsk(expected)) {
    const asked = await tryToConnect(access, address, kinds, expected, patience);
    if ('client' in asked) return asked;
    if (asked.refusedKey) shown.push(asked.refusedKey);
  }
  const keys = shown.map(shownKey).join(', ');
  throw refused(
    `hostKey: the server shows ${keys || noSuchKey}, not ${expected?.fingerprint ?? 'one we know'}`,
  );
}

/** The client would otherwise print events between two calls. */
const silent = { error: () => undefined, end: () => undefined, close: () => undefined };
const noSuchKey = 'no key of this kind';

/** Returns a connection, or the unexpected key that the server shows (undefined: none of these kinds). */
async function tryToConnect(
  access: SftpAccess,
  address: string,
  kinds: readonly string[],
  expected: ExpectedKey | undefined,
  patience: Patience,
): Promise<SftpConnection | { refusedKey: SshPublicKey | undefined }> {
  const { port, login, password, privateKey } = access;
  const client = new SftpClient('sftp', silent);
  // Without a listener an error between two calls would end the process; the next call reports it.
  client.on('error', () => undefined);
  // Many servers request the password in a dialogue of one question (PAM).
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
    answer(prompts.map(() => password ?? '')),
  );
  let shown: SshPublicKey | undefined;
  let sftp: SFTPWrapper;
  // The client's own limit ends with the login: of a server that never starts SFTP then it would wait for ever.
  const timer = setTimeout(() => cut(client), 2 * patience.connectMs);
  try {
    sftp = await client.connect({
      host: address,
      port,
      username: login,
      ...(password !== null && { password, tryKeyboard: true }),
      ...(privateKey !== null && { privateKey }),
      readyTimeout: patience.connectMs,
      keepaliveInterval: keepAliveMs,
      // The names come from the keys that we know; the types list those of ssh2's own.
      algorithms: { serverHostKey: algorithmsOf(kinds) as never },
      hostVerifier: (blob: Buffer) => {
        shown = keyOfBlob(blob);
        return expected === undefined || fingerprintOf(shown) === expected.fingerprint;
      },
    });
  } catch (error) {
    await endWithin(client, patience.endMs).catch(() => undefined);
    if (shown && expected && fingerprintOf(shown) !== expected.fingerprint) return { refusedKey: shown };
    if (/no matching host key format/i.test((error as Error).message)) return { refusedKey: undefined };
    throw new CannotConnect(access, error as Error);
  } finally {
    clearTimeout(timer);
  }
  if (!shown) throw new Error('A connection without a host key');
  // Nagle's algorithm against delayed acknowledgements makes transfers six times slower.
  rawOf(client).setNoDelay(true);
  watchAnswers(client, sftp, patience.answerMs);
  return {
    host: access.host,
    client,
    sftp,
    hostKey: lineOf(shown),
    end: () => endWithin(client, patience.endMs),
  };
}

/** The types omit ssh2's own client and its socket. */
const rawOf = (client: SftpClient) => (client as unknown as { client: Client & { _sock?: Socket } }).client;

/** The client's own `destroy` does nothing after its `end`. */
const cut = (client: SftpClient): void => void rawOf(client)._sock?.destroy();

/** Number of checks of the oldest request within its time limit. */
const looks = 20;

/** Closes a connection whose oldest request gets no response: a hanging server may still answer keep-alive. */
function watchAnswers(client: SftpClient, sftp: SFTPWrapper, answerMs: number): void {
  // The types omit the requests that wait, in the order in which they were made.
  const { _requests: waiting } = sftp as unknown as { _requests: Readonly<Record<string, object>> };
  let oldest: object | undefined;
  let seen = 0;
  const timer = setInterval(() => {
    const [first] = Object.values(waiting);
    seen = first && first === oldest ? seen + 1 : 0;
    oldest = first;
    if (seen >= looks) cut(client);
  }, answerMs / looks);
  timer.unref();
  rawOf(client).once('close', () => clearInterval(timer));
}

async function endWithin(client: SftpClient, ms: number): Promise<void> {
  const timer = setTimeout(() => cut(client), ms);
  await client.end().finally(() => clearTimeout(timer));
}

/** Returns what went wrong, without the library's function name and the resolved address. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error;
  if (isLoginRefusal(error)) return 'it refuses the login';
  if (/timed out/i.test(message)) return 'it does not answer';
  if (code === 'ECONNREFUSED') return 'it does not accept connections';
  return /^E[A-Z]+$/.test(code) ? code : message.replace(/^\w+(->\w+)?: /, '');
}

const isLoginRefusal = ({ message }: Error) => /authentication methods failed/i.test(message);
