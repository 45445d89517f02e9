import type { FirstWords } from '../words.tsx';
import { campaigns } from './campaigns.ts';
import { errors } from './errors.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { shell } from './shell.ts';

/** The French texts that the first screen needs, by area. */
export const words: FirstWords = { campaigns, errors, overview, session, shell };
