import type { Operation } from '../platform/http/operation.ts';
import { archivePicture } from './api/archive-picture.ts';
import { listPictures } from './api/list-pictures.ts';
import { renamePicture } from './api/rename-picture.ts';
import { setPictureFavourite } from './api/set-picture-favourite.ts';
import { unarchivePicture } from './api/unarchive-picture.ts';
import { uploadPicture } from './api/upload-picture.ts';

export const picturesOperations: readonly Operation[] = [
  renamePicture,
  listPictures,
  uploadPicture,
  setPictureFavourite,
  archivePicture,
  unarchivePicture,
];
