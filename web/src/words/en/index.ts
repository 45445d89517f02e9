import { campaigns } from './campaigns.ts';
import { errors } from './errors.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';

/** The English texts that the first screen needs, by area. */
export const words = { campaigns, errors, overview, session, shell };
