import { escapeUTF8 } from 'entities';
import type { Language } from '../../fields/period.ts';
import { conflict, invalid, notFound } from '../../platform/http/refusal.ts';

/** Maximum number of records that one filter names: each may cost its query another pass. */
export const maxNamed = 100;

const maxId = 2_147_483_647;

/** The readable ids in a list `1;2;3`, before the list is checked. */
export function idsIn(list: string | null | undefined): number[] {
  return (list ?? '').split(';').flatMap((part) => readId(part) ?? []);
}

function readId(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
  return id >= 1 && id <= maxId ? id : undefined;
}

/** The distinct ids of a list. @throws 400 naming the property and the rule. */
export function parseIds(list: string, member: string): number[] {
  const ids = list.split(';').map((part) => {
    const id = readId(part);
    if (id !== undefined) return id;
    throw invalid(`${member}: '${part.slice(0, 50)}' is not an id; write ids separated by ';'`);
  });
  return distinctIds(ids, member);
}

/** @throws 400 for more ids than a filter may name. */
export function distinctIds(ids: readonly number[], member: string): number[] {
  const distinct = [...new Set(ids)];
  if (distinct.length > maxNamed) throw invalid(`${member}: accepts at most ${maxNamed} ids`);
  return distinct;
}

/** @throws 404 naming the first id that the site does not have. */
export function mustHave(
  known: ReadonlyMap<number, unknown>,
  ids: readonly number[],
  thing: string,
  member: string,
): void {
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound(`${thing} ${unknown}`, member);
}

/** A record that a stored filter names. @throws 409 if the site no longer has it. */
export function heldOf<T>(known: ReadonlyMap<number, T>, id: number, thing: string, filter: string): T {
  const found = known.get(id);
  if (found === undefined)
    throw conflict(
      `The ${filter} filter uses ${thing} ${id}, which no longer exists; remove it from the filter`,
    );
  return found;
}

/**
 * The first of the properties with a value other than 0, false and '', which programs send for properties they do not
 * use.
 */
export function firstSaid<T extends object>(
  given: T,
  members: readonly (keyof T & string)[],
): string | undefined {
  return members.find((member) => given[member]);
}

/**
 * Refuses values in properties that the chosen type does not use: a caller would take them for conditions.
 * @throws 400 naming the property.
 */
export function mustBeEmpty<T extends object>(
  given: T,
  members: readonly (keyof T & string)[],
  why: string,
): void {
  const said = firstSaid(given, members);
  if (said !== undefined) throw invalid(`${said}: must be omitted or empty, ${why}`);
}

const nameWords = {
  fr: { unknown: 'introuvable', total: 'en tout' },
  en: { unknown: 'not found', total: 'in total' },
} as const;

/** Names in bold with their ids, for a sentence; a long list is cut. */
export function namesInWords(
  ids: readonly number[],
  nameOf: (id: number) => string | undefined,
  language: Language,
): string {
  const { unknown, total } = nameWords[language];
  const shown = ids.slice(0, 20).map((id) => {
    const name = nameOf(id);
    return name === undefined ? `${id} (${unknown})` : `<b>${escapeUTF8(name)}</b> (${id})`;
  });
  return ids.length > shown.length ? `${shown.join(', ')}, … (${ids.length} ${total})` : shown.join(', ');
}
