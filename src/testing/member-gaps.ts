import type { DocumentOperation, UserDocument } from './document.ts';

/** Elements of an array and members of an object that are looked at; more say nothing new. */
const maxElements = 100;
const maxDepth = 8;

/** A line of what a run saw: a member of the request or of the reply that had a value. */
export const memberNote = (operation: string, side: 'in' | 'out', path: string): string =>
  `member ${operation} ${side} ${path}`;

/**
 * The paths of all that has a value, at any depth; arrays add nothing to a path, and `$` is the whole.
 * @param isTelling whether a plain value counts
 */
export function pathsOf(value: unknown, isTelling: (plain: unknown) => boolean): Set<string> {
  const paths = new Set<string>();
  walk(value, '', maxDepth);
  return paths;

  function walk(one: unknown, path: string, depth: number): void {
    if (one === null || one === undefined || depth === 0) return;
    const held = heldBy(one, path);
    if (held ? held.length > 0 : isTelling(one)) paths.add(path || '$');
    for (const [at, each] of held ?? []) walk(each, at, depth - 1);
  }
}

/** Returns the content of an array or an object, each value with its path; undefined for a plain value. */
function heldBy(value: unknown, path: string): (readonly [path: string, held: unknown])[] | undefined {
  if (Array.isArray(value)) return value.slice(0, maxElements).map((one) => [path, one]);
  if (typeof value !== 'object' || value === null || value instanceof Date) return undefined;
  const members = Object.entries(value).slice(0, maxElements);
  return members.map(([name, one]) => [path ? `${path}.${name}` : name, one]);
}

/** Whether a value of a reply counts: a zero, a false or an empty text may be there for convenience. */
export const isTellingReply = (plain: unknown): boolean => plain !== 0 && plain !== false && plain !== '';

/**
 * The document's members that no test has shown, in words, one a line: parameters and members of bodies that nobody
 * gave, and members of replies that never had a value. A member of a record counts wherever the record appears.
 * @param notes lines of `memberNote`; other lines say nothing
 * @param valueless members that never have a value, as `Record.member`
 */
export function memberGaps(
  document: UserDocument,
  notes: readonly string[],
  valueless: ReadonlySet<string>,
): string[] {
  const seen = new Set(notes.filter((line) => line.startsWith('member ')));
  const places = new Map<string, string[]>();
  const note = (record: string, at: readonly string[]) =>
    places.set(record, [...(places.get(record) ?? []), ...at]);
  const direct: string[] = [];
  for (const operation of document.operations) {
    direct.push(...parameterGaps(operation, seen));
    if (operation.body?.record) descend(document, operation.body.record, `${operation.id} in `, note);
    if (document.records.has(operation.reply))
      descend(document, operation.reply, `${operation.id} out ${operation.isPaged ? 'items.' : ''}`, note);
  }
  const ofRecords = [...places].flatMap(([record, prefixes]) =>
    document.records
      .get(record)!
      .filter(({ name }) => !valueless.has(`${record}.${name}`))
      .filter(({ name }) => !prefixes.some((prefix) => seen.has(`member ${prefix}${name}`)))
      .map(({ name }) => `${record}.${name}: named by the document, and no test shows it with a value`),
  );
  return [...direct, ...ofRecords];
}

function parameterGaps(operation: DocumentOperation, seen: ReadonlySet<string>): string[] {
  const given = (name: string) => seen.has(memberNote(operation.id, 'in', `?${name}`));
  return operation.parameters
    .filter(({ name }) => !given(name))
    .map(({ name }) => `${operation.id} ${name}: a parameter of the document, and no test gives it`);
}

/** Notes the places of a record and of those within it. */
function descend(
  document: UserDocument,
  record: string,
  prefix: string,
  note: (record: string, at: readonly string[]) => void,
): void {
  note(record, [prefix]);
  for (const member of document.records.get(record)!)
    if (member.record) descend(document, member.record, `${prefix}${member.name}.`, note);
}
