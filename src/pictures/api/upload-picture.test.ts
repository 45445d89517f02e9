import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDirectory } from '../../contents/directory-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { onePixel } from '../../testing/make-picture.ts';
import { noisePicture } from '../../testing/noise-picture.ts';
import { picturesOperations as operations } from '../operations.ts';
import type { Picture } from '../picture.ts';

const base64 = (content: Buffer) => content.toString('base64');
const pixel = { name: 'Pixel', fileName: 'pixel.png', base64Content: base64(onePixel) };

describe('uploadPicture', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const upload = (body: unknown) => t.call('POST', '/pictures', { body, as: 'editor' });
  const counts = () =>
    t.db.one<{ pictures: number; files: number }>(sql`
      select (select count(*) from ${t.db.t.picture}) as pictures,
        (select count(*) from ${t.db.t.picture_file}) as files`);

  it('200 answers the picture with its public address', async () => {
    const content = await noisePicture(600, 400, 'jpg');
    const parent = await insertDirectory(t.db, { name: 'Spring', dirType: 'Image' });
    const idDirectory = await insertDirectory(t.db, { name: 'Été', dirType: 'Image', idParent: parent });
    const body = {
      name: ' Banner ',
      fileName: 'Bannière 1.JPG',
      base64Content: base64(content),
      idDirectory,
    };
    const reply = await upload(body);
    expect(reply).toMatchObject({ status: 200, typeName: 'Picture', error: null });
    const url = expect.stringMatching(new RegExp(`^http://mail.test/p/${t.db.site.id}/[\\w-]{22}\\.jpg$`));
    expect(reply.data).toEqual({
      idPicture: expect.any(Number),
      name: 'Banner',
      author: 'Ada',
      creationDate: '2026-11-20T10:00:00.000Z',
      lastUpdateDate: '2026-11-20T10:00:00.000Z',
      fileSize: content.length,
      pictureDim: '600x400',
      fileName: 'Bannière 1.JPG',
      filePath: 'Spring/Été/Bannière 1.JPG',
      url,
    });
  });

  it('200 keeps the same bytes once, at one address, even when ten bring them at once', async () => {
    const base64Content = base64(await noisePicture(30, 20, 'webp'));
    const before = await counts();
    const names = Array.from({ length: 10 }, (_, i) => `Copy ${i}`);
    const replies = await Promise.all(
      names.map((name) => upload({ name, fileName: 'copy.webp', base64Content })),
    );
    const pictures = replies.map(({ data }) => data as Picture);
    expect(new Set(pictures.map(({ url }) => url)).size).toBe(1);
    expect(new Set(pictures.map(({ idPicture }) => idPicture)).size).toBe(10);
    expect(await counts()).toEqual({ pictures: before.pictures + 10, files: before.files + 1 });
  });

  it('200 for a picture of 10 MB, whose request is larger than that of other operations', async () => {
    const picture = await noisePicture(1_000, 1_000, 'png');
    // What is behind the end of a PNG is no part of it.
    const content = Buffer.concat([picture, Buffer.alloc(10 * 1024 ** 2 - picture.length, 0x20)]);
    expect(await upload({ ...pixel, base64Content: base64(content) })).toMatchObject({ status: 200 });
    const larger = Buffer.concat([content, Buffer.alloc(3)]);
    expect(await upload({ ...pixel, base64Content: base64(larger) })).toMatchObject({
      status: 413,
      error: 'base64Content: a picture may have at most 10485760 bytes',
    });
    expect((await upload({ ...pixel, base64Content: 'A'.repeat(100 * 1024 ** 2) })).status).toBe(413);
  });

  it('200 for four in each of twenty calls at once: they wait for each other', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async () => ({
        ...pixel,
        base64Content: base64(await noisePicture(40, 40, 'png')),
      })),
    );
    const replies = await Promise.all(bodies.map(upload));
    expect(replies.map((reply) => reply.status)).toEqual(bodies.map(() => 200));
  });

  it.each([
    ['', 'must not be empty'],
    ['a', 'must be base64'],
    ['====', 'must be base64'],
    ['AAAA AAA', 'must be base64'],
    ['AAAA\nAAA', 'must be base64'],
    ['AA-_', 'must be base64'],
    ['data:image/png;base64,AAAA', 'must be base64'],
    ['ÀÀÀÀ', 'must be base64'],
  ])('400 for the base64 %j', async (base64Content, error) => {
    const before = await counts();
    expect(await upload({ ...pixel, base64Content })).toMatchObject({
      status: 400,
      error: expect.stringContaining(`base64Content: ${error}`),
    });
    expect(await counts()).toEqual(before);
  });

  it.each([
    '../pixel.png',
    '..\\pixel.png',
    '%2e%2e%2fpixel.png',
    '/etc/pixel.png',
    'a/pixel.png',
    'pixel\u0000.png',
    'pixel\r\nx: y.png',
    'C:pixel.png',
    'pixel.png.',
    'pixel.png ',
    '.pixel.png',
    'a..png',
    'a\u2215b.png',
    'a\uff0fb.png',
    'a\u202egnp.png',
    '<img>.png',
    '"a".png',
    `${'é'.repeat(140)}.png`,
    `${'a'.repeat(300)}.png`,
    '',
  ])('400 for the file name %j', async (fileName) => {
    expect(await upload({ ...pixel, fileName })).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^fileName: /),
    });
  });

  it.each(['pixel', 'pixel.txt', 'pixel.png.html', 'pixel.php', 'png'])(
    '422 for the extension of %s',
    async (fileName) => {
      expect(await upload({ ...pixel, fileName })).toMatchObject({
        status: 422,
        error: 'fileName: must end with .png, .jpg, .jpeg, .gif or .webp',
      });
    },
  );

  it('422 when the extension does not match the bytes', async () => {
    expect(await upload({ ...pixel, fileName: 'pixel.gif' })).toMatchObject({
      status: 422,
      error: 'fileName: pixel.gif is a picture of type image/png; use the extension .png',
    });
  });

  it('422 for SVG, by name and by what it holds', async () => {
    const svg = base64(
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    );
    const error =
      'SVG pictures are not accepted: they can contain scripts, and mail programs do not show them; use PNG';
    const named = { ...pixel, fileName: 'pixel.svg', base64Content: svg };
    expect(await upload(named)).toMatchObject({ status: 422, error: `fileName: ${error}` });
    expect(await upload({ ...named, fileName: 'a.png' })).toMatchObject({
      status: 422,
      error: `base64Content: ${error}`,
    });
  });

  it('422 for what is no picture, and nothing is kept', async () => {
    const before = await counts();
    const page = base64(Buffer.from('<script>alert(1)</script>'));
    expect(await upload({ ...pixel, base64Content: page })).toMatchObject({
      status: 422,
      error: 'base64Content: is not a PNG, JPEG, GIF or WebP picture',
    });
    const cut = (await noisePicture(60, 40, 'png')).subarray(0, 3_000);
    expect(await upload({ ...pixel, base64Content: base64(cut) })).toMatchObject({
      status: 422,
      error: 'base64Content: the picture is incomplete or damaged; upload it again',
    });
    expect(await counts()).toEqual(before);
  });

  it('200 into no directory with 0', async () => {
    expect(await upload({ ...pixel, idDirectory: 0 })).toMatchObject({
      status: 200,
      data: { filePath: pixel.fileName },
    });
  });

  it('422 for a directory of another type, 404 for a nonexistent one', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'Season', dirType: 'Campaign' });
    expect(await upload({ ...pixel, idDirectory })).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^idDirectory: directory \d+ is of type Campaign/),
    });
    expect(await upload({ ...pixel, idDirectory: 999_999 })).toMatchObject({
      status: 404,
      error: 'idDirectory: Directory not found',
    });
  });

  it('422 when the pictures of the site would take too much, except for bytes that are already stored', async () => {
    const small = await testApp({ operations, config: { pictureQuotaBytes: onePixel.length + 100 } });
    const ask = (body: unknown) => small.call('POST', '/pictures', { body, as: 'editor' });
    expect((await ask(pixel)).status).toBe(200);
    const content = base64(await noisePicture(60, 40, 'png'));
    expect(await ask({ ...pixel, base64Content: content })).toMatchObject({
      status: 422,
      error: expect.stringContaining('(FACTEUR_PICTURE_QUOTA_MB)'),
    });
    expect((await ask({ ...pixel, name: 'Again' })).status).toBe(200);
    await small.close();
  });

  it.each([
    [{ ...pixel, name: ' ' }, 'name: must not be blank'],
    [
      { ...pixel, name: 'a\nb' },
      'name: holds characters that are not allowed (control characters or line ends)',
    ],
    [{ name: 'a', fileName: 'a.png' }, 'base64Content: is required'],
    [{ ...pixel, url: 'http://127.0.0.1/' }, 'url: unknown member'],
  ])('400 for %j', async (body, error) => {
    expect(await upload(body)).toMatchObject({ status: 400, error });
  });

  it('403 for a reader', async () => {
    expect((await t.call('POST', '/pictures', { body: pixel, as: 'reader' })).status).toBe(403);
  });

  it('a process that dies between the bytes and the picture leaves neither', async () => {
    const before = await counts();
    const base64Content = base64(
      await sharp(await noisePicture(9, 9, 'png'))
        .gif()
        .toBuffer(),
    );
    // The transaction ends without a commit, as with the connection of a process that is killed.
    await t.db.run(sql`
      create function ${t.db.name('die')}() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
    await t.db.run(sql`
      create trigger die after insert on ${t.db.t.picture} for each row execute function ${t.db.name('die')}()`);
    expect((await upload({ ...pixel, fileName: 'a.gif', base64Content })).status).toBe(503);
    await t.db.run(sql`drop trigger die on ${t.db.t.picture}`);
    expect(await counts()).toEqual(before);
    expect((await upload({ ...pixel, fileName: 'a.gif', base64Content })).status).toBe(200);
  });
});
