import { Bool, Closed, Id, Line, type Static, Timestamp, Type } from '../platform/http/schema.ts';

/** A person: the document's idUser and author. */
export const UserSchema = Closed('User', {
  id: Id(),
  name: Line(255),
  email: Line(254),
  hasPassword: Type.Boolean(),
  isDisabled: Bool('His tokens are refused'),
  creationDate: Timestamp(),
});
export type User = Static<typeof UserSchema>;

/** The document's author. */
export const UserName = () => Type.String({ ...Line(255), minLength: 1 });

/** Of the web console. */
export const PasswordOfUser = () => Type.String({ title: 'String', minLength: 12, maxLength: 200 });

/** Enough of an address to write a notice to: one @, a domain with a dot or `localhost`, no spaces or brackets. */
export const EmailOfUser = () =>
  Type.String({
    title: 'String',
    minLength: 3,
    maxLength: 254,
    examples: ['ada@example.com'],
    description: 'an email address, without a name or brackets',
    pattern: '^[^\\s<>",;@\\x00-\\x1f\\x7f]+@[^\\s<>",;@\\x00-\\x1f\\x7f]+$',
  });
