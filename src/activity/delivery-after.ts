import { type DeliveryState, deliveryState } from '../subscribers/subscription.ts';
import { type BounceClass, bounceClasses } from './bounce.ts';

/** What a class says about the address from now on (field 44); the other classes say nothing lasting. */
export const deliveryAfter: Readonly<Partial<Record<BounceClass, DeliveryState>>> = {
  [bounceClasses.hard]: deliveryState.hardBounced,
  [bounceClasses.soft]: deliveryState.softBouncing,
  [bounceClasses.complaint]: deliveryState.complained,
};
