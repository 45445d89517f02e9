import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../parts/states.tsx';
import { useCurrentInSight } from '../parts/use-current-in-sight.ts';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useLibraryWords } from './words.ts';
import '../parts/forms.css';
import './library.css';

/** The parts of the library with their addresses, in the order of their links. */
const parts = [
  ['pictures', '/$site/library'],
  ['advertisements', '/$site/library/advertisements'],
  ['advertisers', '/$site/library/advertisers'],
  ['affiliations', '/$site/library/affiliations'],
  ['thematics', '/$site/library/thematics'],
  ['blocks', '/$site/library/blocks'],
  ['data', '/$site/library/data'],
  ['directories', '/$site/library/directories'],
] as const;

interface LibraryPageProps {
  readonly part: (typeof parts)[number][0];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the library below the links to all of them. */
export function LibraryPage({ part, actions, children }: LibraryPageProps) {
  const texts = useLibraryWords();
  usePartWords();
  const site = useSite();
  const links = useCurrentInSight();
  return (
    <Page title={texts.parts[part]} crumb={texts.title} actions={actions}>
      <nav ref={links} className="library-parts" aria-label={texts.title}>
        {parts.map(([id, to]) => (
          <Link
            key={id}
            to={to}
            params={{ site: site.name }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {texts.parts[id]}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
