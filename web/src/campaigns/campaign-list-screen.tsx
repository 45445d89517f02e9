import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { placed, useDirectories } from '../library/directories.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { Pages, SearchField } from '../parts/list.tsx';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { CampaignTable } from './campaign-table.tsx';
import { campaignTypes, type ListSearch, type Part, parts } from './list-search.ts';
import { pageSize, useCampaigns, usePartCounts } from './use-campaigns.ts';
import './campaigns.css';

const route = getRouteApi('/$site/campaigns');

/** All campaigns of the site: search, parts by state with their counts, filters, pages. */
export function CampaignListScreen() {
  const { words } = useWords();
  const texts = words.campaigns;
  const site = useSite();
  const search = route.useSearch();
  const navigate = useNavigate();
  const campaigns = useCampaigns(search);
  const counts = usePartCounts(search);
  const go = (next: ListSearch) =>
    void navigate({ to: '/$site/campaigns', params: { site: site.name }, search: next, replace: true });
  const { page, sort, order, ...limits } = search;
  const items = campaigns.data?.items;
  return (
    <Page
      title={texts.title}
      actions={
        site.may('editor') && (
          <LinkButton
            to="/$site/campaigns/new"
            params={{ site: site.name }}
            variant="filled"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {texts.new}
          </LinkButton>
        )
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
        <Filters search={search} change={(next) => go({ ...search, ...next, page: undefined })} />
        <section className="card flush">
          {campaigns.error && !campaigns.data && (
            <Failed error={campaigns.error} retry={() => void campaigns.refetch()} />
          )}
          {campaigns.isPending && <Loading rows={12} />}
          {items && items.length > 0 && <CampaignTable campaigns={items} search={search} go={go} />}
          {items?.length === 0 && (
            <NothingShown isFiltered={Object.keys(limits).length > 0} search={search} clear={() => go({})} />
          )}
        </section>
        <Pages
          label={texts.title}
          page={page ?? 1}
          size={pageSize}
          total={campaigns.data?.totalCount ?? 0}
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

interface FiltersProps {
  readonly search: ListSearch;
  readonly change: (next: Partial<ListSearch>) => void;
}

/** Limits of the list besides its state: directory, favourites, type, days of creation. */
function Filters({ search, change }: FiltersProps) {
  const { words } = useWords();
  const { campaignList: list, campaignParts } = words;
  const directories = placed(useDirectories('Campaign').data ?? []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className="row list-filters" role="group" aria-label={list.filters}>
      <NativeSelect
        size="xs"
        aria-label={list.where}
        value={search.where ?? ''}
        onChange={(event) => change({ where: event.currentTarget.value })}
        data={[
          { value: '', label: list.everywhere },
          { value: 'MyFavorites', label: list.favourites },
          { value: 'myCreatedLocation', label: list.mine },
          ...directories.map(({ directory, path }) => ({ value: String(directory.id), label: path })),
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label={list.type}
        value={search.type ?? ''}
        onChange={(event) =>
          change({ type: campaignTypes.find((type) => type === event.currentTarget.value) })
        }
        data={[
          { value: '', label: list.everyType },
          ...campaignTypes.map((value) => ({ value, label: campaignParts.options.types[value] ?? value })),
        ]}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          size="xs"
          type="date"
          aria-label={list[end]}
          title={list[end]}
          value={search[end] ?? ''}
          onChange={(event) => change({ [end]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}

function NothingShown({ isFiltered, search, clear }: NothingShownProps) {
  const { words } = useWords();
  const texts = words.campaignList;
  const site = useSite();
  if (isFiltered)
    return (
      <Empty title={search.search ? texts.nothing(search.search) : texts.nothingInPart}>
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
interface NothingShownProps {
  readonly isFiltered: boolean;
  readonly search: ListSearch;
  readonly clear: () => void;
}
