import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Draft } from './use-draft.ts';

/** The sending configurations, by name. */
export const configurationsQuery = (idsite: string) => ({
  queryKey: ['sending-configurations', idsite, 'all'],
  queryFn: async () => {
    const query = { 'filter.sortBy': 'Name', 'filter.order': 'ASC', 'filter.limit': 200 } as const;
    const page = await dataOf(
      api.GET('/v1/{idsite}/sending-configurations', { params: { path: { idsite }, query } }),
    );
    return page.items.map(({ config }) => config);
  },
});

/** Which sender and footer the message has. */
export function SenderChoice({ draft, isReadOnly }: { readonly draft: Draft; readonly isReadOnly: boolean }) {
  const { words } = useWords();
  const site = useSite();
  const { data = [] } = useQuery(configurationsQuery(site.name));
  const chosen = data.find(({ id }) => id === draft.content.idConfiguration);
  return (
    <section>
      <NativeSelect
        label={words.composer.sender}
        disabled={isReadOnly}
        description={chosen && `${chosen.senderAlias} <${chosen.senderEMail}>`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={String(draft.content.idConfiguration ?? '')}
        onChange={(event) => draft.change({ idConfiguration: Number(event.currentTarget.value) || null })}
        data={[
          ...(chosen ? [] : [{ value: '', label: words.composer.noSender }]),
          ...data.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </section>
  );
}
