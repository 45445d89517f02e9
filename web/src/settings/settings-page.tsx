import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isForbidden, isNotFound } from '../api/api-error.ts';
import { Empty, Failed, Loading, NoRight, Page } from '../parts/states.tsx';
import { useCurrentInSight } from '../parts/use-current-in-sight.ts';
import { useMe, useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { type Section, sectionOf, sectionsFor } from './sections.ts';
import { useSettingsWords } from './words.ts';
import '../parts/forms.css';
import './settings.css';

interface SettingsPageProps<Data> {
  readonly section: Section['id'];
  /** What the section shows; nothing can be added before it is there. */
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** The main action; undefined if the user may not do it. */
  readonly add?: { readonly label: string; readonly run: () => void } | undefined;
  /** What stands above the content while it loads, too. */
  readonly above?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** A section of the settings beside the navigation of all, or the news that it cannot be seen here. */
export function SettingsPage<Data>({ section, query, add, above, children }: SettingsPageProps<Data>) {
  const texts = useSettingsWords();
  usePartWords();
  const { words } = useWords();
  const me = useMe();
  const { isAdministration } = sectionOf(section);
  if (isAdministration && (!me.isAdministrator || isForbidden(query.error)))
    return <NoRight text={words.rights.settings(texts.sections[section])} />;
  const { data, error } = query;
  return (
    <Page
      title={texts.sections[section]}
      crumb={texts.title}
      sub={texts.about[section]}
      actions={
        data !== undefined &&
        add && (
          <Button variant="filled" leftSection={<IconPlus size={16} aria-hidden />} onClick={add.run}>
            {add.label}
          </Button>
        )
      }
    >
      <div className="settings">
        <SectionLinks />
        <div className="stack tight">
          {above}
          {data === undefined && error && (
            <section className="card">
              {isAdministration && isNotFound(error) ? (
                // The administration has an address of its own (FACTEUR_ADMIN_LISTEN).
                <Empty title={texts.elsewhere} text={texts.elsewhereText} />
              ) : (
                <Failed error={error} retry={() => void query.refetch()} />
              )}
            </section>
          )}
          {query.isPending && <Loading />}
          {data !== undefined && children(data)}
        </div>
      </div>
    </Page>
  );
}

function SectionLinks() {
  const texts = useSettingsWords();
  const site = useSite();
  const sections = sectionsFor(useMe());
  const links = useCurrentInSight();
  return (
    <nav ref={links} className="nav settings-nav" aria-label={texts.title}>
      {sections.map(({ id, to, isOfInstallation }, index) => (
        <div key={id}>
          {isOfInstallation && !sections[index - 1]?.isOfInstallation && <hr />}
          <Link to={to} params={{ site: site.name }}>
            {texts.sections[id]}
          </Link>
        </div>
      ))}
    </nav>
  );
}
