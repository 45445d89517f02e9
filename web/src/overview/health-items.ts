import { useQuery } from '@tanstack/react-query';
import { sendingHealthOf } from '../api/sending-health.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Item } from './attention.tsx';
import type { Job } from './overview-screen.tsx';
import { useSentWords } from './words.ts';

/** Relays that do not answer, and providers that defer. */
export function useHealthItems(jobs: readonly Job[]): readonly Item[] {
  const { format } = useWords();
  const texts = useSentWords().attention;
  const site = useSite();
  const { isAdministrator } = useMe();
  const { data } = useQuery(sendingHealthOf(site.name));
  const { relays = [], deferringProviders = [] } = data ?? {};
  const down = relays.filter(({ state }) => state === 'down');
  const toRelays = {
    link: { to: '/$site/settings/relays' as const, params: { site: site.name } },
    name: texts.look.relay,
  };
  // The replies are those of a sending: of the one that runs, otherwise of the last.
  const sending = jobs.find(({ endDate }) => endDate === null) ?? jobs[0];
  const toReplies = sending && {
    link: {
      to: '/$site/campaigns/$idCampaign' as const,
      params: { site: site.name, idCampaign: String(sending.idCampaign) },
    },
    name: texts.look.replies,
  };
  return [
    ...down.map(({ relay, at }, index) => ({
      ...{ key: `relay ${relay ?? index}`, isSerious: down.length === relays.length },
      title: relay === null ? texts.aRelayDown : texts.relayDown(relay),
      text: at === null ? '' : texts.relayTried(format.moment(at)),
      ...(isAdministrator && { action: toRelays }),
    })),
    ...deferringProviders.map(({ idFai, isp, nbAttempts, nbDeferred, since }) => ({
      ...{ key: `deferring ${idFai}`, isSerious: false, title: texts.defers(isp || String(idFai)) },
      text: texts.defersText(format.time(since), format.share(nbDeferred, nbAttempts)),
      ...(toReplies && { action: toReplies }),
    })),
  ];
}
