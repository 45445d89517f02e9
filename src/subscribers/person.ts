import { Closed, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';

/** A subscriber in a list of people. */
export const Person = Closed('Person', {
  idSubscriber: Int32(),
  email: Nullable(Type.String({ description: 'null once the subscriber is deleted' })),
});
export type Person = Static<typeof Person>;
