import sharp from 'sharp';
import type { PictureType } from '../pictures/picture.ts';

/** A picture of noise, so that it does not pack. */
export async function noisePicture(width: number, height: number, type: PictureType): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const background = { r: 0, g: 0, b: 0 };
  return sharp({ create: { width, height, channels: 3, background, noise } })
    .toFormat(type === 'jpg' ? 'jpeg' : type)
    .toBuffer();
}
