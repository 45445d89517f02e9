import Bowser from 'bowser';
import { isbot } from 'isbot';

/** The causes of a hit. The numbers are stored in `hit.class`. */
export const hitClasses = {
  human: 1,
  /** Apple's mail privacy protection fetched the picture, whether or not the message was read. */
  mpp: 2,
  /** A mailbox's picture proxy fetched it when a person opened the message: a human open, of unknown device. */
  imageProxy: 3,
  /** A security scanner, a link checker, a crawler or a script. */
  scanner: 4,
  /** A click on one of several links of a message that were followed at once, or an open beside it (hit-burst.ts). */
  burst: 5,
} as const;
export type HitClass = (typeof hitClasses)[keyof typeof hitClasses];

/** Classes that human figures omit. */
export const machineClasses: readonly HitClass[] = [hitClasses.mpp, hitClasses.scanner, hitClasses.burst];

const imageProxy = /GoogleImageProxy|YahooMailProxy/;
/** Mail applications of mobile phones, which name no platform that the rule set knows. */
const mobileApplication = /Outlook-(iOS|Android)/i;

type Rules = (method: string, userAgent: string) => HitClass;

/** The first rule that fits decides. isbot alone would class the picture proxies as robots. */
const firstRules: Rules = (method, userAgent) => {
  if (method === 'HEAD') return hitClasses.scanner;
  if (userAgent.trim() === '') return hitClasses.scanner;
  if (userAgent === 'Mozilla/5.0') return hitClasses.mpp;
  if (imageProxy.test(userAgent)) return hitClasses.imageProxy;
  return isbot(userAgent) ? hitClasses.scanner : hitClasses.human;
};

/** All rules that ever judged hits, oldest first. New ones are added at the end; none is changed. */
const allRules: readonly Rules[] = [firstRules];

/** The number of the current rules, stored with each hit. */
export const hitRulesVersion = allRules.length;

/** The class of a hit by the current rules, which look at it alone. */
export function classifyHit(method: string, userAgent: string): HitClass {
  return allRules.at(-1)!(method, userAgent);
}

/** The stored part of a judgement. */
export interface Judgement {
  readonly class: HitClass;
  readonly rulesVersion: number;
  readonly userAgent: string;
}

/**
 * The class that the current rules give to a stored hit. Its method is not stored, but the rules that judged it are
 * known: a hit that they classed as a scanner, though not by its agent, was a HEAD request. A judgement of newer rules
 * is kept. A hit of a burst is judged by its agent again; whether it still is in a burst depends on the other hits
 * (hit-burst.ts).
 */
export function judgeAgain(judged: Judgement, rules = allRules): HitClass {
  const then = rules[judged.rulesVersion - 1];
  if (!then) return judged.class;
  const isHead = judged.class === hitClasses.scanner && then('GET', judged.userAgent) !== hitClasses.scanner;
  return rules.at(-1)!(isHead ? 'HEAD' : 'GET', judged.userAgent);
}

/**
 * Whether the user agent is a mobile phone or a tablet, by the rules of the library bowser. Everything else is a
 * desktop: the API has only these two, so their clicks add up to all clicks.
 */
export function isMobileAgent(userAgent: string): boolean {
  // The library throws on an empty agent.
  if (userAgent === '') return false;
  if (mobileApplication.test(userAgent)) return true;
  const platform = Bowser.getParser(userAgent).getPlatformType(true);
  return platform === 'mobile' || platform === 'tablet';
}
