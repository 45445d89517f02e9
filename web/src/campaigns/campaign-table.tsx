import { ActionIcon, Button, Checkbox, Menu, NativeSelect } from '@mantine/core';
import {
  IconArchive,
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconDots,
  IconStar,
  IconStarFilled,
  IconX,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { placed, useDirectories } from '../library/directories.ts';
import { useCurrentRow } from '../parts/list.tsx';
import { StateOf } from '../parts/state.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isRunning, stateOf } from './campaign.ts';
import type { ListSearch, SortColumn } from './list-search.ts';
import { useCampaignActs } from './use-campaign-acts.ts';
import { useFavourites } from './use-campaigns.ts';
import './campaigns.css';

interface TableProps {
  readonly campaigns: readonly Campaign[];
  readonly search: ListSearch;
  readonly go: (search: ListSearch) => void;
}

/** A page of campaigns. Rows can be walked, selected and acted on with the keyboard. */
export function CampaignTable({ campaigns, search, go }: TableProps) {
  const { words } = useWords();
  const { columns } = words.campaigns;
  const { campaignList: list } = words;
  const site = useSite();
  const mayEdit = site.may('editor');
  const acts = useCampaignActs();
  const favourites = useFavourites();
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
  const isAll = selection.chosen.length === campaigns.length;
  return (
    <>
      {selection.chosen.length > 0 && <SelectionBar {...selection} />}
      <table className="table">
        <thead>
          <tr>
            {mayEdit && (
              <th style={{ width: 40 }}>
                <Checkbox
                  size="xs"
                  radius={4}
                  aria-label={list.selectAll}
                  checked={isAll}
                  indeterminate={!isAll && selection.chosen.length > 0}
                  onChange={() => selection.choose(isAll ? [] : campaigns)}
                />
              </th>
            )}
            <SortHead column="Name" name={columns.name} search={search} go={go} />
            <th>{columns.state}</th>
            <SortHead column="LastUpdateDate" name={columns.changed} search={search} go={go} />
            <th>{columns.author}</th>
            <th>
              <span className="hidden">{words.shell.more}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {campaigns.map((campaign, index) => (
            <Row
              key={campaign.id}
              campaign={campaign}
              isCurrent={index === current}
              isChosen={selection.chosen.includes(campaign)}
              toggle={selection.toggle}
              isFavourite={favourites.has(campaign.id)}
              setFavourite={setFavourite}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

interface RowProps {
  readonly campaign: Campaign;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly isFavourite: boolean;
  readonly toggle: (campaign: Campaign, isRange: boolean) => void;
  readonly setFavourite: (campaign: Campaign) => void;
}

function Row({ campaign, isCurrent, isChosen, isFavourite, toggle, setFavourite }: RowProps) {
  const { words, format } = useWords();
  const { campaignList: list } = words;
  const site = useSite();
  const { name, subject } = campaign.parameters;
  const star = isFavourite ? list.favourite(name) : list.notFavourite(name);
  const Star = isFavourite ? IconStarFilled : IconStar;
  return (
    <tr data-current={isCurrent || undefined} data-chosen={isChosen || undefined}>
      {site.may('editor') && (
        <td className="pick">
          <Checkbox
            size="xs"
            radius={4}
            aria-label={list.select(name)}
            checked={isChosen}
            // A change does not say which keys were held.
            onClick={(event) => toggle(campaign, event.shiftKey)}
            onChange={() => undefined}
          />
        </td>
      )}
      <td className="title">
        <Link
          className="strong"
          to="/$site/campaigns/$idCampaign"
          params={{ site: site.name, idCampaign: String(campaign.id) }}
        >
          {name}
        </Link>
        <p className="small text-3 cut">{subject || words.campaigns.noSubject}</p>
      </td>
      <td>
        <StateOf state={stateOf(campaign)} />
      </td>
      <td className="text-2">{format.moment(campaign.lastUpdateDate)}</td>
      <td className="text-2 wide">{campaign.authorName}</td>
      <td className="num acts" style={{ width: 84 }}>
        <ActionIcon
          size="sm"
          className="wide"
          aria-label={star}
          aria-pressed={isFavourite}
          title={star}
          onClick={() => setFavourite(campaign)}
        >
          <Star size={16} aria-hidden />
        </ActionIcon>
        {site.may('editor') && <RowMenu campaign={campaign} />}
      </td>
    </tr>
  );
}

/** The selected campaigns of a page; those that it no longer has are dropped. */
function useSelection(campaigns: readonly Campaign[]) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const last = useRef(-1);
  const chosen = campaigns.filter(({ id }) => ids.has(id));
  return {
    chosen,
    choose: (all: readonly Campaign[]) => setIds(new Set(all.map(({ id }) => id))),
    /** Selects a campaign or not; a range begins at the one before. */
    toggle: (campaign: Campaign, isRange: boolean) => {
      const index = campaigns.indexOf(campaign);
      const from = isRange && last.current >= 0 ? last.current : index;
      const isOn = !ids.has(campaign.id);
      const next = new Set(chosen.map(({ id }) => id));
      for (const { id } of campaigns.slice(Math.min(from, index), Math.max(from, index) + 1))
        if (isOn) next.add(id);
        else next.delete(id);
      last.current = index;
      setIds(next);
    },
  };
}

type Selection = ReturnType<typeof useSelection>;

/** What can be done with all selected campaigns. */
function SelectionBar({ chosen, choose }: Selection) {
  const { words, format } = useWords();
  const { campaigns: texts, campaignList: list } = words;
  const acts = useCampaignActs();
  const directories = placed(useDirectories('Campaign').data ?? []);
  const isArchive = chosen.every(({ parameters }) => parameters.isArchive);
  const move = (value: string) => {
    const found = directories.find(({ directory }) => String(directory.id) === value);
    if (value !== '') acts.move(chosen, Number(value), found?.path ?? '');
  };
  return (
    <section className="row selection" aria-label={list.selection}>
      <span className="strong" role="status">
        {list.selected(list.campaigns(format.count(chosen.length), chosen.length === 1))}
      </span>
      <NativeSelect
        size="xs"
        aria-label={list.toDirectory}
        value=""
        onChange={(event) => move(event.currentTarget.value)}
        data={[
          { value: '', label: list.toDirectory },
          { value: '0', label: list.noDirectory },
          ...directories.map(({ directory, path }) => ({ value: String(directory.id), label: path })),
        ]}
      />
      <Button
        size="xs"
        leftSection={<IconArchive size={16} aria-hidden />}
        onClick={() => acts.archive(chosen, !isArchive)}
      >
        {isArchive ? texts.restore : texts.archive}
      </Button>
      <Button
        size="xs"
        leftSection={<IconCopy size={16} aria-hidden />}
        onClick={() => acts.duplicate(chosen)}
      >
        {texts.duplicate}
      </Button>
      <ActionIcon
        size="sm"
        aria-label={list.clearSelection}
        title={list.clearSelection}
        onClick={() => choose([])}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </section>
  );
}

function SortHead({ column, name, search, go }: SortHeadProps) {
  const { sort = 'LastUpdateDate', order = 'DESC' } = search;
  const isSorted = sort === column;
  const next = isSorted && order === 'ASC' ? 'DESC' : 'ASC';
  const Arrow = order === 'ASC' ? IconChevronUp : IconChevronDown;
  return (
    <th aria-sort={isSorted ? (order === 'ASC' ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className="sort"
        onClick={() => go({ ...search, sort: column, order: next, page: undefined })}
      >
        {name}
        {isSorted && <Arrow size={14} stroke={2} aria-hidden />}
      </button>
    </th>
  );
}
interface SortHeadProps extends Omit<TableProps, 'campaigns'> {
  readonly column: SortColumn;
  readonly name: string;
}

/** Duplicate, archive or restore one campaign. */
function RowMenu({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const texts = words.campaigns;
  const acts = useCampaignActs();
  const { name, isArchive } = campaign.parameters;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={texts.actionsOf(name)} title={texts.actionsOf(name)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => acts.duplicate([campaign])}>{texts.duplicate}</Menu.Item>
        {!isRunning(campaign) && (
          <Menu.Item onClick={() => acts.archive([campaign], !isArchive)}>
            {isArchive ? texts.restore : texts.archive}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
