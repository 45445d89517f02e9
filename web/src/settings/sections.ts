import type { Me } from '../session/session.tsx';
import type { settings } from '../words/en/settings.ts';

/** A screen of the settings. */
export interface Section {
  readonly id: keyof (typeof settings)['sections'];
  readonly to: SectionPath;
  /** Whether its operations are those of the administration. */
  readonly isAdministration: boolean;
  /** Whether it is about the whole installation, and not about one site. */
  readonly isOfInstallation?: boolean;
}

/** Addresses of the sections, as the routes know them. */
export type SectionPath =
  | '/$site/settings/fields'
  | '/$site/settings/senders'
  | '/$site/settings/domains'
  | '/$site/settings/relays'
  | '/$site/settings/sftp'
  | '/$site/settings/repositories'
  | '/$site/settings/site'
  | '/$site/settings/users'
  | '/$site/settings/tokens'
  | '/$site/settings/audit';

/** All sections in the order of their navigation. */
const sections: readonly Section[] = [
  { id: 'fields', to: '/$site/settings/fields', isAdministration: false },
  { id: 'senders', to: '/$site/settings/senders', isAdministration: false },
  { id: 'domains', to: '/$site/settings/domains', isAdministration: true },
  { id: 'relays', to: '/$site/settings/relays', isAdministration: true },
  { id: 'sftp', to: '/$site/settings/sftp', isAdministration: true },
  { id: 'repositories', to: '/$site/settings/repositories', isAdministration: true },
  { id: 'site', to: '/$site/settings/site', isAdministration: false },
  { id: 'users', to: '/$site/settings/users', isAdministration: true, isOfInstallation: true },
  { id: 'tokens', to: '/$site/settings/tokens', isAdministration: true, isOfInstallation: true },
  { id: 'audit', to: '/$site/settings/audit', isAdministration: true, isOfInstallation: true },
];

/** The sections that a user sees: only those whose operations the service does not refuse. */
export const sectionsFor = (me: Me): readonly Section[] =>
  sections.filter(({ isAdministration }) => me.isAdministrator || !isAdministration);

export const sectionOf = (id: Section['id']): Section => sections.find((one) => one.id === id)!;
