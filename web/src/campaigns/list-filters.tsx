import { NativeSelect, TextInput } from '@mantine/core';
import { IconFolder, IconFolderOff } from '@tabler/icons-react';
import { useState } from 'react';
import { placed, useDirectories } from '../library/directories.ts';
import { useWords } from '../words/words.tsx';
import { campaignTypes, type ListSearch, type SortColumn } from './list-search.ts';
import { useAuthors } from './use-campaigns.ts';

interface FiltersProps {
  readonly search: ListSearch;
  readonly change: (next: Partial<ListSearch>) => void;
  /** Moves the rows that are being dragged into a directory, 0 is none; undefined while none is dragged. */
  readonly drop: ((idDirectory: number, path: string) => void) | undefined;
}

/** Limits of the list besides its state, and its order. While rows are dragged, the directories that take them. */
export function Filters({ search, change, drop }: FiltersProps) {
  const { words } = useWords();
  const { campaignList: list, campaignParts } = words;
  const directories = placed(useDirectories('Campaign').data ?? []);
  return (
    <div className="list-filters-place">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
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
            ...campaignTypes.map((value) => ({
              value,
              label: list.shortTypes[value] || campaignParts.options.types[value] || value,
            })),
          ]}
        />
        <Authors search={search} change={change} />
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            size="xs"
            type="date"
            aria-label={list[end]}
            leftSection={<span className="small text-3">{list[`${end}Short`]}</span>}
            leftSectionWidth={`${list[`${end}Short`].length + 1}ch`}
            leftSectionPointerEvents="none"
            value={search[end] ?? ''}
            onChange={(event) => change({ [end]: event.currentTarget.value })}
          />
        ))}
        <Order search={search} change={change} />
      </div>
      {drop && (
        <ul className="row drop-places" aria-label={list.toDirectory}>
          <DropPlace name={list.noDirectory} drop={() => drop(0, '')} isNone />
          {directories.map(({ directory, path }) => (
            <DropPlace key={directory.id} name={path} drop={() => drop(directory.id, path)} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Authors({ search, change }: Pick<FiltersProps, 'search' | 'change'>) {
  const { words } = useWords();
  const { campaignList: list } = words;
  const authors = useAuthors() ?? [];
  const { author } = search;
  const isKnown = author === undefined || authors.some(({ idAuthor }) => idAuthor === author);
  return (
    <NativeSelect
      size="xs"
      aria-label={list.author}
      value={author ?? ''}
      onChange={(event) => change({ author: Number(event.currentTarget.value) || undefined })}
      data={[
        { value: '', label: list.everyAuthor },
        // The address may name someone who has no campaign here.
        ...(isKnown ? [] : [{ value: String(author), label: String(author) }]),
        ...authors.map(({ idAuthor, name }) => ({ value: String(idAuthor), label: name })),
      ]}
    />
  );
}

const orders = {
  changed: { sort: 'LastUpdateDate', order: 'DESC' },
  newest: { sort: 'Id', order: 'DESC' },
  oldest: { sort: 'Id', order: 'ASC' },
  name: { sort: 'Name', order: 'ASC' },
  type: { sort: 'Type', order: 'ASC' },
  author: { sort: 'Author', order: 'ASC' },
  directory: { sort: 'Directories', order: 'ASC' },
  people: { sort: 'LastNbAddressesCount', order: 'DESC' },
} as const satisfies Readonly<Record<string, { sort: SortColumn; order: 'ASC' | 'DESC' }>>;
type OrderName = keyof typeof orders;

function Order({ search, change }: Pick<FiltersProps, 'search' | 'change'>) {
  const { words } = useWords();
  const { orders: names, order: label } = words.campaignList;
  const { sort = 'LastUpdateDate', order = 'DESC' } = search;
  // Object.keys loses the names that the type knows.
  const all = Object.keys(orders) as OrderName[];
  const chosen =
    all.find((name) => orders[name].sort === sort && orders[name].order === order) ??
    all.find((name) => orders[name].sort === sort);
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={chosen}
      onChange={(event) => {
        const name = all.find((one) => one === event.currentTarget.value);
        if (name) change(name === 'changed' ? { sort: undefined, order: undefined } : orders[name]);
      }}
      data={all.map((name) => ({ value: name, label: names[name] }))}
    />
  );
}

interface DropPlaceProps {
  readonly name: string;
  readonly isNone?: boolean;
  readonly drop: () => void;
}

/** A directory that takes the rows that are dropped on it. */
function DropPlace({ name, isNone = false, drop }: DropPlaceProps) {
  const [isOver, setOver] = useState(false);
  const Icon = isNone ? IconFolderOff : IconFolder;
  return (
    <li
      data-over={isOver || undefined}
      onDragEnter={() => setOver(true)}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        drop();
      }}
    >
      <Icon size={16} aria-hidden />
      {name}
    </li>
  );
}
