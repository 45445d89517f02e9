import { expect, it } from 'vitest';
import type { SftpAccount } from './sftp-account-store.ts';
import { fitsAccount } from './sftp-login.ts';

const key = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAA', 'base64');
const account: SftpAccount = {
  idSite: 1,
  siteName: 'demo',
  login: 'demo',
  password: 'right',
  publicKeys: ['', 'broken', `ssh-ed25519 ${key.toString('base64')} ada@laptop`],
};

it('fits the password and the keys of the account, and nothing else', () => {
  expect(fitsAccount(account, { kind: 'password', password: 'right' })).toBe(true);
  expect(fitsAccount(account, { kind: 'password', password: 'wrong' })).toBe(false);
  expect(fitsAccount(account, { kind: 'key', key })).toBe(true);
  expect(fitsAccount(account, { kind: 'key', key: Buffer.alloc(0) })).toBe(false);
  expect(fitsAccount(account, { kind: 'key', key: Buffer.from('other') })).toBe(false);
});

it('fits nothing without an account, not even an empty password', () => {
  expect(fitsAccount(undefined, { kind: 'password', password: '' })).toBe(false);
  expect(fitsAccount(undefined, { kind: 'key', key })).toBe(false);
});
