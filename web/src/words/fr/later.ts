import type { LaterWords } from '../words.tsx';
import { campaignParts } from './campaign-parts.ts';
import { composer } from './composer.ts';
import { exports } from './exports.ts';
import { fields } from './fields.ts';
import { imports } from './imports.ts';
import { mailbox } from './mailbox.ts';
import { subscribers } from './subscribers.ts';
import { targets } from './targets.ts';

/** The French texts of all other screens, by area. */
export const words: LaterWords = {
  campaignParts,
  composer,
  exports,
  fields,
  imports,
  mailbox,
  subscribers,
  targets,
};
