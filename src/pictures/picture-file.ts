import type { Metadata, Sharp } from 'sharp';
import { refused } from '../platform/http/refusal.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { maxPictureBytes, noSvg, type PictureFile, type PictureType } from './picture.ts';

/** Pixels of a side, and of all frames together. */
const maxSide = 20_000;
const maxPixels = 40_000_000;
/** Seconds that a picture may take to be read or written. */
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
 * What the bytes of a file are, by the bytes alone: size and type are read from its head, then all of it is decoded
 * once, so that nothing is kept that mail programs cannot show. A file with no more in it than the picture stays as
 * it is, byte for byte; one that tells of a camera, a place or a person (EXIF, XMP, IPTC, PNG texts) is written again
 * without, turned as it said.
 * @param member the member that brought it, for the message
 * @throws 422 for what is no picture, or none that is taken; 503
 */
export async function readPictureFile(bytes: Buffer, member: string): Promise<PictureFile> {
  // A failure is not kept: what was short then, such as files that may be open, may be there at the next picture.
  loading ??= load().catch(forget);
  const library = await loading;
  return decoding.run(async () => {
    try {
      const metadata = await library.head(bytes).metadata();
      const { width, height, format, pages = 1 } = metadata;
      const type = typeOfFormat[format];
      if (type === undefined) throw notTaken(bytes, member);
      checkSize(width, height, pages, member);
      await decode(library.whole(bytes));
      if (!tellsMore(bytes, metadata)) return { content: bytes, type, width, height };
      return await writtenAnew(library.whole(bytes), type, metadata, member);
    } catch (error) {
      throw isOfLibrary(error) ? notTaken(bytes, member, error) : error;
    }
  });
}

/** How the library opens the bytes of a file. */
interface Library {
  /** Its first frame, for its head alone: all frames together may be a picture higher than the library can count. */
  head(bytes: Buffer): Sharp;
  whole(bytes: Buffer): Sharp;
}

let loading: Promise<Library> | undefined;

function forget(error: unknown): never {
  loading = undefined;
  throw error;
}

/**
 * Once in a process, at its first picture: 13 MB that most processes never need. Of all that the library can read it
 * takes from then on only what is taken here, with one thread and no cache.
 */
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

/** Reads every pixel, without ever holding them all. @throws Error for a file that is cut or broken */
async function decode(picture: Sharp): Promise<void> {
  await picture.resize(1, 1, { fit: 'fill' }).raw().toBuffer();
}

/** Names of the parts of a PNG that hold text or EXIF. */
const partsOfWords = ['tEXt', 'zTXt', 'iTXt', 'eXIf'];

/** Is there more in the file than the picture? */
function tellsMore(bytes: Buffer, metadata: Metadata): boolean {
  const { exif, xmp, iptc, tifftagPhotoshop, orientation = 1 } = metadata;
  if (exif || xmp || iptc || tifftagPhotoshop || orientation > 1) return true;
  // A name that is in the pixels by chance does no harm: writing a PNG again loses nothing.
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

/** PNG loses nothing; for the others this is as good as eyes can tell. */
const encoders: Readonly<Record<PictureType, (picture: Sharp) => Sharp>> = {
  png: (picture) => picture.png({ compressionLevel: 9 }),
  jpg: (picture) => picture.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  gif: (picture) => picture.gif(),
  webp: (picture) => picture.webp({ quality: 92 }),
};

/** The library throws plain errors; a refusal is one of ours. */
const isOfLibrary = (error: unknown): error is Error => (error as Error).constructor === Error;

function notTaken(bytes: Buffer, member: string, error?: Error) {
  if (/<svg[\s>]/i.test(bytes.toString('latin1', 0, 4096))) return refused(`${member}: ${noSvg}`);
  const isUnknown = error === undefined || /unsupported image format|is empty/.test(error.message);
  if (isUnknown) return refused(`${member}: is no PNG, JPEG, GIF or WebP picture`);
  return refused(`${member}: the picture is cut or broken`);
}
