import { Closed, Count, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';

/** A subscriber in a list of people. */
export const Person = Closed('Person', {
  idSubscriber: Int32(),
  email: Nullable(Type.String({ description: 'null once the subscriber is deleted' })),
});
export type Person = Static<typeof Person>;

/** Lines of a page of people for who does not say how many. */
export const usualPeople = 100;

/** The text that a search finds. */
export const SearchText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 254,
    pattern: '^[^\\x00]*$',
    description,
    examples: ['ada@'],
  });

/** The page of a list of people by id. */
export const PageOfPeople = {
  search: Type.Optional(
    SearchText('Only people who have this text, as searchSubscribers finds it. Default: everybody'),
  ),
  after: Type.Optional(Count('Only ids above this one. Default: 0')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: `Maximum number of lines. Default: ${usualPeople}`,
    }),
  ),
};
