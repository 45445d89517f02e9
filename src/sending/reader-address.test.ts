import { expect, it } from 'vitest';
import { readerAddress } from './freeze.ts';

const relay = ['relay.example.com'];
const sink = ['127.0.0.1'];

it.each<[string, string[], { hasOneClick: boolean; isDead: boolean }]>([
  ['https://mail.shop.example', relay, { hasOneClick: true, isDead: false }],
  ['http://mail.shop.example', relay, { hasOneClick: false, isDead: false }],
  ['http://mail.shop.example', sink, { hasOneClick: false, isDead: false }],
  ['http://mail.shop.example', [], { hasOneClick: true, isDead: false }],
  ['http://localhost:3000', [], { hasOneClick: true, isDead: false }],
  ['http://localhost:3000', sink, { hasOneClick: true, isDead: false }],
  ['http://localhost:3000', [...sink, ...relay], { hasOneClick: true, isDead: true }],
  ['https://127.0.0.1', relay, { hasOneClick: true, isDead: true }],
  ['http://[::1]:3000', relay, { hasOneClick: true, isDead: true }],
])('%s by %j', (publicUrl, relays, expected) => {
  expect(readerAddress(publicUrl, relays)).toEqual(expected);
});
