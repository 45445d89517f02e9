import {
  Bool,
  Closed,
  Id,
  Int32,
  Line,
  Maybe,
  Nullable,
  Reference,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { visibleName } from '../platform/http/visible-name.ts';

/** What contents are about: campaigns, links and advertisements have one, and targets ask who acted on it. */
export const Thematic = Closed('Thematic', {
  idThematic: Int32(),
  idParentThematic: Nullable(Int32()),
  name: Type.String(),
  description: Type.String(),
  isEnabled: Bool(),
});
export type Thematic = Static<typeof Thematic>;

const name = Type.String({ ...Line(255), minLength: 1 });

const members = {
  idParentThematic: Reference('The thematic that it stands below'),
  description: Maybe(Text(4000)),
  isEnabled: Maybe(Bool()),
};

export const NewThematic = Closed('NewThematic', {
  idThematic: Maybe(Type.Integer({ minimum: 0, description: 'Ignored: the service gives the id' })),
  name,
  ...members,
});

/** What is omitted stays; no parent (0 or null) makes it a top one, other nulls change nothing. */
export const ThematicChange = Closed('ThematicChange', {
  idThematic: Id(),
  name: Maybe(name),
  ...members,
});
export type ThematicChange = Static<typeof ThematicChange>;

/** The thematic after a change. */
export function changeThematic(before: Thematic, change: ThematicChange): Thematic {
  const { idParentThematic = before.idParentThematic } = change;
  return {
    idThematic: before.idThematic,
    idParentThematic,
    name: visibleName(change.name ?? before.name),
    description: change.description ?? before.description,
    isEnabled: change.isEnabled ?? before.isEnabled,
  };
}
