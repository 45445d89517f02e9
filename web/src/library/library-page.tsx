import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../parts/states.tsx';
import { useCurrentInSight } from '../parts/use-current-in-sight.ts';
import { useSite } from '../session/session.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { libraryParts } from './parts.ts';
import { useLibraryWords } from './words.ts';
import '../parts/forms.css';
import './library.css';

interface LibraryPageProps {
  readonly part: (typeof libraryParts)[number][0];
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
        {libraryParts.map(([id, to]) => (
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
