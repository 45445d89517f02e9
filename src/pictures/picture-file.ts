import type { Metadata, Sharp } from 'sharp';
import { refused } from '../platform/http/refusal.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { maxPictureBytes, noSvg, type PictureFile, type PictureType } from './picture.ts';

/** Maximum number of pixels of a side, and of the height of all frames together. */
const maxSide = 20_000;
const maxPixels = 40_000_000;
const maxSeconds = 20;

const typeOfFormat: Readonly<Record<string, PictureType>> = {
  png: 'png',
  jpeg: 'jpg',
  gif: 'gif',
  webp: 'webp',
};
const loaders = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'];

/** One at a time in a process: a progressive JPEG of `maxPixels` takes 230 MB while it is read. */
const decoding = new Semaphore('pictures', { permits: 1, waiting: 1_000 });

/**
 * Reads a picture by its bytes alone: size and type from its head, then all of it is decoded once, so that nothing is
 * stored that mail programs cannot show. A file without metadata stays byte for byte. One with data about a camera, a
 * place or a person (EXIF, XMP, IPTC, PNG texts) is written again without it, in its intended orientation.
 * @param member the property of the body, for the message
 * @throws 422 for anything but an accepted picture; 503
 */
export async function readPictureFile(bytes: Buffer, member: string): Promise<PictureFile> {
  // A failure is not kept: a shortage, for example of open files, may have ended by the next picture.
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  const library = await loading;
  return decoding.run(async () => {
    try {
      const metadata = await library.head(bytes).metadata();
      const { width, height, format, pages = 1 } = metadata;
      const type = typeOfFormat[format];
      if (type === undefined) throw notTaken(bytes, member);
      checkSize(width, height, pages, member);
      // Reads every pixel without holding all of them; a cut or broken file fails.
      await library.whole(bytes).resize(1, 1, { fit: 'fill' }).raw().toBuffer();
      if (!tellsMore(bytes, metadata)) return { content: bytes, type, width, height };
      return await writtenAnew(library.whole(bytes), type, metadata, member);
    } catch (error) {
      throw isOfLibrary(error) ? notTaken(bytes, member, error) : error;
    }
  });
}

interface Library {
  /** Opens the first frame only, for its head: all frames together may be higher than the library can count. */
  head(bytes: Buffer): Sharp;
  whole(bytes: Buffer): Sharp;
}

let loading: Promise<Library> | undefined;

/** Loads the library at the first picture: 13 MB that most processes never need. One thread, no cache. */
async function load(): Promise<Library> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
  sharp.concurrency(1);
  sharp.cache(false);
  return {
    head: (bytes) => sharp(bytes, { limitInputPixels: false }),
    whole: (bytes) =>
      sharp(bytes, { animated: true, failOn: 'error', limitInputPixels: maxPixels }).timeout({
        seconds: maxSeconds,
      }),
  };
}

function checkSize(width: number, height: number, frames: number, member: string): void {
  if (width > maxSide || height > maxSide)
    throw refused(`${member}: ${width}x${height} pixels; a side may have at most ${maxSide}`);
  if (width * height * frames > maxPixels) {
    const all = frames === 1 ? `${width}x${height} pixels` : `${frames} frames of ${width}x${height} pixels`;
    throw refused(`${member}: ${all}; all together may be at most ${maxPixels}`);
  }
}

/** Names of the chunks of a PNG with text or EXIF. */
const partsOfWords = ['tEXt', 'zTXt', 'iTXt', 'eXIf'];

/** Whether the file contains more than the picture. */
function tellsMore(bytes: Buffer, metadata: Metadata): boolean {
  const { exif, xmp, iptc, tifftagPhotoshop, orientation = 1 } = metadata;
  if (exif || xmp || iptc || tifftagPhotoshop || orientation > 1) return true;
  // A name that occurs in the pixels by chance is harmless: writing a PNG again loses nothing.
  return metadata.format === 'png' && partsOfWords.some((name) => bytes.includes(name));
}

async function writtenAnew(
  whole: Sharp,
  type: PictureType,
  { pages = 1 }: Metadata,
  member: string,
): Promise<PictureFile> {
  const picture = pages > 1 ? whole : whole.autoOrient();
  const { data, info } = await encoders[type](picture.keepIccProfile()).toBuffer({ resolveWithObject: true });
  if (data.length > maxPictureBytes)
    throw refused(`${member}: larger than ${maxPictureBytes} bytes once written without its metadata`);
  return { content: data, type, width: info.width, height: info.pageHeight ?? info.height };
}

/** PNG is lossless; the others have no visible loss. */
const encoders: Readonly<Record<PictureType, (picture: Sharp) => Sharp>> = {
  png: (picture) => picture.png({ compressionLevel: 9 }),
  jpg: (picture) => picture.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  gif: (picture) => picture.gif(),
  webp: (picture) => picture.webp({ quality: 92 }),
};

/** The library throws plain errors, unlike a refusal. */
const isOfLibrary = (error: unknown): error is Error => (error as Error).constructor === Error;

function notTaken(bytes: Buffer, member: string, error?: Error) {
  if (/<svg[\s>]/i.test(bytes.toString('latin1', 0, 4096))) return refused(`${member}: ${noSvg}`);
  const isUnknown = error === undefined || /unsupported image format|is empty/.test(error.message);
  if (isUnknown) return refused(`${member}: is not a PNG, JPEG, GIF or WebP picture`);
  return refused(`${member}: the picture is incomplete or damaged; upload it again`);
}
