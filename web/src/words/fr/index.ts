import { later } from '../later.ts';
import type { Words } from '../words.tsx';
import { campaignParts } from './campaign-parts.ts';
import { campaigns } from './campaigns.ts';
import { composer } from './composer.ts';
import { errors } from './errors.ts';
import { exports } from './exports.ts';
import { fields } from './fields.ts';
import { mailbox } from './mailbox.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { subscribers } from './subscribers.ts';

const imports = later(async () => (await import('./imports.ts')).imports);
const targets = later(async () => (await import('./targets.ts')).targets);

/** All French texts, by area. */
export const words: Words = {
  campaignParts,
  campaigns,
  composer,
  errors,
  exports,
  fields,
  get imports() {
    return imports();
  },
  mailbox,
  overview,
  session,
  shell,
  subscribers,
  get targets() {
    return targets();
  },
};
