import { invalid } from '../../platform/http/refusal.ts';
import { Maybe, Type } from '../../platform/http/schema.ts';
import type { FilterSite } from './filter-kind.ts';
import { idsIn, mustHave, parseIds } from './named-records.ts';

const maxNames = 2_000;

/** A property of the reply; a body may contain it and it is ignored, so that a reply can be changed and sent back. */
export const idSentNames = Maybe(
  Type.String({
    title: 'String',
    readOnly: true,
    description: `Read only: the names of the sendings of idSentList, at most ${maxNames} characters`,
  }),
);

/** The names of a list of sendings, as the reply's idSentNames; null without any. */
export function namesOfSents(list: string | null | undefined, { sents }: FilterSite): string | null {
  const names = idsIn(list).map((id) => sents.get(id)?.name ?? String(id));
  if (names.length === 0) return null;
  const joined = [...names.join('; ')];
  return joined.length <= maxNames ? joined.join('') : `${joined.slice(0, maxNames - 1).join('')}…`;
}

/** The sendings of `idSentList`. @throws 400 for anything but a list, or a test mailing; 404 for unknown sendings. */
export function parseSents(list: string, { sents }: FilterSite): number[] {
  const member = 'idSentList';
  const ids = parseIds(list, member);
  mustHave(sents, ids, 'Sent', member);
  const test = ids.find((id) => sents.get(id)?.isTest);
  if (test === undefined) return ids;
  throw invalid(`${member}: sending ${test} is a test mailing; name real sendings only`);
}
