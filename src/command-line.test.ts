import { expect, it } from 'vitest';
import { readCommand, UsageError } from './command-line.ts';

it.each([
  ['', { name: 'help' }],
  ['serve', { name: 'serve' }],
  ['serve --help', { name: 'help' }],
  ['-v', { name: 'version' }],
  ['demo', { name: 'demo', rows: 10_000 }],
  ['demo 500', { name: 'demo', rows: 500 }],
  ['site list', { name: 'site list' }],
  ['site create shop', { name: 'site create', site: 'shop' }],
  [
    'user create --name Ada --email a@b.c',
    { name: 'user create', userName: 'Ada', email: 'a@b.c', hasPassword: false },
  ],
  [
    'token create --user a@b.c --role sender --site a --site b --expires 2027-01-31T12:00:00Z',
    {
      name: 'token create',
      email: 'a@b.c',
      role: 'sender',
      sites: ['a', 'b'],
      label: '',
      expiresAt: new Date('2027-01-31T12:00:00Z'),
    },
  ],
  [
    'token create --user a@b.c --role admin --all-sites --label x',
    { name: 'token create', email: 'a@b.c', role: 'admin', sites: null, label: 'x', expiresAt: null },
  ],
  ['token revoke 7', { name: 'token revoke', id: 7 }],
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
  ['token create --user a@b.c --role admin --all-sites --expires soon', '--expires must be'],
  ['token revoke x', 'id must be a whole number'],
  ['demo -1', 'Unknown option'],
])('facteur %s is refused', (line, message) => {
  const read = () => readCommand(line.split(' '));
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
