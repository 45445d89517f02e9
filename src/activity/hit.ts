import type { HitClass } from './hit-class.ts';

/** The kinds of hits, by a reader or by a machine. The numbers are stored in `hit.kind`. */
export const hitKinds = {
  /** The pixel was fetched. */
  open: 1,
  /** A link of the campaign or of its configuration was followed. */
  editorial: 2,
  /** The mirror page was shown, or a link marked as mirror followed. */
  mirror: 3,
  /** The unsubscribe page was shown, or a link marked as such followed. */
  unsubscription: 4,
  /** A link of an advertisement was followed. */
  advertisement: 5,
} as const;
export type HitKind = (typeof hitKinds)[keyof typeof hitKinds];

/** A request to a tracked address. */
export interface Hit {
  readonly at: Date;
  readonly kind: HitKind;
  readonly class: HitClass;
  /** The version of the rules that gave the class, so that older hits can be judged again. */
  readonly rulesVersion: number;
  readonly isMobile: boolean;
  readonly idSent: number;
  readonly idSubscriber: number;
  /** The tracked link of a click. */
  readonly idLink: number | null;
  /** Whether it came through a forwarded message: a viral click, whatever the link. */
  readonly isViral: boolean;
  readonly userAgent: string;
  /** IP address of the peer. */
  readonly address: string | null;
}
