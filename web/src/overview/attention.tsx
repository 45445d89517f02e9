import { ActionIcon } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Campaign, stateOf } from '../campaigns/campaign.ts';
import { useHaltReasons } from '../campaigns/use-halt-reasons.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useServiceText } from '../words/service-text.ts';
import { useWords } from '../words/words.tsx';
import { useAlertItems } from './alert-items.ts';
import { useDomainItems } from './domain-items.ts';
import { useHealthItems } from './health-items.ts';
import { hiddenUntilTomorrow, hideUntilTomorrow } from './hidden.ts';
import type { Job } from './overview-screen.tsx';
import { useSentWords } from './words.ts';
import './attention.css';

const shownItems = 4;
/** Imports and jobs of so many days can need attention. */
const recentMs = 7 * 86_400_000;

/** What is asked before an action, and the action. */
interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly keep: string;
  readonly confirm: () => Promise<void>;
}

/** Something that is wrong, with what puts it right: the place, or an action after a question. */
export interface Item {
  /** Names the problem while it lasts, so that it can be hidden. */
  readonly key: string;
  readonly isSerious: boolean;
  readonly title: string;
  readonly text: string;
  readonly action?: { readonly name: string } & (
    | { readonly link: LinkProps }
    | { readonly question: Question }
  );
}

interface AttentionProps {
  readonly jobs: readonly Job[];
  readonly campaigns: readonly Campaign[];
}

/** What is wrong on the site, the most serious first; each can be hidden for a day (E hides the first). */
export function Attention(props: AttentionProps) {
  const texts = useSentWords().attention;
  const site = useSite();
  const [hidden, setHidden] = useState(() => hiddenUntilTomorrow(site.name));
  const [isWhole, setWhole] = useState(false);
  const campaigns = useCampaignItems(props);
  const all = [
    ...campaigns,
    ...useImportItems(),
    ...useHealthItems(props.jobs),
    ...useAlertItems(),
    ...useDomainItems(),
  ];
  const items = all
    .filter(({ key }) => !hidden.includes(key))
    .sort((a, b) => Number(b.isSerious) - Number(a.isSerious));
  const first = items[0];
  const shortcuts = useMemo(
    () =>
      first
        ? [
            {
              keys: 'e',
              label: texts.hide(first.title),
              run: () => setHidden(hideUntilTomorrow(site.name, first.key)),
            },
          ]
        : [],
    [first, texts, site.name],
  );
  useShortcuts(shortcuts);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.title}</h2>
        {items.length > 0 && <span className="pill">{items.length}</span>}
      </div>
      {items.length === 0 && <p className="card-body small text-2">{texts.none}</p>}
      {items.length > 0 && (
        <ul className="attention">
          {items.slice(0, isWhole ? items.length : shownItems).map((item) => (
            <Row key={item.key} item={item} hide={() => setHidden(hideUntilTomorrow(site.name, item.key))} />
          ))}
        </ul>
      )}
      {items.length > shownItems && !isWhole && (
        <p className="card-body" style={{ paddingTop: 10 }}>
          <button type="button" className="fig small text-2" onClick={() => setWhole(true)}>
            {texts.more(items.length - shownItems)}
          </button>
        </p>
      )}
    </section>
  );
}

function Row({ item, hide }: { readonly item: Item; readonly hide: () => void }): ReactNode {
  const label = useSentWords().attention.hide(item.title);
  const Glyph = item.isSerious ? IconAlertTriangle : IconAlertCircle;
  return (
    <li>
      <Glyph size={18} className={item.isSerious ? 'red' : 'amber'} aria-hidden />
      <div className="grow">
        <p className="strong anywhere">{item.title}</p>
        <p className="small text-2 anywhere">{item.text}</p>
        {item.action && <ActionOf action={item.action} />}
      </div>
      <ActionIcon aria-label={label} title={label} onClick={hide}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}

function ActionOf({ action }: { readonly action: NonNullable<Item['action']> }) {
  const [isAsking, setAsking] = useState(false);
  if ('link' in action)
    return (
      <Link className="link small" {...action.link}>
        {action.name}
      </Link>
    );
  return (
    <>
      <button type="button" className="link small" onClick={() => setAsking(true)}>
        {action.name}
      </button>
      {isAsking && <Confirm {...action.question} close={() => setAsking(false)} />}
    </>
  );
}

/**
 * Sendings that the service paused, that missed their date or failed, and those whose job reports a problem or uncertain
 * people. A user's own pause has no reason, and needs no attention; until the reasons are known, every pause is listed.
 */
function useCampaignItems({ jobs, campaigns }: AttentionProps): readonly Item[] {
  const { words, format } = useWords();
  const texts = useSentWords().attention;
  const site = useSite();
  const say = useServiceText();
  const actionOf = (id: number) => ({
    link: {
      to: '/$site/campaigns/$idCampaign' as const,
      params: { site: site.name, idCampaign: String(id) },
    },
    name: texts.look.campaign,
  });
  const titles: Readonly<Record<string, string>> = {
    Paused: texts.paused,
    Missed: texts.missed,
    Error: texts.failed,
  };
  // Isolated, so that a name from right to left does not turn what follows.
  const withReason = (name: string, reason: string) => `\u2068${name}\u2069: ${say(reason).text}`;
  const reasons = useHaltReasons(campaigns);
  const stuck = campaigns.flatMap((campaign): Item[] => {
    const state = stateOf(campaign);
    const title = titles[state];
    const { id, parameters } = campaign;
    const reason = reasons.get(id);
    if (title === undefined || (state === 'Paused' && reason === '')) return [];
    const text = !reason ? parameters.name : withReason(parameters.name, reason);
    return [{ key: `campaign ${id} ${state}`, isSerious: true, title, text, action: actionOf(id) }];
  });
  const since = Date.now() - recentMs;
  const reported = jobs
    .filter(({ jobErrorInfo, startDate }) => jobErrorInfo && startDate && Date.parse(startDate) > since)
    // The reason of a halt is listed with its campaign.
    .filter(({ idCampaign, jobErrorInfo }) => reasons.get(idCampaign) !== jobErrorInfo)
    .map((job) => ({
      ...{ key: `job ${job.idJob}`, isSerious: job.endDate === null, title: texts.info },
      text: withReason(job.campaignName, job.jobErrorInfo ?? ''),
      action: actionOf(job.idCampaign),
    }));
  const uncertain = jobs
    .filter(({ nbUncertain, endDate }) => nbUncertain > 0 && endDate && Date.parse(endDate) > since)
    .map((job) => ({
      ...{ key: `uncertain ${job.idJob}`, isSerious: false, text: job.campaignName },
      title: texts.uncertain(
        words.campaigns.people(format.count(job.nbUncertain), format.isOne(job.nbUncertain)),
      ),
      action: actionOf(job.idCampaign),
    }));
  return [...stuck, ...reported, ...uncertain];
}

/** Imports that failed or rejected rows. */
function useImportItems(): readonly Item[] {
  const { format } = useWords();
  const texts = useSentWords().attention;
  const site = useSite();
  const query = { 'filter.sortBy': 'ID', 'filter.order': 'DESC', 'filter.limit': 50 } as const;
  const { data } = useQuery({
    queryKey: ['imports', site.name, 'attention'],
    refetchInterval: 30_000,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/imports', { params: { path: { idsite: site.name }, query } })),
  });
  const since = Date.now() - recentMs;
  return (data?.items ?? [])
    .filter(({ endDate, startDate }) => Date.parse(endDate ?? startDate ?? '') > since)
    .flatMap(({ id, filename, importState, nbErrorRows, nbBadFormattedRows }): Item[] => {
      const hasFailed = importState === 'PackageErrorCreation';
      const rejected = (nbErrorRows ?? 0) + (nbBadFormattedRows ?? 0);
      if (!hasFailed && rejected === 0) return [];
      return [
        {
          ...{ key: `import ${id}`, isSerious: hasFailed, text: filename ?? '' },
          title: hasFailed
            ? texts.importFailed
            : texts.importRejected(format.count(rejected), format.isOne(rejected)),
          action: {
            link: { to: '/$site/imports/$idImport', params: { site: site.name, idImport: String(id) } },
            name: texts.look.import,
          },
        },
      ];
    });
}
