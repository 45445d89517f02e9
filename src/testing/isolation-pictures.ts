import type { Probe } from './isolation-matrix.ts';
import { onePixel } from './make-picture.ts';

const body = { name: 'Own', fileName: 'own.png', base64Content: onePixel.toString('base64') };

/** Those of `isolation-matrix.ts` that concern pictures. */
export const pictureProbes: Readonly<Record<string, readonly Probe[]>> = {
  renamePicture: [
    {
      ids: { 'params.idPicture': 'picture' },
      own: ({ picture }) => ({ params: { idPicture: picture }, body: 'Own' }),
    },
  ],
  setPictureFavourite: [
    {
      ids: { 'params.idPicture': 'picture' },
      own: ({ picture }) => ({ params: { idPicture: picture }, body: true }),
    },
  ],
  uploadPicture: [{ ids: { 'body.idDirectory': 'directory' }, own: () => ({ body }) }],
  addPictureFromHtmlBuilder: [
    {
      ids: { 'query.idCampaign': 'campaign', 'body.idDirectory': 'directory' },
      own: ({ campaign }) => ({ query: { idCampaign: campaign }, body }),
    },
  ],
};
