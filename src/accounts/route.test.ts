import { expect, it } from 'vitest';
import { routeOfUrl } from './route.ts';

it.each([
  ['smtp://localhost', { host: 'localhost', port: 25, tls: 'none', username: null, password: null }],
  [
    'smtps://u%40d:p%3Aw@mx.example',
    { host: 'mx.example', port: 465, tls: 'tls', username: 'u@d', password: 'p:w' },
  ],
  ['smtp://mx.example:587?tls=starttls', { host: 'mx.example', port: 587, tls: 'starttls' }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, tls: 'none' }],
])('%s is a route', (url, expected) => {
  expect(routeOfUrl(url)).toMatchObject(expected);
});
