import type { LaterWords } from '../words.tsx';
import { campaignList } from './campaign-list.ts';
import { campaignParts } from './campaign-parts.ts';
import { composer } from './composer.ts';
import { exports } from './exports.ts';
import { fields } from './fields.ts';
import { imports } from './imports.ts';
import { mailbox } from './mailbox.ts';
import { rights } from './rights.ts';
import { subscribers } from './subscribers.ts';
import { targets } from './targets.ts';

/** The French texts of all other screens, by area. */
export const words: LaterWords = {
  campaignList,
  campaignParts,
  composer,
  exports,
  fields,
  imports,
  mailbox,
  rights,
  subscribers,
  targets,
};
