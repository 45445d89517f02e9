import {
  IconFileExport,
  IconFileImport,
  IconLayoutDashboard,
  IconMailbox,
  IconPhoto,
  IconSend,
  IconSettings,
  IconTargetArrow,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Me } from '../session/session.tsx';
import type { Words } from '../words/words.tsx';

/** A screen that the navigation leads to. */
export interface Place {
  readonly id: keyof Words['shell']['places'];
  /** The route of its screen. */
  readonly to: PlacePath;
  readonly icon: TablerIcon;
  /** The letter after G. */
  readonly letter: string;
  /** Below the divider, among what is used less. */
  readonly isSecondary?: boolean;
  /** Whether a user sees it. Default: every user does. */
  readonly isFor?: (me: Me) => boolean;
}

/** Addresses of the places, as the routes know them. */
export type PlacePath =
  | '/$site'
  | '/$site/campaigns'
  | '/$site/subscribers'
  | '/$site/targets'
  | '/$site/imports'
  | '/$site/exports'
  | '/$site/library'
  | '/$site/mailbox'
  | '/$site/settings';

/** All places in the order of the navigation; an area adds its own line. */
export const places: readonly Place[] = [
  { id: 'overview', to: '/$site', icon: IconLayoutDashboard, letter: 'o' },
  { id: 'campaigns', to: '/$site/campaigns', icon: IconSend, letter: 'c' },
  { id: 'subscribers', to: '/$site/subscribers', icon: IconUsers, letter: 's' },
  { id: 'targets', to: '/$site/targets', icon: IconTargetArrow, letter: 't' },
  { id: 'imports', to: '/$site/imports', icon: IconFileImport, letter: 'i' },
  { id: 'exports', to: '/$site/exports', icon: IconFileExport, letter: 'e' },
  { id: 'library', to: '/$site/library', icon: IconPhoto, letter: 'l', isSecondary: true },
  {
    id: 'mailbox',
    to: '/$site/mailbox',
    icon: IconMailbox,
    letter: 'm',
    isSecondary: true,
    isFor: (me) => me.isAdministrator,
  },
  { id: 'settings', to: '/$site/settings', icon: IconSettings, letter: ',', isSecondary: true },
];

export const placesFor = (me: Me): readonly Place[] => places.filter(({ isFor }) => isFor?.(me) ?? true);
