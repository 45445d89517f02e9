import { isbot } from 'isbot';

/** Who caused a hit. Numbers as they are stored in `hit.class`. */
export const hitClasses = {
  human: 1,
  /** Apple's mail privacy protection fetched the picture, whether or not somebody read the message. */
  mpp: 2,
  /** A mailbox's picture proxy fetched it because somebody opened the message: a human open, of unknown device. */
  imageProxy: 3,
  /** A security scanner, a link checker, a crawler or a script. */
  scanner: 4,
} as const;
export type HitClass = (typeof hitClasses)[keyof typeof hitClasses];

/** Classes that human figures leave out. */
export const machineClasses: readonly HitClass[] = [hitClasses.mpp, hitClasses.scanner];

/** Stored with each hit; goes up with every change of the rules below. */
export const hitRulesVersion = 1;

const imageProxy = /GoogleImageProxy|YahooMailProxy/;
const mobile = /Mobile|Android|iPhone|iPad|iPod|Outlook-iOS/i;

/** The class of a hit; the first rule that fits decides. isbot alone would also take the picture proxies for robots. */
export function classifyHit(method: string, userAgent: string): HitClass {
  if (method === 'HEAD') return hitClasses.scanner;
  if (userAgent.trim() === '') return hitClasses.scanner;
  if (userAgent === 'Mozilla/5.0') return hitClasses.mpp;
  if (imageProxy.test(userAgent)) return hitClasses.imageProxy;
  return isbot(userAgent) ? hitClasses.scanner : hitClasses.human;
}

/** Is it a telephone or a tablet? Everything else is a desktop: the document knows these two. */
export function isMobileAgent(userAgent: string): boolean {
  return mobile.test(userAgent);
}
