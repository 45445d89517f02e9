import { Button } from '@mantine/core';
import { IconCalendar, IconPlus, IconRefresh } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { LinkButton } from '../parts/link-button.tsx';
import { Pages, SearchField } from '../parts/list.tsx';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { CampaignTable } from './campaign-table.tsx';
import { keepFilters } from './kept-filters.ts';
import { Filters } from './list-filters.tsx';
import { type ListSearch, type Part, parts, readListSearch } from './list-search.ts';
import { useCampaignActs } from './use-campaign-acts.ts';
import { pageSize, useCampaigns, usePartCounts } from './use-campaigns.ts';
import { useStillList } from './use-still-list.ts';
import './campaigns.css';

const route = getRouteApi('/$site/campaigns');

/** All campaigns of the site: search, parts by state with their counts, filters, pages. */
export function CampaignListScreen() {
  const { words, format } = useWords();
  const texts = words.campaigns;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  const campaigns = useCampaigns(search);
  const counts = usePartCounts(search);
  const { user } = useMe();
  const go = (next: ListSearch) => {
    keepFilters(user.id, site.name, next);
    // The address has no filter that limits nothing.
    const address = { params: { site: site.name }, search: readListSearch({ ...next }) };
    void navigate({ to: '/$site/campaigns', ...address, replace: true });
  };
  const { page, sort, order, ...limits } = search;
  const list = useStillList(
    campaigns.data?.items,
    campaigns.isPlaceholderData ? undefined : JSON.stringify(search),
  );
  const acts = useCampaignActs(list?.take);
  const [dragged, drag] = useState<readonly Campaign[]>([]);
  const move = (idDirectory: number, path: string) => {
    acts.move(dragged, idDirectory, path);
    drag([]);
  };
  const items = list?.rows;
  // The last page follows.
  const isBehind = campaigns.data?.items.length === 0 && campaigns.data.totalCount > 0;
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <LinkButton
            to="/$site/campaigns/calendar"
            params={{ site: site.name }}
            leftSection={<IconCalendar size={16} aria-hidden />}
          >
            {words.campaignList.calendar}
          </LinkButton>
          {site.may('editor') && (
            <LinkButton
              to="/$site/campaigns/new"
              params={{ site: site.name }}
              variant="filled"
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              {texts.new}
            </LinkButton>
          )}
        </>
      }
    >
      <div className="stack tight">
        <div className="row">
          <Parts
            part={search.part ?? 'all'}
            counts={counts}
            choose={(part) => go({ ...search, part, page: undefined })}
          />
          <SearchField
            label={words.campaignList.search}
            text={search.search ?? ''}
            find={(text) => go({ ...search, search: text, page: undefined })}
          />
        </div>
        <Filters
          search={search}
          change={(next) => go({ ...search, ...next, page: undefined })}
          drop={dragged.length > 0 ? move : undefined}
        />
        <div className="still-list" {...list?.around}>
          {list && list.changed > 0 && (
            <div className="still-changed">
              <Button
                size="xs"
                leftSection={<IconRefresh size={14} aria-hidden />}
                onClick={({ detail }) => {
                  flushSync(list.take);
                  // The button is gone. A pointer takes no focus along: the focus would keep the rows in place.
                  if (detail === 0) document.querySelector<HTMLElement>('.still-list td.title a')?.focus();
                }}
              >
                {words.campaignList.changedRows(format.count(list.changed))}
              </Button>
            </div>
          )}
          <section className="card flush" data-reloading={campaigns.isPlaceholderData || undefined}>
            {campaigns.error && !campaigns.data && (
              <Failed error={campaigns.error} retry={() => void campaigns.refetch()} />
            )}
            {(campaigns.isPending || isBehind) && <Loading rows={12} />}
            {items && items.length > 0 && (
              <CampaignTable campaigns={items} search={search} acts={acts} go={go} drag={drag} />
            )}
            {items?.length === 0 && !isBehind && (
              <NothingShown
                isFiltered={Object.keys(limits).length > 0}
                search={search}
                clear={() => go({})}
              />
            )}
          </section>
        </div>
        <Pages
          label={texts.title}
          page={page ?? 1}
          size={pageSize}
          total={campaigns.data?.totalCount ?? 0}
          isCurrent={campaigns.data !== undefined && !campaigns.isPlaceholderData}
          go={(next) => go({ ...search, page: next })}
        />
      </div>
    </Page>
  );
}

interface PartsProps {
  readonly part: Part;
  readonly counts: Readonly<Record<Part, number>> | undefined;
  readonly choose: (part: Part) => void;
}

function Parts({ part, counts, choose }: PartsProps) {
  const { words, format } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="segments" role="group" aria-label={words.campaigns.columns.state}>
      {parts.map((one) => (
        <button key={one} type="button" aria-pressed={one === part} onClick={() => choose(one)}>
          {words.campaignList.parts[one]}
          {counts && <span className="text-2"> {format.count(counts[one])}</span>}
        </button>
      ))}
    </div>
  );
}

interface NothingShownProps {
  readonly isFiltered: boolean;
  readonly search: ListSearch;
  readonly clear: () => void;
}

/** Why the list is empty, and what to do next. */
function NothingShown({ isFiltered, search, clear }: NothingShownProps) {
  const { words } = useWords();
  const texts = words.campaignList;
  const site = useSite();
  const { title, text } = useNothing(search);
  if (isFiltered)
    return (
      <Empty title={title} text={text}>
        <Button onClick={clear}>{texts.clear}</Button>
      </Empty>
    );
  return (
    <Empty title={texts.empty} text={texts.emptyText}>
      {site.may('editor') && (
        <LinkButton to="/$site/campaigns/new" params={{ site: site.name }}>
          {texts.first}
        </LinkButton>
      )}
    </Empty>
  );
}

/** What was looked for without result, and what to try next. */
function useNothing({ search, part = 'all', ...others }: ListSearch) {
  const texts = useWords().words.campaignList;
  const filters = (['where', 'type', 'author', 'from', 'to'] as const)
    .filter((filter) => others[filter])
    .map((filter) => texts[filter]);
  if (!search && filters.length === 0 && part !== 'all')
    return { title: texts.nothingInPart, text: texts.emptyPart[part] };
  const title = search ? texts.nothing(search) : texts.nothingFits;
  const limits = part === 'all' ? filters : [texts.parts[part], ...filters];
  const text = limits.length > 0 ? `${texts.limitedBy(limits.join(', '))} ${texts.widen}` : texts.searchOther;
  return { title, text };
}
