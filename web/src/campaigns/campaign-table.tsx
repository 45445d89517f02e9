import { Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useCurrentRow } from '../parts/list.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { useJobPeople } from './campaign-figures.tsx';
import { CampaignRow } from './campaign-row.tsx';
import type { ListSearch, SortColumn } from './list-search.ts';
import { SelectionBar, useSelection } from './selection-bar.tsx';
import type { CampaignActs } from './use-campaign-acts.ts';
import { useFavourites } from './use-campaigns.ts';
import { useHaltReasons } from './use-halt-reasons.ts';
import { useLastJobs } from './use-last-jobs.ts';
import './campaigns.css';

interface TableProps {
  readonly campaigns: readonly Campaign[];
  readonly search: ListSearch;
  readonly acts: CampaignActs;
  readonly go: (search: ListSearch) => void;
  /** Called with the campaigns that are being dragged, and with none afterwards. */
  readonly drag: (campaigns: readonly Campaign[]) => void;
}

/** A page of campaigns. Rows can be walked, selected and acted on with the keyboard. */
export function CampaignTable({ campaigns, search, acts, go, drag }: TableProps) {
  const { words } = useWords();
  const { campaignList: list } = words;
  const site = useSite();
  const mayEdit = site.may('editor');
  const favourites = useFavourites();
  const jobs = useLastJobs(campaigns);
  const reasons = useHaltReasons(campaigns);
  const people = useJobPeople();
  const selection = useSelection(campaigns);
  const navigate = useNavigate();
  const setFavourite = ({ id }: Campaign) => acts.setFavourite(id, !favourites.has(id));
  const current = useCurrentRow(
    campaigns,
    ({ id }) => {
      const params = { site: site.name, idCampaign: String(id) };
      void navigate({ to: '/$site/campaigns/$idCampaign', params });
    },
    [
      { keys: 'f', label: list.keys.favourite, run: setFavourite },
      ...(mayEdit
        ? [
            { keys: 'x', label: list.keys.select, run: (one: Campaign) => selection.toggle(one, false) },
            { keys: 'd', label: list.keys.duplicate, run: (one: Campaign) => acts.duplicate([one]) },
          ]
        : []),
    ],
  );
  const { chosen } = selection;
  return (
    <>
      {chosen.length > 0 && <SelectionBar {...selection} acts={acts} />}
      <table className="table campaign-table">
        <Head campaigns={campaigns} search={search} go={go} selection={selection} />
        <tbody>
          {campaigns.map((campaign, index) => (
            <CampaignRow
              key={campaign.id}
              campaign={campaign}
              job={jobs?.get(campaign.id)}
              reason={reasons.get(campaign.id) ?? ''}
              isCurrent={index === current}
              isChosen={chosen.includes(campaign)}
              isFavourite={favourites.has(campaign.id)}
              acts={acts}
              toggle={selection.toggle}
              setFavourite={setFavourite}
              open={people.open}
              // A selected row takes the others with it.
              drag={(one) => drag(one ? (chosen.includes(one) ? chosen : [one]) : [])}
            />
          ))}
        </tbody>
      </table>
      {people.drawer}
    </>
  );
}

interface HeadProps extends Pick<TableProps, 'campaigns' | 'search' | 'go'> {
  readonly selection: ReturnType<typeof useSelection>;
}

function Head({ campaigns, search, go, selection: { chosen, choose } }: HeadProps) {
  const { words } = useWords();
  const { campaignList: list } = words;
  const { columns } = list;
  const isAll = chosen.length === campaigns.length;
  return (
    <thead>
      <tr>
        {useSite().may('editor') && (
          <th style={{ width: 40 }}>
            <Checkbox
              size="xs"
              radius={4}
              aria-label={list.selectAll}
              checked={isAll}
              indeterminate={!isAll && chosen.length > 0}
              onChange={() => choose(isAll ? [] : campaigns)}
            />
          </th>
        )}
        <SortHead column="Name" name={words.campaigns.columns.name} search={search} go={go} />
        <th>{words.campaigns.columns.state}</th>
        <SortHead
          column="LastNbAddressesCount"
          name={columns.people}
          title={list.sortsPeople}
          search={search}
          go={go}
          isNumber
        />
        <th className="num">{columns.delivered}</th>
        <th className="num">{columns.opened}</th>
        <th className="num">{columns.clicked}</th>
        <SortHead column="Type" name={list.type} search={search} go={go} />
        <th>
          <span className="hidden">{words.shell.more}</span>
        </th>
      </tr>
    </thead>
  );
}

interface SortHeadProps extends Pick<TableProps, 'search' | 'go'> {
  readonly column: SortColumn;
  readonly name: string;
  /** What it sorts by, if its name does not say it. */
  readonly title?: string;
  /** Whether it holds numbers: the first click then brings the largest to the top. */
  readonly isNumber?: boolean;
}

function SortHead({ column, name, title, search, go, isNumber = false }: SortHeadProps) {
  const { sort = 'LastUpdateDate', order = 'DESC' } = search;
  const isSorted = sort === column;
  const first = isNumber ? 'DESC' : 'ASC';
  const next = !isSorted ? first : order === 'ASC' ? 'DESC' : 'ASC';
  const Arrow = order === 'ASC' ? IconChevronUp : IconChevronDown;
  return (
    <th
      className={isNumber ? 'num' : undefined}
      aria-sort={isSorted ? (order === 'ASC' ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        className="sort"
        title={title}
        onClick={() => go({ ...search, sort: column, order: next, page: undefined })}
      >
        {name}
        {isSorted && <Arrow size={14} stroke={2} aria-hidden />}
      </button>
    </th>
  );
}
