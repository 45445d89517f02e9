import { insertPicture, type PictureValues } from '../pictures/picture-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

/** A PNG of one pixel. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Stores a picture of one pixel, by default Ada's; returns its id. */
export async function makePicture(db: SiteDb, values: Partial<PictureValues> = {}): Promise<number> {
  const file = { content: onePixel, type: 'png', width: 1, height: 1 } as const;
  const usual: PictureValues = {
    name: 'Pixel',
    fileName: 'pixel.png',
    idDirectory: null,
    author: { id: 1, name: 'Ada' },
    at: new Date('2026-11-19T09:00:00Z'),
  };
  const { idPicture } = await db.transaction((tx) => insertPicture(tx, file, { ...usual, ...values }, 0));
  return idPicture;
}
