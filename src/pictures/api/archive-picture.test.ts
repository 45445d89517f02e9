import { describe } from 'vitest';
import { behavesAsArchivingPictures } from '../../testing/picture-archive-behaviour.ts';

describe('archivePicture', () => {
  behavesAsArchivingPictures('archive');
});
