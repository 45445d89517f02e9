import { type DeliveryState, deliveryState } from '../subscribers/subscription.ts';
import { type BounceClass, bounceClasses } from './bounce.ts';

/** The value of field 44 that a class of bounce sets; the other classes set no value. */
export const deliveryAfter: Readonly<Partial<Record<BounceClass, DeliveryState>>> = {
  [bounceClasses.hard]: deliveryState.hardBounced,
  [bounceClasses.soft]: deliveryState.softBouncing,
  [bounceClasses.complaint]: deliveryState.complained,
};
