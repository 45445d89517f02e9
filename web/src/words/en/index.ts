import { campaignParts } from './campaign-parts.ts';
import { campaigns } from './campaigns.ts';
import { composer } from './composer.ts';
import { errors } from './errors.ts';
import { exports } from './exports.ts';
import { fields } from './fields.ts';
import { imports } from './imports.ts';
import { mailbox } from './mailbox.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';
import { subscribers } from './subscribers.ts';
import { targets } from './targets.ts';

/** All English texts, by area. */
export const words = {
  campaignParts,
  campaigns,
  composer,
  errors,
  exports,
  fields,
  imports,
  mailbox,
  overview,
  session,
  shell,
  subscribers,
  targets,
};
