import { describe } from 'vitest';
import { behavesAsArchivingPictures } from '../../testing/picture-archive-behaviour.ts';

describe('unarchivePicture', () => {
  behavesAsArchivingPictures('unarchive');
});
