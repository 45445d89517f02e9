import { NewPicture, Picture, pictureBodyMegabytes, uploadsAtOnce } from '../../pictures/picture.ts';
import { takePicture } from '../../pictures/picture-upload.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';

export const addPictureFromHtmlBuilder = siteOperation({
  id: 'addPictureFromHtmlBuilder',
  method: 'POST',
  path: '/pictures/html-builder',
  right: 'write',
  tag: 'Pictures',
  summary: 'Add a picture from the HTML builder',
  description:
    'As uploadPicture, for an editor of campaigns: without an idDirectory (omitted, null or 0) the picture goes ' +
    'into the autoHostPicturesIdDirectory of the campaign, if it has one.',
  query: Query({ idCampaign: Id('campaign', 'The campaign that is written') }),
  body: NewPicture,
  bodyMegabytes: pictureBodyMegabytes,
  atOnce: uploadsAtOnce,
  reply: Picture,
  refusals: [404, 413, 422],
  async handle(input) {
    const { db, query, body } = input;
    const { autoHostPicturesIdDirectory } = await getCampaign(db, query.idCampaign);
    return takePicture(input, { ...body, idDirectory: body.idDirectory ?? autoHostPicturesIdDirectory });
  },
});
