import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import type { SiteDb } from '../platform/db/site-db.ts';
import { bodyMegabytes, type Operation, siteOperation } from '../platform/http/operation.ts';
import { Bool, Closed, Id, Maybe, Params } from '../platform/http/schema.ts';
import { parseFilter, readFilterSite, readSiteForUse } from './filter-site.ts';
import { enableFilter, findFilter, removeFilter } from './filter-store.ts';
import type { FilterKind, FilterSite, TargetFilter } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { keepFiles, storeFilter } from './given-filters.ts';
import { withFilterFiles } from './selection.ts';
import { getTargetOrRefuse, touchTarget, versionOfTarget } from './target-store.ts';

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
  const enabled = Bool('false stores the filter without using it');
  const members: Record<string, TSchema> = {
    idTarget: Id('target', 'The target of the filter'),
    [kind.enabledMember]: kind.isEnabledRequired ? enabled : Maybe(enabled),
    ...kind.members,
  };
  return Closed(kind.title, members);
}

/** The shortest body that removes a filter: what the API document requires of the kind, and no condition. */
function emptyBody(kind: FilterKind): Readonly<Record<string, unknown>> {
  const none: Readonly<Record<string, unknown>> = {
    idTarget: 1,
    [kind.enabledMember]: false,
    ...kind.absent,
  };
  return Object.fromEntries((schemaOf(kind).required ?? []).map((member) => [member, none[member]]));
}

function getFilterOperation(kind: FilterKind): Operation {
  return siteOperation({
    id: `get${capital(kind.kind)}Filter`,
    method: 'GET',
    path: `/targets/{idTarget}/filters/${dashed(kind.kind)}`,
    right: 'read',
    tag: 'Target filters',
    summary: `Get the ${spaced(kind.kind)} filter of a target`,
    params: Params({ idTarget: Id('target') }),
    versionOf: (db, { params }, isLocked) => versionOfTarget(db, params.idTarget, isLocked),
    reply: schemaOf(kind),
    async handle({ app, db, params: { idTarget }, now }) {
      await getTargetOrRefuse(db, idTarget);
      const held = await findFilter(db, idTarget, kind.kind);
      if (!held) return { idTarget, [kind.enabledMember]: false, ...kind.absent };
      const members = membersOf(kind, held, await readFilterSite(app, db, now, [held]));
      return { idTarget, [kind.enabledMember]: held.isEnabled, ...members };
    },
  });
}

/** The properties of a filter in a reply, without its target and its enabled flag. */
function membersOf(kind: FilterKind, { definition }: TargetFilter, site: FilterSite) {
  const shown: Readonly<Record<string, unknown>> = { ...definition, ...kind.computed?.(definition, site) };
  // In the order of the API document: jsonb keeps no order.
  return Object.fromEntries(Object.keys(kind.members).map((member) => [member, shown[member]]));
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
      `Replaces the target's filter of this kind and enables it, unless \`${kind.enabledMember}\` is false. A body ` +
      `without any condition removes the filter: \`${JSON.stringify(emptyBody(kind))}\`.`,
    body: schemaOf(kind),
    bodyMegabytes: kind.bodyMegabytes ?? bodyMegabytes,
    example: { idTarget: 1, [kind.enabledMember]: true, ...kind.example },
    versionOf: (db, { body }, isLocked) => versionOfTarget(db, body.idTarget as number, isLocked),
    reply: Bool(),
    refusals: [404, ...(kind.refusals ?? [])],
    async handle({ app, db, body, now }) {
      // The schema is made from the kind's properties, so what is left after these two is what the kind parses.
      const { idTarget, [kind.enabledMember]: enabled, ...given } = body as Record<string, unknown>;
      const id = idTarget as number;
      const set = async (tx: SiteDb) => {
        await touchTarget(tx, id, now);
        const isEnabled = enabled !== false;
        const held = await findFilter(tx, id, kind.kind);
        const known = held && membersOf(kind, held, await readFilterSite(app, tx, now, [held]));
        // As it was read, and not enabled by this call. It is not parsed again: a filter that lost its meaning (its
        // campaign is too old, its file was deleted) can still be disabled.
        if ((held?.isEnabled || !isEnabled) && isDeepStrictEqual(known, given)) {
          await enableFilter(tx, id, kind.kind, isEnabled);
          return true;
        }
        const filters = [{ kind: kind.kind, definition: given }];
        await keepFiles(tx, filters);
        const site = await readSiteForUse(app, tx, now, filters);
        const definition = await parseFilter(app, tx, kind, given, site);
        if (definition) await storeFilter(tx, { idTarget: id, kind: kind.kind, isEnabled, definition });
        else await removeFilter(tx, id, kind.kind);
        return true;
      };
      return withFilterFiles(app, db, set);
    },
  });
}
