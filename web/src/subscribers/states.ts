/** States by which the list of subscribers can be limited. */
export const states = ['eligible', 'unsubscribed', 'unreachable'] as const;
export type SubscriberState = (typeof states)[number];
