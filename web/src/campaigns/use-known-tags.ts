import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds, fieldName, useFields, useFieldText } from '../subscribers/fields.ts';
import { fieldValue } from '../subscribers/subscriber.ts';
import { useWords } from '../words/words.tsx';
import type { KnownTag } from './known-tags.ts';
import { useContentKeys } from './use-content-keys.ts';

/** The tags that can be written, with what fields hold for the reader of the preview. */
export function useKnownTags(idReader: number | undefined): readonly KnownTag[] {
  const { words } = useWords();
  const { tags, valueFor } = words.campaignParts;
  const site = useSite();
  const textOf = useFieldText();
  const { data: fields } = useFields();
  const { blocks, data } = useContentKeys();
  const { data: reader } = useQuery({
    queryKey: ['subscribers', site.name, 'reader', idReader],
    enabled: idReader !== undefined,
    staleTime: 60_000,
    queryFn: async () => {
      const query = { 'filter.by': 'IdSubscriber' as const, 'filter.values': [String(idReader)] };
      const [found] = await dataOf(
        api.GET('/v1/{idsite}/subscribers', { params: { path: { idsite: site.name }, query } }),
      );
      return found ?? null;
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: how a value is written follows from the language
  return useMemo(() => {
    const known = (fields ?? []).map((field) => ({
      inside: `FLD.${field.id}`,
      name: fieldName(words, field),
      value: reader ? valueFor(textOf(field, fieldValue(reader, field.id))) : undefined,
    }));
    return [
      ...known,
      { inside: 'LINK.UNSUB', name: tags.unsubscribe },
      { inside: 'LINK.MIRROR', name: tags.mirror },
      { inside: 'LINK.FORWARD', name: tags.forward },
      ...(fields ?? []).map(({ id }) => ({
        inside: `IF FLD.${id} HasValue`,
        name: tags.condition,
      })),
      { inside: 'ELSE', name: tags.else },
      { inside: 'END', name: tags.end },
      { inside: 'ENCART.1', name: tags.advertisement },
      ...Object.entries(tags.conf).map(([number, name]) => ({ inside: `CONF.${number}`, name })),
      ...(blocks ?? []).map(({ contentKey }) => ({ inside: `BLOC.${contentKey}`, name: tags.block })),
      // By the address; the author writes the number of another field.
      ...(data ?? []).map(({ key }) => ({ inside: `DATA.${key}.fld${fieldIds.email}`, name: tags.data })),
    ];
  }, [fields, reader, words, blocks, data]);
}
