import { checkDirectory } from '../contents/directory-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Caller } from '../platform/http/operation.ts';
import { invalid, tooLarge } from '../platform/http/refusal.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import {
  checkEnding,
  checkFileName,
  maxPictureBytes,
  type NewPicture,
  type Picture,
  showPicture,
} from './picture.ts';
import { pictureUrl } from './picture-address.ts';
import { readPictureFile } from './picture-file.ts';
import { insertPicture } from './picture-store.ts';

export interface Uploading {
  readonly app: App;
  readonly db: SiteDb;
  readonly caller: Caller;
  readonly now: Date;
}

/** Checks an uploaded picture in full, then stores it at once. @throws 400, 404, 413, 422 with the property */
export async function takePicture({ app, db, caller, now }: Uploading, input: NewPicture): Promise<Picture> {
  const name = visibleName(input.name);
  checkFileName(input.fileName);
  const idDirectory = input.idDirectory ?? null;
  await checkDirectory(db, 'picture', 'idDirectory', idDirectory);
  const file = await readPictureFile(decodeBase64(input.base64Content), 'base64Content');
  checkEnding(input.fileName, file.type);
  const author = { id: caller.idUser, name: caller.userName };
  const values = { name, fileName: input.fileName, idDirectory, author, at: now };
  const stored = await db.transaction(async (tx) => {
    // Again, because it may have been deleted while the picture was read.
    await checkDirectory(tx, 'picture', 'idDirectory', idDirectory);
    return insertPicture(tx, file, values, app.config.pictureQuotaBytes);
  });
  return showPicture(stored, pictureUrl(app.publicUrl, { idSite: db.site.id, ...stored }));
}

/** Decodes base64, after checking its size. @throws 400, 413 */
function decodeBase64(text: string): Buffer {
  if (text === '') throw invalid('base64Content: must not be empty');
  if (text.length > Math.ceil(maxPictureBytes / 3) * 4)
    throw tooLarge(`base64Content: a picture may have at most ${maxPictureBytes} bytes`);
  // Node decodes anything; invalid base64 would be stored as another file than was meant.
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw invalid(
      'base64Content: must be base64 (RFC 4648) of the file alone, padded, without spaces or line ends',
    );
  return Buffer.from(text, 'base64');
}
