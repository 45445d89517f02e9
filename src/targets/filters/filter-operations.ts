import type { TSchema } from 'typebox';
import { type Operation, siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Id, Maybe, Query } from '../../platform/http/schema.ts';
import { removeFilter, setFilter } from '../filter-store.ts';
import { readFilterSite } from '../target-set.ts';
import { getTargetOrRefuse, touchTarget } from '../target-store.ts';
import type { FilterKind } from './filter-kind.ts';
import { filterKinds } from './filter-kinds.ts';

/** `emailPressure` as `EmailPressure`. */
const capital = (kind: string) => `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
/** `emailPressure` as `email-pressure`. */
const dashed = (kind: string) => kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const spaced = (kind: string) => dashed(kind).replaceAll('-', ' ');

/** The two operations of every kind of filter. */
export const filterOperations: readonly Operation[] = filterKinds.flatMap((kind) => [
  getFilterOperation(kind),
  setFilterOperation(kind),
]);

function schemaOf(kind: FilterKind) {
  const members: Record<string, TSchema> = {
    idTarget: Id('The target that holds the filter'),
    [kind.enabledMember]: Maybe(Bool('false keeps the filter without using it')),
    ...kind.members,
  };
  return Closed(kind.title, members);
}

function getFilterOperation(kind: FilterKind): Operation {
  return siteOperation({
    id: `get${capital(kind.kind)}Filter`,
    method: 'GET',
    path: `/targets/{idTarget}/filters/${dashed(kind.kind)}`,
    right: 'read',
    tag: 'Target filters',
    summary: `Get the ${spaced(kind.kind)} filter of a target`,
    params: Query({ idTarget: Id() }),
    reply: schemaOf(kind),
    async handle({ db, params: { idTarget } }) {
      const { filters } = await getTargetOrRefuse(db, idTarget);
      const held = filters.find((filter) => filter.kind === kind.kind);
      const isEnabled = held?.isEnabled ?? false;
      return { idTarget, [kind.enabledMember]: isEnabled, ...(held?.definition ?? kind.absent) };
    },
  });
}

function setFilterOperation(kind: FilterKind): Operation {
  return siteOperation({
    id: `set${capital(kind.kind)}Filter`,
    method: 'PUT',
    path: `/targets/filters/${dashed(kind.kind)}`,
    right: 'write',
    tag: 'Target filters',
    summary: `Set the ${spaced(kind.kind)} filter of a target`,
    description:
      `Replaces the one that the target has. It is enabled unless \`${kind.enabledMember}\` is false; one without ` +
      'any condition takes the filter away.',
    body: schemaOf(kind),
    example: { idTarget: 1, [kind.enabledMember]: true, ...kind.example },
    reply: Bool(),
    async handle({ db, body, now }) {
      // The schema is made from the kind's members, so what is left after these two is what the kind parses.
      const { idTarget, [kind.enabledMember]: enabled, ...given } = body as Record<string, unknown>;
      const id = idTarget as number;
      return db.transaction(async (tx) => {
        await touchTarget(tx, id, now);
        const definition = kind.parse(given, await readFilterSite(tx, now));
        const filter = { idTarget: id, kind: kind.kind, isEnabled: enabled !== false };
        if (definition) await setFilter(tx, { ...filter, definition });
        else await removeFilter(tx, id, kind.kind);
        return true;
      });
    },
  });
}
