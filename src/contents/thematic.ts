import {
  Bool,
  Closed,
  Id,
  IdOf,
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

/** A subject of contents, links and advertisements; targets select people who acted on it. */
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
  idParentThematic: Reference('thematic', 'The parent thematic'),
  description: Maybe(Text(4000)),
  isEnabled: Maybe(Bool()),
};

export const NewThematic = Closed('NewThematic', {
  idThematic: Maybe(
    IdOf('thematic', Type.Integer({ minimum: 0, description: 'Ignored: the service gives the id' })),
  ),
  name,
  ...members,
});

/** Omitted properties keep their values; a parent of 0 or null moves it to the top; other nulls change nothing. */
export const ThematicChange = Closed('ThematicChange', {
  idThematic: Id('thematic'),
  name: Maybe(name),
  ...members,
});
export type ThematicChange = Static<typeof ThematicChange>;

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
