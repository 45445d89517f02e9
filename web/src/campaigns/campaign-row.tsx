import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots, IconStar, IconStarFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type PointerEvent, type ReactNode, useRef } from 'react';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, isRunning } from './campaign.ts';
import { FigureCells, type JobFigure, StateCell } from './campaign-figures.tsx';
import type { CampaignActs } from './use-campaign-acts.ts';
import type { LastJob } from './use-last-jobs.ts';

const hasFinePointer = matchMedia('(pointer: fine)').matches;

interface RowProps {
  readonly campaign: Campaign;
  readonly job: LastJob | undefined;
  /** Why it is paused, missed its date or failed. */
  readonly reason: string;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly isFavourite: boolean;
  readonly acts: CampaignActs;
  readonly toggle: (campaign: Campaign, isRange: boolean) => void;
  readonly setFavourite: (campaign: Campaign) => void;
  readonly open: (job: LastJob, source: JobFigure['source']) => void;
  /** Tells the filters that the row is being dragged, or no longer. */
  readonly drag: (campaign: Campaign | undefined) => void;
}

/** A campaign of the list. It can be dragged onto a directory; a long press of a finger selects it. */
export function CampaignRow(props: RowProps) {
  const { campaign, job, isCurrent, isChosen, isFavourite, toggle, setFavourite } = props;
  const { words } = useWords();
  const { campaignList: list } = words;
  const mayEdit = useSite().may('editor');
  const isPhone = useIsPhone();
  const site = useSite();
  const { name, subject, type } = campaign.parameters;
  const star = isFavourite ? list.favourite(name) : list.notFavourite(name);
  const Star = isFavourite ? IconStarFilled : IconStar;
  const press = useLongPress(() => toggle(campaign, false));
  const canDrag = mayEdit && hasFinePointer && !isRunning(campaign);
  return (
    <tr
      data-current={isCurrent || undefined}
      data-chosen={isChosen || undefined}
      {...(mayEdit && press)}
      draggable={canDrag || undefined}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        props.drag(campaign);
      }}
      onDragEnd={() => props.drag(undefined)}
    >
      {mayEdit && (
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
          // The compact list cuts a long name.
          title={name}
          // The row is dragged, not the address.
          draggable={false}
          to="/$site/campaigns/$idCampaign"
          params={{ site: site.name, idCampaign: String(campaign.id) }}
        >
          {name}
        </Link>
        <p className="small text-3 cut">{subject || words.campaigns.noSubject}</p>
      </td>
      <StateCell campaign={campaign} job={job} reason={props.reason} />
      <FigureCells campaign={campaign} job={job} open={props.open} />
      <td className="text-2 wide">{list.shortTypes[type] ?? type}</td>
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
        {(mayEdit || isPhone) && (
          <RowMenu campaign={campaign} acts={mayEdit ? props.acts : undefined}>
            {isPhone && (
              <Menu.CheckboxItem
                closeMenuOnClick
                checked={isFavourite}
                onChange={() => setFavourite(campaign)}
              >
                {list.keys.favourite}
              </Menu.CheckboxItem>
            )}
          </RowMenu>
        )}
      </td>
    </tr>
  );
}

const pressMs = 500;
/** A finger that moves this far scrolls. */
const stillPixels = 10;

/** Handlers for a long press of a finger; the click at its end does nothing. */
function useLongPress(act: () => void) {
  const press = useRef<{ readonly x: number; readonly y: number; timer: number; isLong: boolean }>(undefined);
  const end = () => {
    clearTimeout(press.current?.timer);
  };
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      end();
      press.current = undefined;
      if (pointerType !== 'touch') return;
      const started = { x, y, timer: 0, isLong: false };
      started.timer = window.setTimeout(() => {
        started.isLong = true;
        act();
      }, pressMs);
      press.current = started;
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const started = press.current;
      if (started && Math.hypot(clientX - started.x, clientY - started.y) > stillPixels) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu: (event: { preventDefault(): void }) => {
      if (press.current) event.preventDefault();
    },
    onClickCapture: (event: { preventDefault(): void; stopPropagation(): void }) => {
      if (!press.current?.isLong) return;
      press.current = undefined;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

interface RowMenuProps {
  readonly campaign: Campaign;
  /** Undefined for readers, who change nothing. */
  readonly acts: CampaignActs | undefined;
  readonly children: ReactNode;
}

/** Duplicate, archive or restore one campaign. */
function RowMenu({ campaign, acts, children }: RowMenuProps) {
  const { words } = useWords();
  const texts = words.campaigns;
  const { name, isArchive } = campaign.parameters;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" aria-label={texts.actionsOf(name)} title={texts.actionsOf(name)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        {acts && <Menu.Item onClick={() => acts.duplicate([campaign])}>{texts.duplicate}</Menu.Item>}
        {acts && !isRunning(campaign) && (
          <Menu.Item onClick={() => acts.archive([campaign], !isArchive)}>
            {isArchive ? texts.restore : texts.archive}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
