import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconArchive, IconCopy, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { placed, useDirectories } from '../library/directories.ts';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import type { CampaignActs } from './use-campaign-acts.ts';

/** The selected campaigns of a page; those that it no longer has are dropped. */
export function useSelection(campaigns: readonly Campaign[]) {
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

interface SelectionBarProps extends Pick<ReturnType<typeof useSelection>, 'chosen' | 'choose'> {
  readonly acts: CampaignActs;
}

/** The actions on all selected campaigns. */
export function SelectionBar({ chosen, choose, acts }: SelectionBarProps) {
  const { words, format } = useWords();
  const { campaigns: texts, campaignList: list } = words;
  const directories = placed(useDirectories('Campaign').data ?? []);
  const isArchive = chosen.every(({ parameters }) => parameters.isArchive);
  const move = (value: string) => {
    const found = directories.find(({ directory }) => String(directory.id) === value);
    if (value !== '') acts.move(chosen, Number(value), found?.path ?? '');
  };
  return (
    <section className="row selection" aria-label={list.selection}>
      <span className="strong" role="status">
        {list.selected(list.campaigns(format.count(chosen.length), format.isOne(chosen.length)))}
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
