import { bounceClasses } from '../activity/bounce.ts';

/** Names of the classes, as the fixtures use them; `none` is no bounce. */
export const classNames = {
  hard: bounceClasses.hard,
  soft: bounceClasses.soft,
  'auto-reply': bounceClasses.autoReply,
  dns: bounceClasses.dns,
  spam: bounceClasses.spam,
  complaint: bounceClasses.complaint,
  none: null,
} as const;
export type ClassName = keyof typeof classNames;
