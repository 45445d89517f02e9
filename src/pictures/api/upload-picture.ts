import { siteOperation } from '../../platform/http/operation.ts';
import { NewPicture, Picture, pictureBodyMegabytes, uploadsAtOnce } from '../picture.ts';
import { takePicture } from '../picture-upload.ts';

export const uploadPicture = siteOperation({
  id: 'uploadPicture',
  method: 'POST',
  path: '/pictures',
  right: 'write',
  tag: 'Pictures',
  summary: 'Upload a picture',
  description:
    'PNG, JPEG, GIF or WebP, animated or not, of at most 10 MB and 40 million pixels. The bytes decide the type, ' +
    'and the extension of fileName must match it. SVG is rejected. Metadata about camera, place and author are ' +
    'removed. Returns the public url.',
  body: NewPicture,
  bodyMegabytes: pictureBodyMegabytes,
  atOnce: uploadsAtOnce,
  example: {
    name: 'Dot',
    fileName: 'dot.png',
    base64Content:
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
  reply: Picture,
  refusals: [404, 413, 422],
  handle: (input) => takePicture(input, input.body),
});
