import { fileNameFault } from '../files/file-name.ts';
import { invalid, refused } from '../platform/http/refusal.ts';
import { Closed, Instant, Int32, Line, Reference, type Static, Type } from '../platform/http/schema.ts';

/** Maximum size of a picture; mail programs reject far smaller ones. */
export const maxPictureBytes = 10 * 1024 ** 2;
/** Mebibytes of a request with one in base64, which takes four characters for three bytes. */
export const pictureBodyMegabytes = 14;
/** Uploads that are read concurrently: each holds its picture about five times. */
export const uploadsAtOnce = 4;

/** The types of pictures, by the extension of the public address. */
export type PictureType = 'png' | 'jpg' | 'gif' | 'webp';

/** The names of each type: in HTTP, and as file extensions. */
export const pictureTypes: Readonly<Record<PictureType, { media: string; endings: readonly string[] }>> = {
  png: { media: 'image/png', endings: ['png'] },
  jpg: { media: 'image/jpeg', endings: ['jpg', 'jpeg', 'jpe'] },
  gif: { media: 'image/gif', endings: ['gif'] },
  webp: { media: 'image/webp', endings: ['webp'] },
};

export const NewPicture = Closed('NewPicture', {
  name: Line(255, 'The name for users. Default: the file name without its extension'),
  fileName: Line(255, 'With its extension: .png, .jpg, .jpeg, .gif or .webp'),
  base64Content: Type.String({
    title: 'String',
    description: 'The file in base64 (RFC 4648, without line ends): PNG, JPEG, GIF or WebP of at most 10 MB',
  }),
  idDirectory: Reference('directory', 'A directory of type Image'),
});
export type NewPicture = Static<typeof NewPicture>;

export const Picture = Closed('Picture', {
  idPicture: Int32(),
  name: Type.String(),
  author: Type.String(),
  creationDate: Instant(),
  lastUpdateDate: Instant(),
  fileSize: Int32('Bytes'),
  pictureDim: Type.String({ description: 'Width and height in pixels: 600x400' }),
  fileName: Type.String(),
  filePath: Type.String({ description: 'The names of its directories and of the file, separated by /' }),
  url: Type.String({ description: 'The public address of the picture' }),
});
export type Picture = Static<typeof Picture>;

export interface PictureFile {
  readonly content: Buffer;
  readonly type: PictureType;
  /** Pixels of one frame. */
  readonly width: number;
  readonly height: number;
}

/** A picture with the parts of its public address. */
export interface StoredPicture extends Omit<Picture, 'url'> {
  readonly key: string;
  readonly type: PictureType;
}

/** The picture as the API shows it. @param url its public address */
export const showPicture = ({ key: _, type: __, ...shown }: StoredPicture, url: string): Picture => ({
  ...shown,
  url,
});

/** Letters and digits of every script, and common punctuation without a meaning in paths. */
const plainName = /^[\p{L}\p{M}\p{N} ._()+,'&@!=-]+$/u;

/** Checks the name of an upload, under which others save it. @throws 400 if it could be a path, 422 for its type */
export function checkFileName(fileName: string): void {
  const fault = fileNameFault(fileName) ?? plainFault(fileName);
  if (fault) throw invalid(`fileName: ${fault}`);
  const ending = endingOf(fileName);
  if (ending === 'svg' || ending === 'svgz') throw refused(`fileName: ${noSvg}`);
  if (typeOfEnding(ending) === undefined)
    throw refused('fileName: must end with .png, .jpg, .jpeg, .gif or .webp');
}

/** The refusal of SVG, which many people try first. */
export const noSvg =
  'SVG pictures are not accepted: they can contain scripts, and mail programs do not show them; use PNG';

function plainFault(fileName: string): string | undefined {
  if (!plainName.test(fileName)) return "may contain only letters, digits, spaces and ._-()+,'&@!=";
  if (/^\.|\.\.|[. ]$/.test(fileName))
    return 'must not begin or end with a dot, end with a space, or contain two dots';
  return undefined;
}

/** The extension of a file name in lower case, without the dot; '' if there is none. */
function endingOf(fileName: string): string {
  return fileName.includes('.') ? fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase() : '';
}

function typeOfEnding(ending: string): PictureType | undefined {
  const types = Object.keys(pictureTypes) as PictureType[];
  return types.find((type) => pictureTypes[type].endings.includes(ending));
}

/** Checks that the extension matches the type. @throws 422 */
export function checkEnding(fileName: string, type: PictureType): void {
  if (typeOfEnding(endingOf(fileName)) === type) return;
  const { media } = pictureTypes[type];
  throw refused(`fileName: ${fileName} is a picture of type ${media}; use the extension .${type}`);
}

const maxHostedName = 100;

/** Returns the name of a picture from a URL: its file name, in characters that names may have. */
export function hostedName(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const written = /%[0-9a-f]{2}/i.test(last) ? decoded(last) : last;
  const name = [...written.replace(/\.[a-z]{2,5}$/i, '')]
    .map((character) => (plainName.test(character) && character !== '.' ? character : '-'))
    .slice(0, maxHostedName)
    .join('')
    .trim();
  return name === '' ? 'picture' : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
