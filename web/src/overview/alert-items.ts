import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Item } from './attention.tsx';
import { useSentWords } from './words.ts';

type Alert = components['schemas']['Alert'];

/** From this level on, messages wait until somebody confirms that the cause is removed. */
const lockedLevel = 3;
const queryKey = ['alerts'];

/** Providers that complain about the site's mail, as administrators see them. Those who may send unlock them. */
export function useAlertItems(): readonly Item[] {
  const { language, format } = useWords();
  const texts = useSentWords().attention;
  const site = useSite();
  const { isAdministrator } = useMe();
  const unlock = useUnlock();
  const { data } = useQuery({
    queryKey,
    enabled: isAdministrator,
    refetchInterval: 60_000,
    queryFn: () => dataOf(api.GET('/admin/v1/alerts', {})),
  });
  const rates = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const nextOf = ({ level, isSuspended, scheduledActivationDate: at }: Alert): string => {
    if (at !== null && isSuspended) return texts.resumesAt(format.moment(at));
    return isSuspended && level < lockedLevel ? texts.resumesByItself : '';
  };
  return (data ?? [])
    .filter(({ siteName }) => siteName === site.name)
    .map((alert) => {
      const { idSendingGroupRemoval: id, isSuspended, groupName, faiName } = alert;
      const isLocked = alert.level >= lockedLevel && alert.engagementDate === null;
      const said = texts.complaintsText(rates.format(alert.complaintRate), alert.nbHours);
      return {
        ...{ key: `alert ${id}`, isSerious: isSuspended },
        title: (isSuspended ? texts.suspended : texts.complaints)(groupName, faiName),
        text: [said, nextOf(alert)].filter(Boolean).join(' · '),
        ...(isLocked &&
          site.may('sender') && {
            action: {
              name: texts.unlock.action,
              question: {
                title: texts.unlock.title(groupName, faiName),
                text: texts.unlock.text,
                ...{ action: texts.unlock.confirm, keep: texts.unlock.keep },
                confirm: () => unlock(id),
              },
            },
          }),
      };
    });
}

/** Returns a function that confirms that the cause of an alert is removed. */
function useUnlock(): (id: string) => Promise<void> {
  const site = useSite();
  const queries = useQueryClient();
  return async (id) => {
    const params = { path: { idsite: site.name, id } };
    await dataOf(api.POST('/v1/{idsite}/alerts/{id}/unlock', { params }));
    await queries.invalidateQueries({ queryKey });
  };
}
