import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { onePixel } from '../testing/make-picture.ts';
import { noisePicture } from '../testing/noise-picture.ts';
import { readPictureFile } from './picture-file.ts';

const read = (bytes: Buffer) => readPictureFile(bytes, 'file');
const notTaken = 'is not a PNG, JPEG, GIF or WebP picture';
const refusal = async (bytes: Buffer): Promise<string> => {
  const failed: unknown = await read(bytes).catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 422, message: expect.stringMatching(/^file: /) });
  return (failed as Error).message.slice('file: '.length);
};

describe('readPictureFile', () => {
  it.each(['png', 'jpg', 'gif', 'webp'] as const)('keeps a %s as it is, byte for byte', async (type) => {
    const content = await noisePicture(60, 40, type);
    expect(await read(content)).toEqual({ content, type, width: 60, height: 40 });
  });

  it.each(['gif', 'webp'] as const)('keeps an animated %s; its size is that of a frame', async (type) => {
    const frames = await Promise.all([noisePicture(60, 40, 'png'), noisePicture(60, 40, 'png')]);
    const joined = sharp(frames, { join: { animated: true } });
    const content = await (type === 'gif' ? joined.gif({ delay: [100, 200] }) : joined.webp()).toBuffer();
    expect(await read(content)).toEqual({ content, type, width: 60, height: 40 });
  });

  it('removes metadata about camera, place and author; the picture keeps its orientation', async () => {
    const secrets = {
      IFD0: { Copyright: '<script>alert(1)</script>', Artist: 'Eve' },
      IFD3: { GPSLatitude: '1/1' },
    };
    const content = await sharp(await noisePicture(60, 40, 'png'))
      .withMetadata({ orientation: 6 })
      .withExifMerge(secrets)
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Eve</x:xmpmeta>')
      .jpeg()
      .toBuffer();
    expect(content.includes('<script>')).toBe(true);
    const file = await read(content);
    expect([file.type, file.width, file.height]).toEqual(['jpg', 40, 60]);
    for (const word of ['<script>', 'Eve', 'Exif']) expect(file.content.includes(word)).toBe(false);
    expect(await sharp(file.content).metadata()).not.toHaveProperty('orientation');
  });

  it('takes comments out of a PNG without a change of a pixel', async () => {
    const plain = await noisePicture(60, 40, 'png');
    const end = plain.length - 12;
    const comment = pngChunk('tEXt', Buffer.from('Comment\0<?php evil ?>', 'latin1'));
    const { content } = await read(Buffer.concat([plain.subarray(0, end), comment, plain.subarray(end)]));
    expect(content.includes('php')).toBe(false);
    const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();
    expect((await pixels(content)).equals(await pixels(plain))).toBe(true);
  });

  it('an animated picture stays animated when something is taken out', async () => {
    const frames = await Promise.all([noisePicture(60, 40, 'png'), noisePicture(60, 40, 'png')]);
    const content = await sharp(frames, { join: { animated: true } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Eve</x:xmpmeta>')
      .webp({ delay: [100, 200], loop: 3 })
      .toBuffer();
    const file = await read(content);
    expect([file.width, file.height, file.content.includes('Eve')]).toEqual([60, 40, false]);
    expect(await sharp(file.content).metadata()).toMatchObject({ pages: 2, delay: [100, 200], loop: 3 });
  });

  it.each(['png', 'jpg', 'gif', 'webp'] as const)('refuses a %s that is cut', async (type) => {
    const content = await noisePicture(60, 40, type);
    for (const length of [20, 40, content.length >> 1])
      expect(await refusal(content.subarray(0, length))).toMatch(/incomplete or damaged|is not a PNG, JPEG/);
  });

  it('refuses a PNG whose end is missing, or whose pixels are', async () => {
    const content = await noisePicture(60, 40, 'png');
    expect(await refusal(content.subarray(0, content.length - 40))).toBe(
      'the picture is incomplete or damaged; upload it again',
    );
    const broken = Buffer.from(content);
    broken.fill(0xff, 200, 300);
    expect(await refusal(broken)).toBe('the picture is incomplete or damaged; upload it again');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a program', Buffer.from('\x7fELF')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['an archive', Buffer.from('PK\x03\x04')],
  ])('refuses %s', async (_what, bytes) => {
    expect(await refusal(bytes)).toBe(notTaken);
  });

  it('refuses pictures of other types, which the library could read', async () => {
    expect(await refusal(await sharp(onePixel).tiff().toBuffer())).toBe(notTaken);
    expect(await refusal(await sharp(onePixel).avif().toBuffer())).toBe(notTaken);
  });

  it.each([
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    '<?xml version="1.0"?>\n<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><SVG\n>&x;</SVG>',
    '\ufeff<!-- --><svg onload="alert(1)"/>',
  ])('refuses SVG by name: %s', async (text) => {
    expect(await refusal(Buffer.from(text.replace('<svg onload', '<svg  onload')))).toMatch(
      /^SVG pictures are not accepted/,
    );
  });

  it('refuses the size in the head before anything is decoded', async () => {
    const pixels = deflateSync(Buffer.alloc(1_000));
    expect(await refusal(png(50_000, 50_000, pixels))).toBe(
      '50000x50000 pixels; a side may have at most 20000',
    );
    expect(await refusal(png(9_000, 9_000, pixels))).toBe(
      '9000x9000 pixels; all together may be at most 40000000',
    );
  });

  it('refuses frames that are too many together', async () => {
    expect(await refusal(gif(2_000, 2_000, 11))).toBe(
      '11 frames of 2000x2000 pixels; all together may be at most 40000000',
    );
    expect(await refusal(gif(65_535, 65_535, 20_000))).toContain('a side may have at most 20000');
  });

  it('keeps what is a picture and something else as well, as a picture', async () => {
    const content = Buffer.concat([
      await noisePicture(6, 4, 'jpg'),
      Buffer.from('<script>alert(1)</script>PK\x03\x04'),
    ]);
    expect(await read(content)).toMatchObject({ type: 'jpg', width: 6, height: 4 });
  });

  it('thirty at once are read one after the other', async () => {
    const content = await noisePicture(60, 40, 'png');
    const files = await Promise.all(Array.from({ length: 30 }, () => read(content)));
    expect(files.every((file) => file.width === 60)).toBe(true);
  });
});

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** A PNG that says it has so many pixels. */
function png(width: number, height: number, pixels: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  return Buffer.concat([
    onePixel.subarray(0, 8),
    ...[pngChunk('IHDR', head), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))],
  ]);
}

/** A GIF whose frames say that they are so large, with the data of one pixel each. */
function gif(width: number, height: number, frames: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0x44, 1, 0]);
  head.copy(frame, 5, 6, 10);
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from([0x3b])]);
}
