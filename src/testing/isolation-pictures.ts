import type { Probe } from './isolation-matrix.ts';
import { onePixel } from './make-picture.ts';

const body = { name: 'Own', fileName: 'own.png', base64Content: onePixel.toString('base64') };

const ofPicture: Probe = {
  ids: { 'params.idPicture': 'picture' },
  own: ({ picture }) => ({ params: { idPicture: picture } }),
};

/** Those of `isolation-matrix.ts` that concern pictures. */
export const pictureProbes: Readonly<Record<string, readonly Probe[]>> = {
  renamePicture: [
    {
      ids: { 'params.idPicture': 'picture' },
      own: ({ picture }) => ({ params: { idPicture: picture }, body: 'Own' }),
    },
  ],
  listPictures: [
    {
      ids: { 'query.filter.location': 'directory' },
      own: ({ directory }) => ({
        query: { 'filter.location': directory, 'filter.sortBy': 'Id', 'filter.order': 'ASC' },
      }),
    },
  ],
  archivePicture: [ofPicture],
  unarchivePicture: [ofPicture],
  deletePicture: [ofPicture],
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
