import { expect, it } from 'vitest';
import { readCommand } from './command-line.ts';
import { UsageError } from './usage.ts';

it.each([
  ['', { name: 'help' }],
  ['serve', { name: 'serve' }],
  ['serve --help', { name: 'help' }],
  ['-v', { name: 'version' }],
  ['demo', { name: 'demo', rows: 10_000 }],
  ['demo 500', { name: 'demo', rows: 500 }],
  ['site list', { name: 'site list', operation: 'listSites', shows: 'each' }],
  ['site create shop', { name: 'site create', operation: 'createSite', body: { name: 'shop' } }],
  [
    'user create --name Ada --email a@b.c',
    { name: 'user create', operation: 'createUser', body: { name: 'Ada', email: 'a@b.c' } },
  ],
  [
    'token create --user a@b.c --role sender --site a --site b --expires 2027-01-31T12:00:00Z',
    {
      name: 'token create',
      email: 'a@b.c',
      role: 'sender',
      sites: ['a', 'b'],
      label: '',
      expirationDate: '2027-01-31T12:00:00Z',
    },
  ],
  [
    'token create --user a@b.c --role admin --all-sites --label x',
    { name: 'token create', email: 'a@b.c', role: 'admin', sites: null, label: 'x', expirationDate: null },
  ],
  ['token revoke 7', { name: 'token revoke', id: 7 }],
  ['postcodes load ./FR.txt', { name: 'postcodes load', file: './FR.txt' }],
  ['postcodes list', { name: 'postcodes list' }],
  ['installation adopt', { name: 'installation adopt' }],
  ['admin listProviders', { name: 'admin', operation: 'listProviders', members: {} }],
  [
    'admin updateProvider idProvider=1 x=a=b --body-stdin',
    { name: 'admin', operation: 'updateProvider', members: { idProvider: '1', x: 'a=b' }, input: 'body' },
  ],
  [
    'repository add --site a --host h --port 2022 --login l --key-file k --host-key SHA256:x',
    {
      name: 'repository add',
      operation: 'registerRepository',
      members: { idsite: 'a' },
      body: { host: 'h', port: 2022, subfolder: '', login: 'l', hostKey: 'SHA256:x' },
      input: { keyFile: 'k' },
    },
  ],
  ['repository default 0 --site a', { name: 'repository default', idsite: 'a', id: 0 }],
  [
    'repository accept-key 3 --site a --host-key k',
    {
      name: 'repository accept-key',
      operation: 'acceptHostKey',
      members: { idsite: 'a', idRepository: '3' },
      body: { hostKey: 'k' },
    },
  ],
  [
    'sftp-key add ssh-ed25519 AAAA me --site a',
    {
      name: 'sftp-key add',
      operation: 'addSftpPublicKey',
      members: { idsite: 'a' },
      body: { publicKey: 'ssh-ed25519 AAAA me' },
    },
  ],
  [
    'sftp-password renew --site a',
    {
      name: 'sftp-password renew',
      operation: 'renewSftpPassword',
      members: { idsite: 'a' },
      shows: ['login', 'password'],
    },
  ],
])('facteur %s', (line, command) => {
  expect(readCommand(line.split(' ').filter(Boolean))).toEqual(command);
});

it.each([
  ['dance', "Unknown command 'dance'"],
  ['site', "Unknown command 'site'"],
  ['serve now', "'now' is one word too many"],
  ['serve --fast', "Unknown option '--fast'"],
  ['site create', 'Missing: the name of the site'],
  ['user create --name Ada', 'Missing: --email'],
  ['token create --user a@b.c --role admin', 'Give either --site'],
  ['token create --user a@b.c --role admin --site a --all-sites', 'Give either --site'],
  ['user create --name Ada --name Eve --email a@b.c', 'Give --name once'],
  ['user create --name Ada --email a@b.c --password-stdin --password-stdin', 'Give --password-stdin once'],
  ['user create --name Ada --email a@b.c --role admin', "'user create' takes no --role"],
  ['site create shop --site shop', "'site create' takes no --site"],
  ['serve --name x', "'serve' takes no --name"],
  ['admin listRoutes --site demo', "'admin' takes no --site"],
  ['repository list --site a --host h', "'repository list' takes no --host"],
  ['site create caf\ufffd', 'A word of the command line is not written in UTF-8'],
  ['token revoke x', 'id must be a whole number'],
  ['repository list', 'Missing: --site'],
  ['repository list --site a --site b', 'Give --site once'],
  ['repository delete 0 --site a', 'id must be a whole number from 1'],
  ['repository add --site a --host h --login l', 'Give either --password-stdin or --key-file'],
  ['repository add --site a --login l --password-stdin', 'Missing: --host'],
  ['sftp-key remove --site a', 'Missing: the fingerprint'],
  ['demo -1', 'Unknown option'],
])('facteur %s is refused', (line, message) => {
  const read = () => readCommand(line.split(' '));
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
