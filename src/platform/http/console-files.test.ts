import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addConsole, consolePolicy } from './console-files.ts';
import { makeServer } from './server.ts';

const script = `console.log(${'1+'.repeat(1000)}1)`;
let t: TestApp;
let folder: string;
let server: FastifyInstance;

async function serverOf(path: string): Promise<FastifyInstance> {
  const made = makeServer({ app: t.app, operations: [], findCaller: async () => undefined });
  await addConsole(made, path);
  await made.ready();
  return made;
}

beforeAll(async () => {
  t = await testApp();
  folder = mkdtempSync(join(tmpdir(), 'facteur-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
  writeFileSync(join(folder, 'early.js'), '{}');
  writeFileSync(join(folder, 'assets/main-abc.js'), script);
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script));
  server = await serverOf(folder);
});
afterAll(async () => {
  await server.close();
  await t.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (url: string, encoding = 'identity') =>
  server.inject({ url, headers: { 'accept-encoding': encoding } });

describe('the files of the console', () => {
  it('leads to the address with a slash', async () => {
    const response = await get('/console');
    expect([response.statusCode, response.headers.location]).toEqual([302, '/console/']);
  });

  it.each([
    '/console/',
    '/console/demo',
    '/console/demo/campaigns/12?tab=audience',
    '/console/demo/x.js',
    '/console/index.html',
  ])('serves the page at %s, under its policy and never from a cache', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toBe(consolePolicy);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toContain('<title>Console</title>');
  });

  it('lets clients keep a hashed file permanently, as it was compressed by the build', async () => {
    const plain = await get('/console/assets/main-abc.js');
    expect(plain.body).toBe(script);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toMatch(/^(text|application)\/javascript/);
    const packed = await get('/console/assets/main-abc.js', 'gzip, br');
    expect(packed.headers['content-encoding']).toBe('br');
    expect(packed.headers.vary).toMatch(/accept-encoding/i);
    expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(script);
  });

  it('has files without a hash compared each time', async () => {
    const { statusCode, headers } = await get('/console/early.js');
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache']);
    const again = await server.inject({
      url: '/console/early.js',
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(again.statusCode).toBe(304);
  });

  it('404 for a file of another version, and never the page instead', async () => {
    const { statusCode, body } = await get('/console/assets/main-old.js');
    expect([statusCode, body]).toEqual([404, 'This file is of another version.\n']);
  });

  it.each([
    '/console/..%2fpackage.json',
    '/console/%2e%2e/package.json',
    '/console/assets/../../package.json',
  ])('reaches no file outside of its folder by %s', async (url) => {
    const { body } = await get(url);
    expect(body).not.toContain('"dependencies"');
  });

  it('404 for other methods than GET and HEAD', async () => {
    expect((await server.inject({ url: '/console/demo', method: 'HEAD' })).statusCode).toBe(200);
    expect((await server.inject({ url: '/console/demo', method: 'POST' })).statusCode).toBe(404);
  });

  it('404 with what to do where the console is not built', async () => {
    const bare = await serverOf(join(folder, 'nothing'));
    const { statusCode, headers, body } = await bare.inject('/console/');
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(body).toContain('npm run build');
    await bare.close();
  });
});
